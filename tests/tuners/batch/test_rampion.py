"""Rampion against the loops of the paper in plain numpy, and its steps against finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from hopefear.base.arrays import Floats
from hopefear.metrics import BleuPlusOne
from hopefear.tuners import Candidates, Rampion
from hopefear.tuners.batch.rampion import ConvexRamp
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import sentence_scores

START = np.array([-1.0, -0.2])


def pieces(pool: Candidates) -> list[tuple[Floats, Floats]]:
    h, cost = pool.dense(), 10 * (1 - BleuPlusOne().scores(pool.statistics) / 100)
    return [(h[b:e], cost[b:e]) for b, e in zip(pool.offsets, pool.offsets[1:], strict=False)]


def convex(pool: Candidates, w: Floats, hope: list[int], C: float) -> float:
    losses = [(h @ w + cost).max() - h[best] @ w for (h, cost), best in zip(pieces(pool), hope, strict=True)]
    return float(sum(losses) + 0.5 * C * ((w - START) ** 2).sum())


@pytest.mark.parametrize("C", [0.0, 1.0, 40.0])
def test_the_loops_are_those_of_the_paper(C: float) -> None:
    pool = noisy_pool(2)
    learned = Rampion(passes=1, rounds=3, epochs=2, rate=0.01, C=C, seed=5).fit_candidates(pool, START)
    rng = np.random.default_rng([5, 1])
    w, choices, sentences = START.copy(), [START], pieces(pool)
    for _ in range(3):
        hope = [int(np.argmax(h @ w - cost)) for h, cost in sentences]
        for _ in range(2):
            for i in rng.permutation(len(sentences)):
                h, cost = sentences[i]
                fear = int(np.argmax(h @ w + cost))
                shrunk = START + (1 - 0.01 * C / len(sentences)) * (w - START)
                w = shrunk + 0.01 * (h[hope[i]] - h[fear])
        choices.append(w)
    best = max(choices, key=pool.corpus_score)
    assert pool.corpus_score(best) > pool.corpus_score(START)
    assert learned.weights_ == pytest.approx({"Good": best[0], "Bad": best[1]})


@pytest.mark.parametrize("seed", range(4))
def test_an_epoch_of_small_steps_follows_the_gradient(seed: int) -> None:
    pool = noisy_pool(seed)
    rate, C = 1e-7, 3.0
    hope = [int(np.argmax(h @ START - cost)) for h, cost in pieces(pool)]
    numeric = [
        (convex(pool, START + step, hope, C) - convex(pool, START - step, hope, C)) / 2e-6
        for step in 1e-6 * np.eye(2)
    ]
    ramp = ConvexRamp(pool, 10 * (1 - sentence_scores(pool)), START, rate, C)
    ramp.descend(pool.offsets[:-1] + hope, np.arange(pool.segments))
    # The regularisation has no gradient yet at the start.
    np.testing.assert_allclose((ramp.weights - START) / -rate, numeric, rtol=1e-4)


def test_weights_that_do_better_are_kept() -> None:
    pool = noisy_pool(1)
    Rampion(rate=0.01).fit_candidates(pool, START)
    learned, score = pool.weights.array.copy(), pool.corpus_score(pool.weights.array)
    Rampion(rate=0.01, passes=1, seed=9).fit_candidates(pool)
    assert pool.corpus_score(pool.weights.array) >= score
    if pool.corpus_score(pool.weights.array) == score:
        np.testing.assert_array_equal(pool.weights.array, learned)
