"""Numbers for integer keys and for sequences of integers, without sorting and without loops in Python.

A `SequenceTable` numbers short sequences, such as the aligned words of a rule, so that an edge plugin can
return the number as the rule's attribute. The empty sequence has number 0. Threads may share a table.
``numbers(n, rows, items)`` returns the numbers of n sequences, int32, below the table's ``len``; ``rows``,
ascending, has the sequence of each of ``items`` (int32, at least 0). ``items(numbers)`` returns the sequences
as ``indptr, items``.

``take_rows(indptr, columns, values, rows)`` returns some rows of a sparse matrix, in the same form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hopefear._native import KeyIndex, SequenceTable, take_rows
from hopefear._native import edge_uses as native_edge_uses
from hopefear._native import source_steps as native_source_steps

from .batches import EdgeBatch, EdgeGroups

__all__ = ["SequenceTable", "edge_uses", "number_keys", "ranges", "source_steps", "take_rows"]


def number_keys(keys: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the distinct keys in the order of first occurrence."""
    return KeyIndex().rows(keys)


def edge_uses(
    edges: EdgeBatch, numbers: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct pairs of an edge's attribute and a number of its group.

    Features that depend only on these two are computed once per pair.
    """
    return native_edge_uses(edges.attribute, edges.group, numbers)


def source_steps(
    groups: EdgeGroups,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """List the words and the pairs of neighbours on the source side of each group's rules.

    A nonterminal is represented in pairs by the last word that it covers. In a group, the words come before
    the pairs, and pairs whose second is a word come before the others.
    """
    return native_source_steps(groups.span, groups.tail_indptr, groups.tail_span)


def ranges(
    begins: NDArray[np.integer], ends: NDArray[np.integer]
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """List the integers of ranges, one range after the other."""
    sizes = ends - begins
    indptr = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=indptr[1:])
    indices = np.arange(indptr[-1])
    indices += np.repeat(begins - indptr[:-1], sizes)
    return indptr, indices
