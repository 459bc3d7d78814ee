"""Feature names: tables that grow while a plugin runs, and hashes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import product
from typing import Literal, cast, overload

import numpy as np
from numpy.typing import NDArray

from hopefear._native import KeyIndex, name_fault
from hopefear._native import PairNames as NativePairNames
from hopefear.base import PluginError

from .tokens import WordTable


def name_hash(name: str, bits: int) -> str:
    """Give the lowest bits of a feature name's hash in hexadecimal, the same in every process."""
    number = int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little")
    return f"{number & ((1 << bits) - 1):x}"


class NameTable(Sequence[str]):
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

    append_only = True

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
        counts = ends - begins
        indptr = np.zeros(len(keys) + 1, np.int32)
        np.cumsum(counts, out=indptr[1:])
        columns = np.arange(indptr[-1], dtype=np.int32)
        columns += np.repeat(begins - indptr[:-1], counts)
        return indptr, columns

    def _add(self, keys: list[int]) -> None:
        first = len(self._keys) - len(keys)
        if len(self._keys) >= len(self._indptr):
            grown = np.zeros(2 * len(self._keys) + 1, np.int32)
            grown[: first + 1] = self._indptr[: first + 1]
            self._indptr = grown
        known = len(self._names)
        try:
            for row, key in enumerate(keys, first):
                self._names += self._made(key)
                self._indptr[row + 1] = len(self._names)
        except BaseException:  # as if the keys had never been seen
            del self._names[known:]
            known_keys = self._keys.keys(0)[:first]
            self._keys = KeyIndex()
            self._keys.rows(known_keys)
            raise

    def _made(self, key: int) -> Sequence[str]:
        names = self._names_of(key)
        if isinstance(names, str):
            raise PluginError(f"names_of must give a sequence of names, got the one string {names!r}")
        for name in names:
            if fault := name_fault(name):
                raise PluginError(f"a feature name {fault}, got {name!r}")
        return names

    @overload
    def __getitem__(self, index: int, /) -> str: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[str]: ...
    def __getitem__(self, index: int | slice, /) -> str | list[str]:
        """Return a name, or the names of a slice."""
        return self._names[index]

    def __len__(self) -> int:
        """Count the names so far."""
        return len(self._names)


Combine = Literal["same", "all"]
"""Which types of two words are combined: only the same kinds, or all with all."""


class PairNames(Sequence[str]):
    """Feature names of pairs of words: ``prefix`` and ``first_second``, for each pair of types.

    As `NameTable`, for many pairs: native code makes the text of a name when the decoder reads it. Equal
    names of a pair, such as those of types that do not change the words, count as one name.

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

    append_only = True

    def __init__(self, prefix: str, first: WordTable, second: WordTable, combine: Combine = "same") -> None:
        if fault := name_fault(prefix):
            raise PluginError(f"prefix {fault}, got {prefix!r}")
        patterns = type_pairs(first, second, combine)
        self._native = NativePairNames(prefix, "_", first.native, second.native, patterns)

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
        return self._native.columns(first.astype(np.int64) << 32 | second)

    @overload
    def __getitem__(self, index: int, /) -> str: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice, /) -> str | Sequence[str]:
        """Return a name, or the names of a slice."""
        return cast("str | Sequence[str]", self._native[index])

    def __len__(self) -> int:
        """Count the names so far."""
        return len(self._native)


def type_pairs(first: WordTable, second: WordTable, combine: Combine) -> list[tuple[int, int]]:
    """List the pairs of types of the two tables that are combined, by index.

    Raises
    ------
    PluginError
        `combine` is ``"same"``, but the tables' kinds of types differ.
    """
    if combine == "all":
        return list(product(range(len(first.types)), range(len(second.types))))
    kinds, others = ([one.kind for one in table.types] for table in (first, second))
    if sorted(kinds) != sorted(others):
        message = "expected the same types of source and target words, or combine all"
        raise PluginError(f"{message}, got {','.join(kinds)} and {','.join(others)}")
    return [(index, others.index(kind)) for index, kind in enumerate(kinds)]
