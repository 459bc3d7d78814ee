"""The derivations of a forest in which the words of a sentence's terms have agreed translations."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native

Words = tuple[str, ...]


class HardTerm(NamedTuple):
    """A term that every derivation translates as was agreed."""

    begin: int
    end: int
    symbol: str
    translations: tuple[Words, ...]


def with_hard_terms(
    forest: _native.Forest, terms: Sequence[HardTerm], weights: _native.Weights
) -> _native.Forest:
    """Return the derivations of a forest that translate each term as was agreed; empty if there are none.

    A rule may cover words of a term if it covers them all, one of the term's translations stands in its
    target side, and one of these holds: the rule has no links; a link leads from the term to this
    translation; a rule of the grammars translates exactly the term's words so. A target word serves one term
    only. Where there is such a rule of the grammars, the term's own rule with this translation is left out:
    derivations have the features of the grammars' rule.
    """
    over = _edges_over(terms, forest)
    edges = over[_may_translate(terms, forest, over, weights)]
    rule_of = cache(forest.rule)
    spans, tails, indptr = forest.edge_span(), forest.tail_span(), forest.edge_tails_indptr
    of_span = {(term.begin, term.end): term for term in terms}
    of_terms: dict[int, tuple[int, Words]] = {}  # edges of terms' own rules: their heads and translations
    exact: dict[int, tuple[int, Words]] = {}  # the same of other edges that translate exactly a term
    larger: list[int] = []
    for edge in edges.tolist():
        _, source, target, *_ = rule_of(int(forest.edge_local_rule[edge]))
        term = of_span.get(tuple(spans[edge].tolist()))
        if term is None or tuple(target) not in term.translations:
            larger.append(edge)
        else:
            of_term = of_terms if source == [term.symbol] else exact
            of_term[edge] = int(forest.edge_head[edge]), tuple(target)
    exact_translations = {(int(spans[edge, 0]), words) for edge, (_, words) in exact.items()}
    keep = np.ones(len(spans), bool)
    keep[over] = False
    keep[list(exact)] = True
    for edge, translated in of_terms.items():
        keep[edge] = translated not in exact.values()
    for edge in larger:
        _, source, target, _, _, links = rule_of(int(forest.edge_local_rule[edge]))
        begin, end = spans[edge].tolist()
        inside = tails[indptr[edge] : indptr[edge + 1]].tolist()
        needed = _needed(terms, begin, end, inside)
        if needed is not None:
            rule = _Placed(_places(source, begin, inside), target, links)
            keep[edge] = rule.translates(needed, exact_translations)
    forest.reweight(weights)  # a part of a forest has scores
    return _native.subforest(forest, np.flatnonzero(keep).astype(np.int32))


class _Placed(NamedTuple):
    """A rule in a sentence: where its source symbols begin, its target side and its links."""

    places: Sequence[int]
    target: Sequence[object]
    links: Sequence[tuple[int, int]]

    def translates(
        self, terms: Sequence[HardTerm], known: Set[tuple[int, Words]], used: Set[int] = frozenset()
    ) -> bool:
        """Whether the target side has translations of all of these terms, each in words of its own."""
        if not terms:
            return True
        term, *others = terms
        linked = {e for f, e in self.links if term.begin <= self.places[f] < term.end}
        for words in term.translations:
            for at in range(len(self.target) - len(words) + 1):
                here = {*range(at, at + len(words))}
                if tuple(self.target[at : at + len(words)]) != words or here & used:
                    continue
                if self.links and not linked & here and (term.begin, words) not in known:
                    continue
                if self.translates(others, known, used | here):
                    return True
        return False


def _edges_over(terms: Sequence[HardTerm], forest: _native.Forest) -> NDArray[np.int32]:
    """List the edges that cover a word of a term, but have none of its tails over the whole term."""
    spans, tails = forest.edge_span(), forest.tail_span()
    of_tail = np.repeat(np.arange(len(spans)), np.diff(forest.edge_tails_indptr))
    covering = np.zeros(len(spans), bool)
    for term in terms:
        over = (spans[:, 0] < term.end) & (spans[:, 1] > term.begin)
        over[of_tail[(tails[:, 0] <= term.begin) & (tails[:, 1] >= term.end)]] = False
        covering |= over
    return np.flatnonzero(covering).astype(np.int32)


def _may_translate(
    terms: Sequence[HardTerm], forest: _native.Forest, edges: NDArray[np.int32], weights: _native.Weights
) -> NDArray[np.bool_]:
    """Return for each edge whether its target side has the first word of a translation."""
    local, of_edge = np.unique(forest.edge_local_rule[edges], return_inverse=True)
    batch = _native.RuleBatch(forest, local, weights)
    first = {words[0] for term in terms for words in term.translations}
    symbols, of_place = np.unique(batch.target, return_inverse=True)
    begins = np.array([s > 0 and batch.symbol(s) in first for s in symbols.tolist()], bool)
    count = np.concatenate([[0], np.cumsum(begins[of_place])])[batch.target_indptr]
    return (np.diff(count) > 0)[of_edge]


def _needed(
    terms: Sequence[HardTerm], begin: int, end: int, tails: Sequence[Sequence[int]]
) -> list[HardTerm] | None:
    """List the terms whose words a rule covers by itself; None if it covers a part of one."""
    needed = []
    for term in terms:
        if term.end <= begin or end <= term.begin or any(b <= term.begin and term.end <= e for b, e in tails):
            continue
        if term.begin < begin or end < term.end or any(b < term.end and term.begin < e for b, e in tails):
            return None
        needed.append(term)
    return needed


def _places(source: Sequence[object], begin: int, tails: Sequence[Sequence[int]]) -> list[int]:
    """Return where in the sentence each symbol of a source side begins."""
    positions, position, left = [], begin, iter(tails)
    for symbol in source:
        positions.append(position)
        position = position + 1 if isinstance(symbol, str) else next(left)[1]
    return positions
