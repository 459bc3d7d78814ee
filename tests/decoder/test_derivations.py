"""Forests, k-best lists and expectations against all derivations of random small grammars."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, all_derivations, decode, deterministic

from hopefear.base import ParseFailed
from hopefear.decoder import Lattice, Weights


@deterministic
@given(bf.cases, st.integers(1, 5))
def test_forest_has_exactly_the_derivations(case: bf.Case, max_span: int) -> None:
    expected = bf.derivations(case.rules, bf.chain(case.words), max_span=max_span)
    assume(len(expected) <= MOST)
    if not expected:
        with pytest.raises(ParseFailed):
            case.decode(scfg_max_span_limit=max_span)
        return
    forest = case.decode(scfg_max_span_limit=max_span)
    assert forest.npaths == len(expected)
    assert Counter(all_derivations(forest)) == Counter(expected)
    # best first, each with its score
    scores = bf.all_scores(forest)
    assert scores == pytest.approx(bf.best_first(expected, case.weights))
    assert forest.viterbi_score() == pytest.approx(scores[0])
    k = len(expected) // 2 + 1
    assert [forest.score(d) for d in forest.derivations(k)] == scores[:k]


@deterministic
@given(bf.cases)
def test_unique_kbest_is_complete_and_best_first(case: bf.Case) -> None:
    expected = case.derivations
    best: dict[str, float] = defaultdict(lambda: -math.inf)
    for derivation in expected:
        best[derivation.text] = max(best[derivation.text], derivation.score(case.weights))
    forest = case.decode()
    found = [(forest.text(d), forest.score(d)) for d in forest.derivations(100 * MOST, unique=True)]
    assert len(found) == len(best)
    assert dict(found) == pytest.approx(dict(best))
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


@deterministic
@given(bf.cases, st.sampled_from([1.0, 0.25]))
def test_expectations(case: bf.Case, scale: float) -> None:
    expected = case.derivations
    scores = np.array([scale * d.score(case.weights) for d in expected])
    probability = np.exp(scores - scores.max())
    probability /= probability.sum()
    sums: Counter[str] = Counter()
    for derivation, p in zip(expected, probability, strict=True):
        for name, value in derivation.features:
            sums[name] += p * value
    found = case.decode().expectations(scale=scale)
    for name in {*found, *sums}:
        assert found.get(name, 0.0) == pytest.approx(sums[name], rel=1e-9, abs=1e-9)


@deterministic
@given(bf.cases, bf.weights)
def test_reweighting(case: bf.Case, others: dict[str, float]) -> None:
    expected = case.derivations
    forest = case.decode()
    forest.weights.update(others)
    forest.reweight()
    assert bf.all_scores(forest) == pytest.approx(bf.best_first(expected, others))
    apart = {"OfItsOwn": 7.0, **dict(reversed(case.weights.items()))}
    forest.reweight(Weights(apart))  # other numbers of the same names
    assert bf.all_scores(forest) == pytest.approx(bf.best_first(expected, case.weights))
    forest.reweight(Weights())
    assert {forest.score(d) for d in forest.derivations(100 * MOST)} == {0}


@deterministic
@given(bf.cases, bf.weights)
def test_a_forest_that_was_scored_by_other_weights_has_its_scores_again(
    case: bf.Case, others: dict[str, float]
) -> None:
    expected = case.derivations
    forest = case.decode()
    other = forest.weights.sibling(np.zeros(0))
    other.update(others)
    with forest.reweighted(other) as found:
        assert bf.all_scores(found) == pytest.approx(bf.best_first(expected, others))
    assert bf.all_scores(forest) == pytest.approx(bf.best_first(expected, case.weights))
    with pytest.raises(ValueError, match="a score for each edge"):
        forest.native.set_scores(np.zeros(len(forest.edges) + 1))


@st.composite
def lattices(draw: st.DrawFn) -> list[bf.SourceArc]:
    """Arcs over 1 to 4 positions; a chain goes through all of them."""
    length = draw(st.integers(1, 4))
    word, cost = st.sampled_from(bf.SOURCE_WORDS), st.integers(-3, 3).filter(bool).map(float)
    spans = [(i, i + 1) for i in range(length)]
    more = st.tuples(st.integers(0, length - 1), st.integers(1, 3)).map(
        lambda s: (s[0], min(s[0] + s[1], length))
    )
    spans += draw(st.lists(more, max_size=4))
    return [bf.SourceArc(i, j, draw(word), (("LatticeCost_0", draw(cost)),)) for i, j in spans]


@deterministic
@given(bf.grammars, lattices(), bf.weights, st.integers(-3, 3))
def test_lattices(
    rules: list[bf.Rule], arcs: list[bf.SourceArc], weights: dict[str, float], cost_weight: int
) -> None:
    weights = {**weights, "LatticeCost_0": float(cost_weight)}
    expected = bf.derivations(rules, arcs)
    assume(0 < len(expected) <= MOST)
    columns: list[list[tuple[str, float, int]]] = [[] for _ in range(max(arc.end for arc in arcs))]
    for arc in arcs:
        columns[arc.start].append((arc.word, arc.features[0][1], arc.end - arc.start))
    for source in (Lattice(columns), Lattice(columns).plf()):
        forest = decode(rules, source, weights)
        assert Counter(all_derivations(forest)) == Counter(expected)
        assert forest.viterbi_score() == pytest.approx(max(d.score(weights) for d in expected))


@deterministic
@given(bf.grammars, bf.sentences, st.integers(0, 6))
def test_pass_through(rules: list[bf.Rule], words: list[str], extra: int) -> None:
    words = [*words, "naïve", "naïve"]

    def features(word: str) -> tuple[tuple[str, float], ...]:
        plain = (("PassThrough", 1.0),)
        if not extra:
            return plain
        bucket = min(extra, int(math.log(len(word)) / math.log(1.6)) + 1)
        return (*plain, (f"PassThrough_{bucket}", 1.0))

    passing = [bf.Rule("X", (word,), (word,), features(word)) for word in sorted(set(words))]
    expected = bf.derivations([*rules, *passing], bf.chain(words))
    assume(len(expected) <= MOST)
    forest = decode(
        rules, " ".join(words), {}, add_pass_through_rules=True, add_extra_pass_through_features=extra
    )
    assert Counter(all_derivations(forest)) == Counter(expected)
