"""Words of rules that have no link in the rule's word alignment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import RuleBatch

from .keyed import owners


def unaligned_source(rules: RuleBatch) -> NDArray[np.intp]:
    """Find the source words without a link, in rules that have links."""
    return _unaligned(rules, rules.source, rules.source_indptr, rules.alignment[:, 0])


def unaligned_target(rules: RuleBatch) -> NDArray[np.intp]:
    """Find the target words without a link, in rules that have links."""
    return _unaligned(rules, rules.target, rules.target_indptr, rules.alignment[:, 1])


def _unaligned(
    rules: RuleBatch, symbols: NDArray[np.int32], indptr: NDArray[np.int32], linked: NDArray[Any]
) -> NDArray[np.intp]:
    has_links = rules.alignment_indptr[1:] > rules.alignment_indptr[:-1]
    free = np.repeat(has_links, indptr[1:] - indptr[:-1])
    free &= symbols > 0
    free[indptr[owners(rules.alignment_indptr)] + linked] = False
    return np.flatnonzero(free)
