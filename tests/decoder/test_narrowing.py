"""Sampling, pruning and intersection against all derivations."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import chdtri
from support import brute_force as bf
from support.brute_force import MOST, all_derivations, decode, deterministic

from hopefear.decoder import Hypergraph, Lattice

AMBIGUOUS = [
    bf.Rule("X", ("a",), ("u",), (("f0", 1.0),)),
    bf.Rule("X", ("a",), ("v",), (("f1", 1.0),)),
    bf.Rule("X", (bf.NT("X"), "b"), (1, "w"), (("f0", -1.0),)),
    bf.Rule("X", ("b",), ("w",), (("f2", 2.0),)),
    bf.Rule("X", (bf.NT("X"), bf.NT("X")), (2, 1), (("f2", -1.0),)),
]


@pytest.mark.parametrize("scale", [1.0, 0.5, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_sampling_frequencies(seed: int, scale: float) -> None:
    weights = {name: random.Random(seed).uniform(-1, 1) for name in (*bf.FEATURES, "Glue")}
    expected = bf.derivations(AMBIGUOUS, bf.chain(["a", "b", "a"]))
    forest = decode(AMBIGUOUS, "a b a", weights)
    n = 4000
    drawn = Counter(
        bf.Derivation(tuple(forest.text(d).split()), frozenset(forest.features(d).items()))
        for d in forest.samples(n, seed=seed, scale=scale)
    )
    counts: Counter[bf.Derivation] = Counter()
    scores = np.array([scale * d.score(weights) for d in expected])
    probability = np.exp(scores) / np.exp(scores).sum()
    for derivation, p in zip(expected, probability, strict=True):
        counts[derivation] += n * p  # type: ignore[assignment]
    assert set(drawn) <= set(counts)
    rare = [d for d, count in counts.items() if count < 5]
    pairs = [(drawn[d], count) for d, count in counts.items() if count >= 5]
    pairs.append((sum(drawn[d] for d in rare), max(sum(counts[d] for d in rare), 1e-9)))
    statistic = sum((seen - count) ** 2 / count for seen, count in pairs if count > 1e-6)
    # The chi-squared distribution; scipy.stats has it, too, but imports much.
    assert statistic < chdtri(len(pairs) - 1, 1e-4)
    again = [d.tolist() for d in forest.samples(20, seed=seed, scale=scale)]
    assert again == [d.tolist() for d in forest.samples(20, seed=seed, scale=scale)]


def edge_keys(forest: Hypergraph) -> list[tuple[object, ...]]:
    """What tells edges apart whatever their numbers; two of the same rule twice in a grammar look alike."""
    edges = forest.edges
    keys = []
    for e in range(len(edges)):
        rule = forest.rule(e)
        tails = edges.tail_span[edges.tail_indptr[e] : edges.tail_indptr[e + 1]]
        features = tuple(sorted(rule.features.items()))
        keys.append(
            (rule.lhs, rule.source, rule.target, features, *edges.span[e].tolist(), *tails.ravel().tolist())
        )
    return keys


def max_marginals(forest: Hypergraph) -> list[float]:
    best = [-np.inf] * len(forest.edges)
    for derivation in forest.derivations(100 * MOST):
        for edge in derivation.tolist():
            best[edge] = max(best[edge], forest.score(derivation))
    return best


@deterministic
@given(bf.cases, st.integers(0, 12))
def test_beam_keeps_exactly_what_is_near_the_best(case: bf.Case, beam: int) -> None:
    assume(case.derivations)
    forest = case.decode()
    best, width = forest.viterbi_score(), beam / 2 + 0.1  # scores are multiples of 1/4
    expected = [k for k, m in zip(edge_keys(forest), max_marginals(forest), strict=True) if m >= best - width]
    forest.prune(beam_alpha=width)
    assert Counter(map(repr, edge_keys(forest))) == Counter(map(repr, expected))
    assert forest.viterbi_score() == pytest.approx(best)


@deterministic
@given(bf.cases, st.integers(2, 6))
def test_density_keeps_the_best_edges(case: bf.Case, halves: int) -> None:
    assume(case.derivations)
    forest = case.decode()
    best, size = forest.viterbi_score(), len(forest.best())
    marginal = sorted(max_marginals(forest), reverse=True)
    wanted = int(size * halves / 2)
    forest.prune(density=halves / 2)
    assert len(forest.edges) >= min(wanted, len(marginal))
    assert forest.viterbi_score() == pytest.approx(best)
    if wanted < len(marginal):
        assert min(max_marginals(forest)) >= min(marginal[wanted - 1], best) - 1e-6


@deterministic
@given(bf.cases, st.data())
def test_intersection_is_filtering(case: bf.Case, data: st.DataObject) -> None:
    expected = case.derivations
    reference = data.draw(st.sampled_from(sorted({d.text for d in expected})))
    forest = case.decode()
    assert forest.intersect(reference)
    left = [d for d in expected if d.text == reference]
    assert Counter(all_derivations(forest)) == Counter(left)
    assert forest.viterbi_score() == pytest.approx(max(d.score(case.weights) for d in left))
    assert not forest.intersect(reference + " u")


@deterministic
@given(bf.cases, st.data())
def test_intersection_with_a_lattice(case: bf.Case, data: st.DataObject) -> None:
    expected = case.derivations
    arc = st.tuples(st.sampled_from(bf.TARGET_WORDS), st.integers(1, 2))
    columns = data.draw(st.lists(st.sets(arc, min_size=1, max_size=4), min_size=1, max_size=5))
    n = len(columns)
    sets = [sorted({(word, min(step, n - i)) for word, step in column}) for i, column in enumerate(columns)]
    paths = Counter(lattice_paths(sets, 0))
    forest = case.decode()
    left = Counter({d: count * paths[d.words] for d, count in Counter(expected).items() if paths[d.words]})
    assert forest.intersect(Lattice(sets)) == bool(left)
    if left:
        assert Counter(all_derivations(forest)) == left


def lattice_paths(columns: list[list[tuple[str, int]]], position: int) -> list[tuple[str, ...]]:
    if position == len(columns):
        return [()]
    return [
        (word, *rest) for word, step in columns[position] for rest in lattice_paths(columns, position + step)
    ]
