"""PRO: its sampler against the definition, its regression against finite differences and another solver."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from hopefear.base.arrays import Floats
from hopefear.metrics import Bleu, BleuPlusOne, Chrf, Ter
from hopefear.tuners import Candidates, Pro, TuningError
from hopefear.tuners.batch.pro import fit_logistic, logistic_loss, sample_pairs
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import sentence_scores
from hopefear.tuners.pool.kbest_files import read_candidates


class Drawn(np.random.Generator):
    """Remembers what was drawn."""

    def __init__(self, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self.pairs: list[NDArray[np.int64]] = []

    def integers(self, *args: object, **options: object) -> NDArray[np.int64]:  # type: ignore[override]
        self.pairs.append(super().integers(*args, **options))  # type: ignore[call-overload]
        return self.pairs[-1]


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.4])
def test_pairs_are_those_of_the_definition(threshold: float) -> None:
    offsets = np.array([0, 40, 40, 41, 60])
    scores = np.random.default_rng(1).uniform(size=60).round(2)
    rng = Drawn(2)
    better, worse = sample_pairs(offsets, scores, rng, samples=200, kept=15, threshold=threshold)
    wanted = []
    assert len(rng.pairs) == 2  # sentences of no or one candidate have no pair
    for (begin, end), (first, second) in zip([(0, 40), (41, 60)], rng.pairs, strict=True):
        assert len(first) == 200
        assert min(first.min(), second.min()) >= begin and max(first.max(), second.max()) < end
        pool = []
        for j, other in zip(first, second, strict=True):
            difference = abs(scores[j] - scores[other])
            if difference >= threshold and difference > 0:
                pool.append((difference, (j, other) if scores[j] > scores[other] else (other, j)))
        pool.sort(key=lambda pair: -pair[0])
        wanted += [pair for _, pair in pool[:15]]
    assert list(zip(better, worse, strict=True)) == wanted


def test_pairs_are_drawn_uniformly() -> None:
    rng = np.random.default_rng(0)
    scores = np.arange(4.0)
    better, worse = sample_pairs(np.array([0, 4]), scores, rng, samples=60_000, kept=60_000, threshold=0.0)
    counts = np.bincount(4 * better + worse, minlength=16).reshape(4, 4)
    # Each of the six pairs is 2 in 16 draws.
    np.testing.assert_allclose(counts[np.tril_indices(4, -1)], 60_000 / 8, rtol=0.05)
    assert counts.sum() == counts[np.tril_indices(4, -1)].sum()


@pytest.fixture
def differences() -> sparse.csr_matrix:
    return sparse.random(40, 6, 0.6, "csr", rng=np.random.default_rng(3)) * 4 - sparse.random(
        40, 6, 0.6, "csr", rng=np.random.default_rng(4)
    )


@pytest.mark.parametrize("l2", [0.01, 1.0])
def test_the_gradient_is_that_of_the_loss(differences: sparse.csr_matrix, l2: float) -> None:
    rng = np.random.default_rng(0)
    for scale in (0.1, 1.0, 30.0):
        w = scale * rng.normal(size=6)
        _, gradient = logistic_loss(w, differences, differences.T.tocsr(), l2)

        def value(w: Floats) -> float:
            x = differences.toarray()
            return sum(np.log1p(np.exp(-m)) if m > -30 else -m for m in x @ w) + l2 / 2 * w @ w

        steps = 1e-5 * np.eye(6)
        numeric = [(value(w + step) - value(w - step)) / 2e-5 for step in steps]
        np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-5)


def test_the_fit_is_the_minimum(differences: sparse.csr_matrix) -> None:
    x = differences.toarray()

    def loss(w: Floats) -> float:
        return float(np.sum(np.logaddexp(0, -(x @ w))) + 0.25 * w @ w)

    wanted = minimize(loss, np.zeros(6), method="Powell", options={"xtol": 1e-9, "ftol": 1e-13})
    fitted = fit_logistic(differences, 0.5, np.ones(6))
    assert loss(fitted) == pytest.approx(wanted.fun, rel=1e-7)
    np.testing.assert_allclose(fitted, wanted.x, atol=1e-3)


def test_weights_are_interpolated() -> None:
    start = np.array([3.0, -2.0])
    whole = dict(Pro(passes=1, interpolation=1.0).fit_candidates(noisy_pool(1), start).weights_)
    part = Pro(passes=1, interpolation=0.1).fit_candidates(noisy_pool(1), start).weights_
    assert part["Good"] == pytest.approx(0.1 * whole["Good"] + 0.9 * 3)
    assert part["Bad"] == pytest.approx(0.1 * whole["Bad"] - 0.9 * 2)


def test_candidates_are_scored_as_sentences() -> None:
    pool = noisy_pool(0)
    np.testing.assert_allclose(sentence_scores(pool), BleuPlusOne().scores(pool.statistics) / 100)
    grounded = BleuPlusOne(grounded=True)
    np.testing.assert_allclose(sentence_scores(pool, grounded), grounded.scores(pool.statistics) / 100)
    errors = Candidates(Ter(), [["a b"]])
    assert len(sentence_scores(errors)) == 0
    with pytest.raises(ValueError, match=r"sentence_metric must use the statistics of BLEU.*chrF"):
        sentence_scores(pool, Chrf())


def test_nothing_to_rank_is_refused() -> None:
    with pytest.raises(TuningError, match=r"differ by 2.0 in score: lower the threshold"):
        Pro(threshold=2.0).fit_candidates(noisy_pool(0))


def test_real_lists_get_better(shared: Path) -> None:
    folder = shared / "data" / "kbest"
    references = [[line.lower()] for line in (folder / "reference.txt").read_text().splitlines()[:100]]
    pool = read_candidates([folder / "nbest.out"], references, Bleu())
    tuner = Pro(passes=2).fit_candidates(pool)
    assert tuner.passes_[0].score + 1 < tuner.passes_[-1].pool_score
