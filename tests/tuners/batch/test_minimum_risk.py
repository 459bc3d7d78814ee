"""Minimum risk: its objective against its definition and finite differences, its minimum against a search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from support.brute_force import deterministic
from support.small_pools import make_pool

from hopefear.base.arrays import Floats
from hopefear.metrics import BleuPlusOne
from hopefear.tuners import Candidates, MinimumRisk
from hopefear.tuners.batch.minimum_risk import ExpectedLoss
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import sentence_scores

numbers = st.integers(-12, 12).map(lambda n: n / 4)
vectors = st.lists(numbers, min_size=3, max_size=3)
texts = st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(" ".join)
candidates = st.lists(st.tuples(texts, vectors), max_size=5)
pools = st.tuples(st.lists(st.tuples(texts, vectors), min_size=1, max_size=5), candidates, candidates)


def objective(pool: Candidates, w: Floats, temperature: float, l2: float) -> float:
    loss = 1 - BleuPlusOne().scores(pool.statistics) / 100
    h, total, sentences = pool.dense(), 0.0, 0
    for begin, end in zip(pool.offsets, pool.offsets[1:], strict=False):
        if begin == end:
            continue
        sentences += 1
        scores = [math.exp(float(h[row] @ w)) for row in range(begin, end)]
        for row, score in zip(range(begin, end), scores, strict=True):
            p = score / sum(scores)
            total += p * (loss[row] + temperature * math.log(p))
    return total / sentences + 0.5 * l2 * float(w @ w)


@deterministic
@given(pools, vectors, st.sampled_from([0.0, 0.1, 2.0]), st.sampled_from([0.0, 0.3]))
def test_the_gradient_is_that_of_the_definition(
    found: tuple[list[tuple[str, list[float]]], ...], weights: list[float], temperature: float, l2: float
) -> None:
    pool = make_pool(list(found))
    w = np.array(weights)[pool.active]
    value, slope = ExpectedLoss(pool, 1 - sentence_scores(pool), l2)(w, temperature)
    assert value == pytest.approx(objective(pool, w, temperature, l2), abs=1e-12)
    numeric = [
        (objective(pool, w + step, temperature, l2) - objective(pool, w - step, temperature, l2)) / 2e-5
        for step in 1e-5 * np.eye(len(w))
    ]
    np.testing.assert_allclose(slope, numeric, atol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_the_minimum_is_found(seed: int) -> None:
    pool = noisy_pool(seed)
    tuner = MinimumRisk(l2=0.01, passes=1).fit_candidates(pool, np.array([-1.0, -0.2]))
    found = objective(pool, pool.weights.array, 0.0, 0.01)
    others = [
        minimize(lambda w: objective(pool, w, 0.0, 0.01), start, method="Nelder-Mead").fun
        for start in ([1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0])
    ]
    assert found == pytest.approx(min(others), abs=1e-5)
    assert tuner.passes_[0].pool_score == pytest.approx(pool.corpus_score(pool.weights.array))


def test_entropy_comes_first() -> None:
    """Hot, all candidates are alike: weights go to 0."""
    pool = noisy_pool(0)
    risk = ExpectedLoss(pool, 1 - sentence_scores(pool))
    found = minimize(risk, np.array([-1.0, -0.2]), (100.0,), jac=True, method="L-BFGS-B")
    assert np.abs(found.x).max() < 0.01
