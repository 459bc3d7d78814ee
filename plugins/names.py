"""Feature names: tables that grow while a plugin runs, and hashes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from hopefear._native import KeyIndex, name_fault
from hopefear._native import WordNames as NativeWordNames
from hopefear.base import PluginError

from .keys import ranges
from .tokens import WordTable


def name_hash(name: str, bits: int) -> str:
    """Return the lowest bits of a feature name's hash in hexadecimal, the same in every process."""
    number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
    return f"{number & ((1 << bits) - 1):x}"


class _GrowingNames(Sequence[str]):
    """Feature names that are only added to, so that the decoder looks up only the new ones."""

    append_only = True
    _names: Any

    @overload
    def __getitem__(self, index: int, /) -> str: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice, /) -> Any:
        """Return a name, or the names of a slice."""
        return self._names[index]

    def __len__(self) -> int:
        """Count the names so far."""
        return len(self._names)


class NameTable(_GrowingNames):
    """Feature names by integer key, such as a pair of word numbers; the names of a key are made once.

    For plugins with an open set of features: a table that only grows can be the `names` of every answer, and
    the decoder looks up only the new names. Threads may share a table.

    Parameters
    ----------
    names_of : callable
        Returns the names of a key, maybe none; called once per key.

    Raises
    ------
    PluginError
        In `columns`: no feature can have a name, or `names_of` returns a single string.
    """

    def __init__(self, names_of: Callable[[int], Sequence[str]]) -> None:
        self._names_of = names_of
        self._names: list[str] = []
        self._indptr = np.zeros(1024, np.int32)
        self._keys = KeyIndex()
        self._lock = threading.Lock()

    def columns(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Find the names of keys.

        Parameters
        ----------
        keys : array of int64, shape (n,)
            Keys, which may be repeated.

        Returns
        -------
        indptr, columns : arrays of int32, shapes (n + 1,) and (c,)
            The names of key i are number ``columns[indptr[i]:indptr[i + 1]]`` of this sequence.
        """
        with self._lock:
            rows, new = self._keys.rows(keys)
            if len(new):
                self._add(new.tolist())
            begins, ends = self._indptr[rows], self._indptr[rows + 1]
        indptr, columns = ranges(begins, ends)
        return indptr, columns.astype(np.int32)

    def _add(self, keys: list[int]) -> None:
        first = len(self._keys) - len(keys)
        if len(self._keys) >= len(self._indptr):
            grown = np.zeros(2 * len(self._keys) + 1, np.int32)
            grown[: first + 1] = self._indptr[: first + 1]
            self._indptr = grown
        before = len(self._names)
        try:
            for row, key in enumerate(keys, first):
                self._names += self._made(key)
                self._indptr[row + 1] = len(self._names)
        except BaseException:  # as if the keys had never been seen
            del self._names[before:]
            old_keys = self._keys.keys(0)[:first]
            self._keys = KeyIndex()
            self._keys.rows(old_keys)
            raise

    def _made(self, key: int) -> Sequence[str]:
        names = self._names_of(key)
        if isinstance(names, str):
            raise PluginError(f"names_of must give a sequence of names, got the one string {names!r}")
        for name in names:
            if fault := name_fault(name):
                raise PluginError(f"a feature name {fault}, got {name!r}")
        return names


Combine = Literal["same", "all"]
"""Which types of two words are combined: only the same kinds, or all with all."""


@dataclass(frozen=True, slots=True)
class NameForm:
    """How names are written: a prefix, a first word, a separator, a second word.

    Attributes
    ----------
    prefix : str
        Not empty, without white space, not beginning with ``#``.
    words : {"first", "second", "both"}
        The words that the names have; with one word there is no separator.
    separator : str
    combine : {"same", "all"}
        Which types of both words are combined, see `type_pairs`.
    """

    prefix: str
    words: Literal["first", "second", "both"] = "both"
    separator: str = "_"
    combine: Combine = "same"


class WordNames(_GrowingNames):
    """Feature names of one or two words, in some forms: a name for each type, or each pair of types.

    As `NameTable`, for many names: native code makes the text of a name when the decoder reads it. Equal
    names of a key, such as those of types that do not change the words, count as one name.

    Parameters
    ----------
    forms : sequence of NameForm
        At most 512.
    first, second : WordTable
        The tables that number the words; they can be the same.

    Raises
    ------
    PluginError
        The types cannot be combined, or no feature can have a name that begins with a prefix.
    """

    def __init__(self, forms: Sequence[NameForm], first: WordTable, second: WordTable) -> None:
        for form in forms:
            if fault := name_fault(form.prefix):
                raise PluginError(f"prefix {fault}, got {form.prefix!r}")
        written = [_written(form, first, second) for form in forms]
        self._names: NativeWordNames = NativeWordNames(written, first.native, second.native)

    @staticmethod
    def keys(
        first: NDArray[np.integer] | int, second: NDArray[np.integer] | int, form: NDArray[Any] | int = 0
    ) -> NDArray[np.int64]:
        """Return the keys of names.

        Parameters
        ----------
        first, second : arrays of integers
            The words' numbers in the two tables, 0 for a word that the names do not have.
        form : array of integers or int
            The index of each name's form.

        Returns
        -------
        array of int64
        """
        bits = NativeWordNames.word_bits
        keys: NDArray[np.int64] = (np.asarray(first, np.int64) << bits) | second
        return keys if isinstance(form, int) and not form else keys | (np.asarray(form, np.int64) << 2 * bits)

    def columns(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Find the names of keys.

        Parameters
        ----------
        keys : array of int64, shape (n,)
            See `keys`. They may be repeated.

        Returns
        -------
        indptr, columns : arrays of int32, shapes (n + 1,) and (c,)
            The names of key i are number ``columns[indptr[i]:indptr[i + 1]]`` of this sequence.
        """
        return self._names.columns(keys)


class PairNames(_GrowingNames):
    """Feature names of pairs of words: ``prefix`` and ``first_second``, for each pair of types.

    `WordNames` of one form.

    Parameters
    ----------
    prefix : str
        First part of every name: not empty, without white space, not beginning with ``#``.
    first, second : WordTable
        The tables that number the words.
    combine : {"same", "all"}
        Which types are combined, see `type_pairs`.

    Raises
    ------
    PluginError
        The types cannot be combined, or no feature can have a name that begins with the prefix.
    """

    def __init__(self, prefix: str, first: WordTable, second: WordTable, combine: Combine = "same") -> None:
        self._names: WordNames = WordNames([NameForm(prefix, combine=combine)], first, second)

    def columns(
        self, first: NDArray[np.integer], second: NDArray[np.integer]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Find the names of pairs.

        Parameters
        ----------
        first, second : arrays of integers, shape (n,)
            The words' numbers in the two tables. Pairs may be repeated.

        Returns
        -------
        indptr, columns : arrays of int32, shapes (n + 1,) and (c,)
            The names of pair i are number ``columns[indptr[i]:indptr[i + 1]]`` of this sequence.
        """
        return self._names.columns(WordNames.keys(first, second))


def _written(
    form: NameForm, first: WordTable, second: WordTable
) -> tuple[str, str, bool, bool, list[tuple[int, int]]]:
    """Write a form for native code."""
    if form.words == "both":
        return form.prefix, form.separator, True, True, type_pairs(first, second, form.combine)
    of_first = form.words == "first"
    types = range(len((first if of_first else second).types))
    return form.prefix, "", of_first, not of_first, [(index, index) for index in types]


def type_pairs(first: WordTable, second: WordTable, combine: Combine) -> list[tuple[int, int]]:
    """List the pairs of types of the two tables that are combined, by index."""
    if combine == "all":
        return list(product(range(len(first.types)), range(len(second.types))))
    kinds, others = ([token_type.kind for token_type in table.types] for table in (first, second))
    if sorted(kinds) != sorted(others):
        message = "expected the same types of source and target words, or combine all"
        raise PluginError(f"{message}, got {','.join(kinds)} and {','.join(others)}")
    return [(index, others.index(kind)) for index, kind in enumerate(kinds)]
