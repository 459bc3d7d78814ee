"""Structural distortion (Chiang, Marton and Resnik 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable, PluginError, RuleBatch, Segment

from .distortion_table import LONGEST, SIZES, read_log_probabilities
from .keyed import check_choice, rules_of

NAMES = tuple(f"Distortion_{reordered}_{size}" for reordered in (0, 1) for size in (*SIZES, "*"))
COARSE_NAMES = ("DistortionLogProb",)
_STEP = LONGEST + 1  # number of sizes, including 0 for a missing nonterminal
_MOST = 30  # nonterminals of a rule: their flags are bits of an int32
_SKIP = -1


@dataclass(kw_only=True, eq=False)
class StructuralDistortion(EdgeFeatures):
    """The number of source words that each nonterminal of a rule spans, and whether the rule reorders it.

    A nonterminal is reordered (R = 1) if the link between its source and its target position crosses the link
    of another nonterminal or a link of the rule's word alignment; else R = 0. S is the number of source words
    that the nonterminal spans: ``1`` to ``9``, and ``10+``.

    In the fine model each nonterminal fires ``Distortion_R_S`` for its size, and for ``*``, which means any
    size: 22 features, whose values are the numbers of such nonterminals in the rule. In the coarse model
    ``DistortionLogProb`` is the sum of log P(R | S), to base e, over the rule's nonterminals, from a table
    that ``hopefear distortion-table`` estimates.

    In a rule without word alignment only nonterminals can cross. In a lattice S is the distance between the
    nodes.

    Parameters
    ----------
    glue : bool
        Whether glue rules fire. The paper takes "each grammar rule", which includes Hiero's glue rules; their
        nonterminals are never reordered. cdec's ``CMR2008ReorderingFeatures`` leaves glue rules out.
    goal : str
        The category whose rules are the glue rules, as `goal` in cdec.ini.
    granularity : {"fine", "coarse"}
        Which features fire.
    table : Path or str, optional
        The table of the coarse model, see `distortion_table`; required for that model only.
    """

    fires: ClassVar[tuple[str, ...]] = ("Distortion_*", "DistortionLogProb")

    glue: bool = True
    goal: str = "S"
    granularity: Literal["fine", "coarse"] = "fine"
    table: Path | str | None = None

    def prepare(self) -> None:
        """Check the arguments and read the table."""
        check_choice(self, "granularity", "fine", "coarse")
        if self.granularity == "coarse" and self.table is None:
            raise PluginError("StructuralDistortion: granularity coarse needs a table")
        if self.granularity == "fine" and self.table is not None:
            raise PluginError("StructuralDistortion: only granularity coarse takes a table")
        _ = self._rows

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Set bit k if the rule's nonterminal k is reordered; -1 for rules that fire nothing."""
        attributes = _reordered(rules)
        if not self.glue:
            attributes[rules_of(self.goal, rules)] = _SKIP
        return attributes

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Select rows from a table that is made once; rules with more than two nonterminals add rows."""
        groups = edges.groups
        starts = groups.tail_indptr[:-1]
        arity = groups.tail_indptr[1:] - starts
        # Two extra sizes: each group reads two sizes, even beyond its own.
        size = np.zeros(len(groups.tail_span) + 2, np.int32)
        size[:-2] = _sizes(groups.tail_span)
        sizes = size.take(starts) * (arity > 0) * np.int32(_STEP)
        sizes += size[1:].take(starts) * (arity > 1)
        row = edges.attribute * np.int32(_STEP * _STEP)
        row += sizes.take(edges.group)
        np.maximum(row, _SKIP, out=row)
        if arity.max(initial=0) > 2:
            return self._with_wide_rules(edges, row)
        rows = self._rows
        return FeatureTable(rows.names, rows.indptr, rows.columns, rows.values, row)

    @cached_property
    def _rows(self) -> FeatureTable:
        """Rows for up to two nonterminals, by flags, first size and second size."""
        sizes = range(_STEP)
        counts = np.zeros((4, _STEP, _STEP, 2, LONGEST))
        for flags, first, second in product(range(4), sizes, sizes):
            for reordered, size in ((flags & 1, first), (flags >> 1, second)):
                if size:
                    counts[flags, first, second, reordered, size - 1] += 1
        return self._features(counts.reshape(-1, 2, LONGEST))

    def _features(self, counts: NDArray[np.float64]) -> FeatureTable:
        """Convert counts of nonterminals by R and S, shape (n, 2, 10), to n rows."""
        log_probabilities = self._log_probabilities
        if log_probabilities is not None:
            sums = (counts * log_probabilities).sum(axis=(1, 2))
            return FeatureTable.from_dense(COARSE_NAMES, sums[:, None])
        with_any = np.concatenate([counts, counts.sum(axis=2, keepdims=True)], axis=2)
        return FeatureTable.from_dense(NAMES, with_any.reshape(-1, len(NAMES)))

    @cached_property
    def _log_probabilities(self) -> NDArray[np.float64] | None:
        return None if self.table is None else read_log_probabilities(self.table)

    def _with_wide_rules(self, edges: EdgeBatch, row: NDArray[np.int32]) -> FeatureTable:
        """Add rows after the table's rows for edges with more than two tails."""
        rows = self._rows
        arity = np.diff(edges.tail_indptr)
        size = _sizes(edges.tail_span)
        wide = np.flatnonzero((arity > 2) & (edges.attribute != _SKIP))
        row[wide] = len(rows.indptr) - 1 + np.arange(len(wide))
        counts = np.zeros((len(wide), 2, LONGEST))
        for k in range(arity.max()):
            has = np.flatnonzero(arity[wide] > k)
            edge = wide[has]
            counts[has, edges.attribute[edge] >> k & 1, size[edges.tail_indptr[edge] + k] - 1] += 1
        more = self._features(counts)
        return FeatureTable(
            rows.names,
            np.concatenate([rows.indptr, rows.indptr[-1] + more.indptr[1:]]),
            np.concatenate([rows.columns, more.columns]),
            np.concatenate([rows.values, more.values]),
            row,
        )


def _sizes(spans: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return S of each span."""
    sizes: NDArray[np.int32] = np.minimum(spans[:, 1] - spans[:, 0], np.int32(LONGEST))
    return sizes


def _reordered(rules: RuleBatch) -> NDArray[np.int32]:
    """Flag each rule's reordered nonterminals."""
    flags = np.zeros(len(rules), np.int32)
    rule, index, _, _, crosses = rules.nonterminals.T
    arity = int(index.max(initial=-1)) + 1
    if arity > _MOST:
        raise PluginError(
            f"StructuralDistortion: expected at most {_MOST} nonterminals in a rule, got {arity}"
        )
    for k in range(arity):  # a rule has only one nonterminal of an index
        flags[rule[(index == k) & (crosses != 0)]] |= 1 << k
    return flags
