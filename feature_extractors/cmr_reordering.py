"""cdec's features of reordering by span size (ff_spans.cc, after Chiang, Marton and Resnik 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable, RuleBatch, Segment

from .keyed import rules_of
from .span_size import size_bins

_BINS = 32
_KINDS = ("CMRMono", "CMRReorder")
_NAMES = (*_KINDS, *(f"{kind}_{size}" for kind in _KINDS for size in range(_BINS)))
_NONE, _MONOTONE, _REORDERED = range(3)


@dataclass(kw_only=True, eq=False)
class CMRReordering(EdgeFeatures):
    """Whether a rule swaps its two nonterminals, and how many source words it spans.

    The features of cdec's ``CMR2008ReorderingFeatures``: a rule of two nonterminals fires ``CMRMono`` and
    ``CMRMono_B`` if its target side keeps their order, else ``CMRReorder`` and ``CMRReorder_B``. B is the bin
    of the size of the rule's span, see `hopefear.feature_extractors.span_size.size_bins`; cdec stops at 15
    words. Other rules and glue rules fire nothing. The paper's own features, which depend on each
    nonterminal's span and on words too, are `StructuralDistortion`.

    Parameters
    ----------
    goal : str
        The category whose rules are the glue rules; always ``S`` in cdec.
    """

    fires: ClassVar[tuple[str, ...]] = ("CMRMono", "CMRReorder", "CMRMono_*", "CMRReorder_*")

    goal: str = "S"

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Classify rules: those that fire nothing, that keep the order, and that swap."""
        rule, index, _, target, _ = rules.nonterminals.T
        binary = np.bincount(rule, minlength=len(rules)) == 2
        first = np.zeros((2, len(rules)), np.int32)
        for k in (0, 1):
            first[k, rule[index == k]] = target[index == k]
        kinds = np.where(first[0] < first[1], _MONOTONE, _REORDERED)
        return np.where(binary & ~rules_of(self.goal, rules), kinds, _NONE).astype(np.int32)

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Select rows from a table that is made once."""
        span = edges.groups.span
        row = size_bins(edges.source_length).take(span[:, 1] - span[:, 0]).take(edges.group)
        row += (edges.attribute - 1) * np.int32(_BINS)
        np.maximum(row, -1, out=row)
        return FeatureTable(_TABLE.names, _TABLE.indptr, _TABLE.columns, _TABLE.values, row)


def _table() -> FeatureTable:
    kind, size = np.divmod(np.arange(2 * _BINS, dtype=np.int32), np.int32(_BINS))
    columns = np.stack([kind, len(_KINDS) + kind * np.int32(_BINS) + size], axis=1).ravel()
    indptr = np.arange(0, len(columns) + 1, 2, dtype=np.int32)
    return FeatureTable(_NAMES, indptr, columns, np.ones(len(columns)))


_TABLE = _table()
