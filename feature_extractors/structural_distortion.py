"""Structural distortion, fine-grained (Chiang, Marton and Resnik 2008, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import EdgeBatch, EdgeFeatures, FeatureTable, PluginError, RuleBatch, Segment

LONGEST = 10
"""Nonterminals that span so many words or more fire one feature."""

_SIZES = (*map(str, range(1, LONGEST)), f"{LONGEST}+", "*")
NAMES = tuple(f"Distortion_{reordered}_{size}" for reordered in (0, 1) for size in _SIZES)
_ANY = len(_SIZES)  # the size that stands for all
_STEP = LONGEST + 1  # sizes with 0, for a nonterminal that is not there
_MOST = 30  # nonterminals of a rule: their flags are bits of an int32
_SKIP = -1


@dataclass(kw_only=True, eq=False)
class StructuralDistortion(EdgeFeatures):
    """How many source words the nonterminals of a rule span, and whether the rule reorders them.

    A nonterminal pair of a rule's right-hand sides is reordered (R = 1) if the link between its source and
    its target position crosses that of another nonterminal pair or a link of the rule's word alignment, else
    not (R = 0). S is the number of source words it spans: ``1`` to ``9``, ``10+``, and ``*`` for any. Each
    nonterminal fires ``Distortion_R_S`` for its size and for ``*``: 22 features, whose values count the
    nonterminals of the rule that fire them.

    A rule without word alignment has only its nonterminals to cross. In a lattice S is the distance between
    the nodes.

    Parameters
    ----------
    glue : bool
        Whether glue rules fire. The paper takes "each grammar rule", and Hiero's glue rules are among them;
        their nonterminals are never reordered. cdec's ``CMR2008ReorderingFeatures`` leaves them out.
    goal : str
        The category whose rules are the glue rules, as `goal` in cdec.ini.
    """

    glue: bool = True
    goal: str = "S"

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Bit k is set if the rule's nonterminal k is reordered; -1 for rules that fire nothing.

        Raises
        ------
        PluginError
            A rule has more than 30 nonterminals.
        """
        attributes = _reordered(rules)
        if not self.glue:
            for category in np.unique(rules.lhs):
                if rules.symbol(-int(category)) == self.goal:
                    attributes[rules.lhs == category] = _SKIP
        return attributes

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Pick rows from a table made once; rules of more than two nonterminals get rows of their own."""
        starts, span = edges.tail_indptr[:-1], edges.tail_span
        arity = edges.tail_indptr[1:] - starts
        # Two sizes more than there are: an edge reads two, whether or not it has them.
        size = np.zeros(len(span) + 2, np.int32)
        np.minimum(span[:, 1] - span[:, 0], LONGEST, out=size[:-2])
        row = edges.attribute * _STEP
        row += size.take(starts) * (arity > 0)
        row *= _STEP
        row += size[1:].take(starts) * (arity > 1)
        np.maximum(row, _SKIP, out=row)
        if arity.size and arity.max() > 2:
            return _with_wide_rules(edges, arity, size, row)
        return FeatureTable(_PAIRS.names, _PAIRS.indptr, _PAIRS.columns, _PAIRS.values, row)


def _cell(reordered: int, size: int) -> int:
    return reordered * len(_SIZES) + size - 1


def _pairs() -> FeatureTable:
    """Rows for up to two nonterminals, by flags, size of the first, size of the second."""
    sizes = range(_STEP)
    counts = np.zeros((4, _STEP, _STEP, len(NAMES)))
    for flags, first, second in product(range(4), sizes, sizes):
        for reordered, size in ((flags & 1, first), (flags >> 1, second)):
            if size:
                counts[flags, first, second, [_cell(reordered, size), _cell(reordered, _ANY)]] += 1
    return FeatureTable.from_dense(NAMES, counts.reshape(-1, len(NAMES)))


_PAIRS = _pairs()


def _with_wide_rules(
    edges: EdgeBatch, arity: NDArray[np.int32], size: NDArray[np.int32], row: NDArray[np.int32]
) -> FeatureTable:
    """Edges with more than two tails get rows of their own behind the table's."""
    wide = np.flatnonzero((arity > 2) & (edges.attribute != _SKIP))
    row[wide] = len(_PAIRS.indptr) - 1 + np.arange(len(wide))
    owner = np.repeat(wide, arity[wide])  # of each of their tails
    ends = np.cumsum(arity[wide])
    nonterminal = np.arange(len(owner)) - np.repeat(ends - arity[wide], arity[wide])
    reordered = edges.attribute[owner] >> nonterminal & 1
    sizes = size[edges.tail_indptr[owner] + nonterminal]
    first = reordered * len(_SIZES) - 1  # as in _cell
    columns = np.stack([first + sizes, first + _ANY], axis=1).ravel()
    return FeatureTable(
        NAMES,
        np.concatenate([_PAIRS.indptr, _PAIRS.indptr[-1] + 2 * ends], dtype=np.int32),
        np.concatenate([_PAIRS.columns, columns], dtype=np.int32),
        np.concatenate([_PAIRS.values, np.ones(len(columns))]),
        row,
    )


def _reordered(rules: RuleBatch) -> NDArray[np.int32]:
    """Flag each rule's nonterminals."""
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
