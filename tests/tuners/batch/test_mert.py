"""MERT on k-best lists and forests where the best weights are known."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from support.small_pools import KNOWN, make_pool

from hopefear import Decoder, Segment
from hopefear.metrics import Bleu, Ter
from hopefear.tuners import Candidates, ErrorSurface, ForestMert, Mert, TuningError
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import SoftmaxObjective
from hopefear.tuners.pool.softmax_objective import gradient


@pytest.mark.parametrize(("metric", "best"), [(Bleu(), 100.0), (Ter(), 0.0)])
def test_the_known_optimum_is_found(metric: Bleu | Ter, best: float) -> None:
    pool = make_pool(KNOWN, metric)
    start = np.array([-1.0, 1.0, -1.0])
    assert pool.corpus_score(start) != best
    tuner = Mert().fit_candidates(pool, start)
    assert pool.corpus_score(pool.weights.array) == best
    assert tuner.score_per_pass_[-1] == best
    # The length of the weights stays, for only their direction counts.
    assert np.linalg.norm(pool.weights.array) == pytest.approx(math.sqrt(3))


def test_only_named_features_change() -> None:
    pool = make_pool(KNOWN)
    Mert(features=["f0", "f2"]).fit_candidates(pool, np.array([-1.0, 1.0, -1.0]))
    assert pool.weights["f1"] == 1.0
    assert pool.corpus_score(pool.weights.array) == 100.0


@pytest.mark.parametrize("settings", [{}, {"directions": 2}, {"window": 2}, {"start": "uniform"}])
def test_the_scale_of_the_features_changes_nothing(settings: dict[str, object]) -> None:
    start, chosen = np.array([-1.0, -0.2]), []
    for scale in (np.ones(2), np.full(2, 64.0), np.array([0.25, 1024.0])):  # powers of 2: no rounding
        pool = noisy_pool(1)
        pool.values *= scale[pool.features]
        # Where all features are scaled alike the start may stay; else it is the same model as before.
        own = start if scale[0] == scale[1] else start / scale
        Mert(seed=5, **settings).fit_candidates(pool, own.copy())
        chosen.append(pool.best(pool.scores(pool.weights.array)).tolist())
    assert chosen[0] == chosen[1] == chosen[2]


def test_weights_of_which_none_are_better_stay_as_they_are() -> None:
    pool = make_pool(KNOWN)
    best = np.array([7.0, 0.0, 5.0])
    assert pool.corpus_score(best) == 100.0
    tuner = Mert().fit_candidates(pool, best.copy())
    np.testing.assert_array_equal(pool.weights.array, best)
    assert len(tuner.passes_) == 1


def test_weights_of_zero_are_left() -> None:
    pool = make_pool(KNOWN)
    Mert(restarts=0).fit_candidates(pool, np.zeros(3))
    assert pool.corpus_score(pool.weights.array) > 60


def test_restarts_do_no_harm_and_find_more() -> None:
    scores = []
    for restarts in (0, 10):
        pool = noisy_pool(2)
        Mert(restarts=restarts, passes=1).fit_candidates(pool, np.array([-1.0, -0.2]))
        scores.append(pool.corpus_score(pool.weights.array))
    assert scores[1] >= scores[0]


def test_the_smoothed_objective_is_the_metric_of_the_expected_statistics() -> None:
    pool = make_pool(KNOWN)
    weights, alpha = np.array([0.5, -0.25, 0.75]), 1.7
    objective = SoftmaxObjective(ErrorSurface(pool, weights), alpha)
    surface = ErrorSurface(pool, weights)
    expected = np.zeros(10)
    for begin, end in zip(pool.offsets, pool.offsets[1:], strict=False):
        rows = range(begin, end)
        h = pool.matrix.toarray()
        scores = [alpha * float(h[row] @ weights) for row in rows]
        total = math.fsum(map(math.exp, scores))
        for row, score in zip(rows, scores, strict=True):
            expected += math.exp(score) / total * pool.statistics[row]
    value, slope = objective(surface.position())
    assert value == pytest.approx(pool.metric.score(expected))

    z, width = surface.position(), 1e-5
    for i in range(3):
        up, down = z.copy(), z.copy()
        up[i] += width
        down[i] -= width
        assert slope[i] == pytest.approx((objective(up)[0] - objective(down)[0]) / (2 * width), rel=1e-4)


def test_the_smoothed_objective_comes_near_to_the_metric() -> None:
    pool = make_pool(KNOWN)
    weights = np.array([0.5, -0.25, 0.75])
    sharp = SoftmaxObjective(ErrorSurface(pool, weights), 1e4)
    assert sharp(ErrorSurface(pool, weights).position())[0] == pytest.approx(pool.corpus_score(weights))


def test_the_gradient_by_sums_takes_sums_of_zero() -> None:
    sums = np.array([0.0, 10.0])
    np.testing.assert_allclose(gradient(Ter(), sums), [-10.0, 0.0], rtol=1e-3, atol=1e-9)


def test_scores_that_overflow_are_refused() -> None:
    with pytest.raises(TuningError, match="finite"):
        Mert().fit_candidates(make_pool(KNOWN, scale=1e300), np.full(3, 1e300))


def test_the_search_on_forests_sees_what_k_best_lists_lack(tmp_path: Path) -> None:
    # The 2-best list knows no z, but the forest does.
    rules = [f"[X] ||| a ||| {w} ||| {h}" for w, h in [("x", "F=3"), ("y", "F=2.9 G=0.1"), ("z", "G=1")]]
    (tmp_path / "grammar").write_text("\n".join(rules) + "\n")
    corpus = [Segment(("a", "a", "a", "a"), id=0, index=0, references=("z z z z",))]

    def tuned(kind: type[Mert]) -> tuple[str, Candidates]:
        decoder = Decoder(formalism="scfg", grammar=tmp_path / "grammar", weights={"F": 1.0, "G": -1.0})
        tuner = kind(k=2, passes=1, restarts=0).fit(decoder, corpus)
        return decoder.translate(corpus[0]).viterbi(), tuner.pool_

    translation, pool = tuned(ForestMert)
    assert translation == "z z z z"
    assert len(pool) > 2
    assert tuned(Mert)[0] != "z z z z"


def test_the_pool_of_a_search_on_forests_has_their_best_translations(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    targets = ["u", "v", "w", "u v", "w u", "v v w"]
    rules = [
        f"[X] ||| {source} ||| {target} ||| "
        + " ".join(f"{name}={value}" for name, value in zip("FGH", rng.normal(size=3), strict=True))
        for source in ("a", "b", "a b", "b a", "a [X,1]", "[X,1] b [X,2]")
        for target in [
            " ".join([*words.split(), *(f"[{i + 1}]" for i in range(source.count("X")))]) for words in targets
        ]
    ]
    (tmp_path / "grammar").write_text("\n".join(rules) + "\n")
    sources = ["a b a", "b a b a", "a a b", "b b a b"]
    corpus = [
        Segment(tuple(source.split()), id=i, index=i, references=(" ".join(rng.choice(list("uvw"), 5)),))
        for i, source in enumerate(sources)
    ]
    start = {"F": 1.0, "G": -1.0, "H": 0.5}
    decoder = Decoder(formalism="scfg", grammar=tmp_path / "grammar", weights=start)
    tuner = ForestMert(k=5, passes=1, metric=Bleu(smoothing="add-one"), threads=2).fit(decoder, corpus)
    # There is no language model, so that the learned weights find the same forests again.
    found = [decoder.translate(segment).viterbi() for segment in corpus]
    total = sum(Bleu().stats(text, segment.references) for text, segment in zip(found, corpus, strict=True))
    assert Bleu(smoothing="add-one").score(total) == pytest.approx(tuner.passes_[0].pool_score)
    assert tuner.passes_[0].pool_score > tuner.passes_[0].score
