"""`FeatureTable`: the answer of a plugin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hopefear._native import find_wrong_name, name_fault
from hopefear.base import PluginError
from hopefear.base.signatures import Count
from hopefear.base.texts import shortened

LARGEST = float(np.finfo(np.float32).max)
"""The largest value of a feature, as of those in grammars: sums and squares of values stay finite."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureTable:
    """Sparse features of n rules or edges, dictionary-encoded: many items may share a row.

    For example, a plugin whose features depend on the span only makes one row for each span; `row` then has
    the row of each edge. Equal names are one feature; its values in a row are added. The engine looks up
    names once for each distinct `names` object, so return the same tuple if possible. Arrays of int64 become
    int32 where no number is lost.

    Attributes
    ----------
    names : sequence of str
        Feature names: not empty, without white space, not beginning with ``#``.
    indptr : array of int32, shape (R + 1,)
        Row r's entries are ``indptr[r]:indptr[r + 1]``.
    columns : array of int32, shape (nnz,)
        Index into `names`.
    values : array of float64, shape (nnz,)
        Values of the features, finite and at most `LARGEST` in size.
    row : array of int32, shape (n,), or None
        The row of each item, -1 if no feature fires. None: item i has row i.
    """

    names: Sequence[str]
    indptr: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    row: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        for name in ("indptr", "columns", "row"):
            object.__setattr__(self, name, as_int32(getattr(self, name)))

    def __repr__(self) -> str:
        """Show the numbers of items, rows and entries, and the first names."""
        rows = np.size(self.indptr) - 1
        items = rows if self.row is None else np.size(self.row)
        names = list(islice(self.names, 4)) if isinstance(self.names, Sequence) else []
        shown = ", ".join([*map(str, names[:3]), *["…"] * (len(names) > 3)]) or "none"
        sizes = f"{items} items, {rows} rows, {np.size(self.columns)} entries"
        return f"<FeatureTable: {sizes}, names: {shortened(shown)}>"

    @classmethod
    def empty(cls, n: int) -> FeatureTable:
        """Make a table of n items in which no feature fires."""
        none = np.zeros(0, np.int32)
        return cls((), np.zeros(1, np.int32), none, np.zeros(0), np.full(n, -1, np.int32))

    @classmethod
    def from_pairs(cls, n: Count, pairs: Iterable[tuple[int, str] | tuple[int, str, float]]) -> FeatureTable:
        """Return a table with a row for each of n items, from (item, name) or (item, name, value).

        The default value is 1. This method is convenient but slow: it loops in Python.

        Raises
        ------
        IndexError
            An item is not in ``range(n)``.
        """
        columns: dict[str, int] = {}
        cells: dict[tuple[int, int], float] = {}
        for item, name, *value in pairs:
            if not 0 <= item < n:
                raise IndexError(
                    f"feature {name}: expected an item below {n}, the number of items, got {item}"
                )
            cell = item, columns.setdefault(name, len(columns))
            cells[cell] = cells.get(cell, 0.0) + (value[0] if value else 1.0)
        order = sorted(cells)
        rows = np.array([row for row, _ in order], np.intp)
        return cls(
            tuple(columns),
            _row_starts(rows, n),
            np.array([column for _, column in order], np.int32),
            np.array([cells[cell] for cell in order], np.float64),
        )

    @classmethod
    def from_dense(
        cls, names: Sequence[str], matrix: ArrayLike, row: NDArray[np.int32] | None = None
    ) -> FeatureTable:
        """Make a table from a matrix with a column for each name; zeros do not fire.

        Parameters
        ----------
        names : sequence of str
            F feature names.
        matrix : array of bool or number, shape (R, F)
            The values.
        row : array of int32, shape (n,), optional
            See `FeatureTable`.

        Raises
        ------
        ValueError
            The matrix has another shape, or `names` is a single string.
        """
        if isinstance(names, str):
            raise ValueError(f"names must be a sequence of names, got a single string: {names!r}")
        dense = np.ascontiguousarray(matrix)
        if dense.ndim != 2 or dense.shape[1] != len(names):
            raise ValueError(f"expected a matrix of shape (R, {len(names)}), got {dense.shape}")
        cells = np.flatnonzero(dense)
        rows, columns = np.divmod(cells, max(len(names), 1))
        values = dense.ravel()[cells].astype(np.float64)
        return cls(names, _row_starts(rows, len(dense)), columns.astype(np.int32), values, row)

    def features_of(self, item: int) -> dict[str, float]:
        """Return the features of one item, for tests and inspection."""
        row = item if self.row is None else int(self.row[item])
        features: dict[str, float] = {}
        if row >= 0:
            for entry in range(self.indptr[row], self.indptr[row + 1]):
                name = self.names[self.columns[entry]]
                features[name] = features.get(name, 0.0) + float(self.values[entry])
        return features

    def check(self, n_items: int, plugin_name: str) -> None:
        """Refuse a table that the engine cannot use.

        Parameters
        ----------
        n_items : int
            Number of rules or edges that the plugin got.
        plugin_name : str
            Name of the plugin in the message.

        Raises
        ------
        PluginError
            An array has a wrong type, shape or value, or no feature can have one of the names.
        """
        fault = self._fault(n_items)
        if fault:
            raise PluginError(f"{plugin_name}: {fault}")

    def _fault(self, n_items: int) -> str | None:
        return (
            array_fault("indptr", self.indptr, np.int32)
            or array_fault("columns", self.columns, np.int32)
            or array_fault("values", self.values, np.float64)
            or (None if self.row is None else array_fault("row", self.row, np.int32))
            or _names_fault(self.names)
            or self._shape_fault(n_items)
            or self._range_fault()
        )

    def _shape_fault(self, n_items: int) -> str | None:
        if self.indptr.size == 0:
            return "indptr must have at least one element, got none"
        items = self.indptr.size - 1 if self.row is None else self.row.size
        if items != n_items:
            what = "rows" if self.row is None else "elements of row"
            return f"expected {n_items} {what}, one for each item, got {items}"
        if self.values.size != self.columns.size:
            return (
                f"columns and values must have the same size, got {self.columns.size} and {self.values.size}"
            )
        return None

    def _range_fault(self) -> str | None:
        indptr, n_rows = self.indptr, self.indptr.size - 1
        if indptr[0] != 0 or indptr[-1] != self.columns.size or (indptr[1:] < indptr[:-1]).any():
            return f"indptr must ascend from 0 to the size of columns, {self.columns.size}"
        if not _within(self.columns, 0, len(self.names)):
            return f"columns must be in 0..{len(self.names) - 1}, because there are {len(self.names)} names"
        if self.row is not None and not _within(self.row, -1, n_rows):
            return f"row must be in -1..{n_rows - 1}, got {self.row.min()}..{self.row.max()}"
        usable = np.abs(self.values) <= LARGEST
        if not usable.all():
            entry = int(np.flatnonzero(~usable)[0])
            value, name = self.values[entry], self.names[self.columns[entry]]
            limit = f"at most {LARGEST:.6g} in size" if np.isfinite(value) else "finite"
            return f"the value of {name} must be {limit}, got {value}"
        return None


def as_int32(array: Any) -> Any:
    """Return an array of int64, which numpy makes by default, as int32 where no number is lost."""
    if isinstance(array, np.ndarray) and array.dtype == np.int64:
        numbers = array.astype(np.int32)
        return numbers if np.array_equal(numbers, array) else array
    return array


def _row_starts(rows: NDArray[np.intp], n_rows: int) -> NDArray[np.int32]:
    starts = np.zeros(n_rows + 1, np.int32)
    np.cumsum(np.bincount(rows, minlength=n_rows), out=starts[1:])
    return starts


def _within(array: NDArray[np.int32], low: int, end: int) -> bool:
    return array.size == 0 or (int(array.min()) >= low and int(array.max()) < end)


def array_fault(name: str, array: object, dtype: type) -> str | None:
    """Say what an array of an answer must be; None if it is so."""
    wanted = f"{name} must be a one-dimensional, contiguous {np.dtype(dtype)} array"
    if not isinstance(array, np.ndarray):
        return f"{wanted}, got {type(array).__name__}"
    if array.dtype != dtype or array.ndim != 1:
        return f"{wanted}, got {array.dtype} of shape {array.shape}"
    return None if array.flags.c_contiguous else f"{wanted}, got one with strides {array.strides}"


def _names_fault(names: object) -> str | None:
    if isinstance(names, str) or not isinstance(names, Sequence):
        return f"names must be a sequence of str, got {type(names).__name__}"
    try:
        wrong = find_wrong_name(list(names))
    except TypeError:
        odd = next(name for name in names if not isinstance(name, str))
        return f"names must be str, got {odd!r}"
    if wrong < 0:
        return None
    return f"a feature name {name_fault(names[wrong])}, got {names[wrong]!r}"
