"""Rows of translations: sums over their features, in whatever order these are numbered, and lists of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import KBestList


def row_sums(rows: Ints, values: Floats, count: int) -> Floats:
    """Add up the values of each row; the sums do not depend on the order of the values, to the bit.

    Each process numbers features as they come up, so that it adds them up in an order of its own. Values are
    rounded to multiples of a power of two that is so large that no sum of theirs is rounded: about what
    adding them one by one would cost, too.
    """
    longest = int(np.bincount(rows, minlength=1).max())
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < largest < np.inf:
        return np.bincount(rows, values, minlength=count).astype(np.float64, copy=False)
    # Any sum is at most `longest` times 2 ** 53 / longest multiples: integers that are added up exactly.
    bits = 53 - longest.bit_length() - int(np.frexp(largest)[1])
    sums = np.bincount(rows, np.rint(np.ldexp(values, bits)), minlength=count)
    return np.asarray(np.ldexp(sums, -bits))


def row_scores(
    indptr: Ints,
    features: NDArray[np.int32],
    values: Floats,
    weights: Floats,
) -> Floats:
    """Return h·w of each row by `row_sums`, shape (k,)."""
    count = len(indptr) - 1
    rows = np.repeat(np.arange(count), np.diff(indptr))
    return row_sums(rows, values * weights[features], count)


def list_of_entries(texts: list[str], rows: Ints, features: NDArray[np.int32], values: Floats) -> KBestList:
    """Make a list of translations whose features come in any order, each with its row."""
    order = np.lexsort((features, rows))
    indptr = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(texts)))))
    return KBestList(texts, indptr, features[order], values[order])
