"""What a forest says of its derivations as a distribution, against sums over all of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from support import brute_force as bf
from support.brute_force import MOST, deterministic

from hopefear.decoder import Hypergraph, Quantity

Array = NDArray[np.float64]
scales = st.sampled_from([1.0, 0.25])


class Enumerated:
    """All derivations of a forest: how often each has each edge, and its probability."""

    def __init__(self, forest: Hypergraph, scale: float = 1.0, scores: Array | None = None) -> None:
        derivations = list(forest.derivations(100 * MOST))
        self.counts = np.array([np.bincount(d, minlength=len(forest.edges)) for d in derivations], float)
        total = scale * (self.counts @ (forest.edges.score if scores is None else scores))
        self.log_partition = float(np.logaddexp.reduce(total))
        self.p = np.exp(total - self.log_partition)
        self.entropy = float(-(self.p * (total - self.log_partition)).sum())

    def mean(self, values: Array) -> Array:
        return np.asarray(self.p @ (self.counts @ values))

    def covariance(self, values: Array, others: Array) -> Array:
        left, right = (self.counts @ each - self.mean(each) for each in (values, others))
        return np.asarray((left.T * self.p) @ right)


def values_of(forest: Hypergraph, seed: int, *columns: int) -> Array:
    return np.random.default_rng(seed).normal(size=(len(forest.edges), *columns))


def forest_of(case: bf.Case) -> Hypergraph:
    assert case.derivations
    return case.decode()


@deterministic
@given(bf.cases, scales)
def test_inside_outside_and_posteriors(case: bf.Case, scale: float) -> None:
    forest = forest_of(case)
    every, edges = Enumerated(forest, scale), forest.edges
    inside, outside = forest.inside(scale=scale), forest.outside(scale=scale)
    posteriors = every.mean(np.eye(len(edges)))
    of_nodes = np.bincount(edges.head, posteriors, len(forest.nodes))
    assert inside[-1] == pytest.approx(every.log_partition)
    assert forest.log_partition(scale=scale) == pytest.approx(every.log_partition)
    assert np.exp(inside + outside - inside[-1]) == pytest.approx(of_nodes)
    assert forest.node_posteriors(scale=scale) == pytest.approx(of_nodes)
    assert forest.edge_posteriors(scale=scale) == pytest.approx(posteriors)
    by_rule = np.bincount(edges.local_rule, posteriors)
    assert forest.rule_posteriors(scale=scale)[: len(by_rule)] == pytest.approx(by_rule)


@deterministic
@given(bf.cases, st.integers(0, 99), scales)
def test_expectations_and_covariances(case: bf.Case, seed: int, scale: float) -> None:
    forest = forest_of(case)
    every, values, others = Enumerated(forest, scale), values_of(forest, 0, 3), values_of(forest, seed, 2)
    assert forest.expectations(values, scale=scale) == pytest.approx(every.mean(values))
    assert forest.expectations(csr_array(values), scale=scale) == pytest.approx(every.mean(values))
    assert forest.expectations(values[:, 0], scale=scale) == pytest.approx(float(every.mean(values)[0]))
    assert forest.covariance(values, others, scale=scale) == pytest.approx(every.covariance(values, others))
    assert forest.covariance(values, scale=scale) == pytest.approx(every.covariance(values, values))
    single = forest.covariance(values[:, 0], others[:, 0], scale=scale)
    assert single == pytest.approx(float(every.covariance(values, others)[0, 0]))
    assert forest.entropy(scale=scale) == pytest.approx(every.entropy)
    words = np.array([len(forest.text(d).split()) for d in forest.derivations(100 * MOST)])
    assert forest.expected_length(scale=scale) == pytest.approx(every.p @ words)


QUANTITIES: dict[str, Callable[[Hypergraph, float], Quantity]] = {
    "log partition": lambda forest, scale: forest.log_partition(scale=scale),
    "entropy": lambda forest, scale: forest.entropy(scale=scale),
    "length": lambda forest, scale: forest.expected_length(scale=scale),
    "values": lambda forest, scale: forest.expectations(values_of(forest, 7), scale=scale),
}


@pytest.mark.parametrize("name", QUANTITIES)
@deterministic
@given(bf.cases, st.integers(0, 99), scales)
def test_derivatives_are_finite_differences(name: str, case: bf.Case, seed: int, scale: float) -> None:
    forest, quantity = forest_of(case), QUANTITIES[name]
    random, step = np.random.default_rng(seed), 1e-5
    direction = random.normal(size=len(forest.weights))
    here = quantity(forest, scale)
    start = forest.weights.array.copy()
    found = []
    for sign in (1, -1):
        forest.weights.array[:] = start + sign * step * direction
        forest.reweight()
        found.append(quantity(forest, scale))
    up, down = found
    assert here.gradient() @ direction == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-5)
    product = (up.gradient() - down.gradient()) / (2 * step)
    assert here.hessian_product(direction) == pytest.approx(product, rel=1e-5, abs=1e-4)


@deterministic
@given(bf.cases, st.integers(0, 99))
def test_scores_of_ones_own(case: bf.Case, seed: int) -> None:
    forest = forest_of(case)
    before, scores = forest.edges.score.copy(), values_of(forest, seed)
    other = forest.with_scores(scores)
    every = Enumerated(forest, scores=scores)
    totals = np.sort(every.counts @ scores)[::-1]
    assert [other.score(d) for d in other.derivations(100 * MOST)] == pytest.approx(totals)
    assert other.score(other.best()) == pytest.approx(totals[0])
    assert other.edge_posteriors() == pytest.approx(every.mean(np.eye(len(scores))))
    assert forest.edges.score == pytest.approx(before)
    other.reweight()
    assert other.edges.score == pytest.approx(before)


def test_probabilities_far_below_the_smallest_number() -> None:
    case = bf.Case(
        [bf.Rule("X", ("a",), (word,), ((f"f{i}", 1.0),)) for i, word in enumerate("uv")],
        ["a"] * 4,
        {"f0": -1000.0, "f1": 1000.0},
    )
    forest = case.decode()
    inside, outside = forest.inside(), forest.outside()
    assert inside[-1] == pytest.approx(4000)
    assert np.isfinite(outside).all()
    assert inside + outside == pytest.approx(np.full(len(inside), 4000.0))
    assert forest.entropy() == pytest.approx(0.0, abs=1e-9)
    assert pickle.loads(pickle.dumps(forest.entropy())) == forest.entropy()
    with pytest.raises(ValueError, match="one for each edge"):
        forest.expectations(np.zeros(1))
    with pytest.raises(ValueError, match=r"\(E, k\)"):
        forest.covariance(np.full(len(forest.edges), np.nan))


def test_samples_follow_scores_of_ones_own() -> None:
    case = bf.Case([bf.Rule("X", ("a",), (word,)) for word in "uv"], ["a"], {})
    forest = case.decode()
    scores = np.array([3.0 if "u" in forest.rule(e).target else 0.0 for e in range(len(forest.edges))])
    drawn = [forest.text(d) for d in forest.with_scores(scores).samples(400, seed=1)]
    assert drawn.count("u") / 400 == pytest.approx(1 / (1 + np.exp(-3)), abs=0.03)
