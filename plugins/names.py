"""Feature names that a plugin makes as it meets what they stand for."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from itertools import product
from typing import Literal, cast, overload

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import KeyIndex
from hopefear.decoder import PairNames as NativePairNames

from .errors import PluginError
from .tokens import WordTable

_BLANK = re.compile(r"[ \t\r\n]")  # a no-break space is a part of a word


class NameTable(Sequence[str]):
    """Feature names by integer key, such as a pair of word numbers: each key's names are made once.

    For plugins with open-ended features: a table that only grows serves as the `names` of every answer, and
    the engine looks up the new ones only. Threads may share it.

    Parameters
    ----------
    names_of : callable
        Gives the names of a key, none or several; called once for each key.

    Raises
    ------
    PluginError
        In `columns`: a name is empty or holds white space, or `names_of` gives one string.
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
            A key may come more than once.

        Returns
        -------
        indptr, columns : arrays of int32, shapes (n + 1,) and (c,)
            The names of key i are number ``columns[indptr[i]:indptr[i + 1]]`` of this sequence.
        """
        with self._lock:
            rows, new = self._keys.rows(keys)
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
        names = self._names
        for row, key in enumerate(keys, first):
            made = self._names_of(key)
            if isinstance(made, str):
                raise PluginError(f"names_of must give a sequence of names, got the one string {made!r}")
            for name in made:
                if not name or _BLANK.search(name):
                    raise PluginError(f"a name must not be empty or hold white space, got {name!r}")
                names.append(name)
            self._indptr[row + 1] = len(names)

    @overload
    def __getitem__(self, index: int, /) -> str: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[str]: ...
    def __getitem__(self, index: int | slice, /) -> str | list[str]:
        """Give a name, or some."""
        return self._names[index]

    def __len__(self) -> int:
        """Count the names so far."""
        return len(self._names)


Combine = Literal["same", "all"]
"""Which types of two words go together: each with its own kind, or all with all."""


class PairNames(Sequence[str]):
    """Feature names of pairs of words: ``prefix`` and, for each two types that go together, ``first_second``.

    As `NameTable`, for many pairs: a name's text is made where the engine reads it, without Python. Names of
    a pair that are equal, as those of types that leave both words as they are, are one.

    Parameters
    ----------
    prefix : str
        Without white space.
    first, second : WordTable
        Where the words are numbered.
    combine : {"same", "all"}
        Which types go together, see `type_pairs`.

    Raises
    ------
    PluginError
        The types do not go together.
    """

    append_only = True

    def __init__(self, prefix: str, first: WordTable, second: WordTable, combine: Combine = "same") -> None:
        patterns = type_pairs(first, second, combine)
        self._native = NativePairNames(prefix, "_", first.native, second.native, patterns)

    def columns(
        self, first: NDArray[np.integer], second: NDArray[np.integer]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Find the names of pairs.

        Parameters
        ----------
        first, second : arrays of integers, shape (n,)
            The words' numbers in the two tables. A pair may come more than once.

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
        """Give a name, or some that follow each other."""
        return cast("str | Sequence[str]", self._native[index])

    def __len__(self) -> int:
        """Count the names so far."""
        return len(self._native)


def type_pairs(first: WordTable, second: WordTable, combine: Combine) -> list[tuple[int, int]]:
    """List which types of a word of one table go with which of the other, by their indices.

    Raises
    ------
    PluginError
        ``"same"`` is asked for where the kinds of types are not the same.
    """
    if combine == "all":
        return list(product(range(len(first.types)), range(len(second.types))))
    kinds, others = ([one.kind for one in table.types] for table in (first, second))
    if sorted(kinds) != sorted(others):
        message = "expected the same types of source and target words, or combine all"
        raise PluginError(f"{message}, got {','.join(kinds)} and {','.join(others)}")
    return [(index, others.index(kind)) for index, kind in enumerate(kinds)]
