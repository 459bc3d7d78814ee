"""The structural SVM as a tuner, and its settings by cross-validation."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from support.small_pools import KNOWN, make_pool

from hopefear.base import InputError
from hopefear.base.state import load
from hopefear.decoder import KBestList
from hopefear.metrics import Bleu, BleuPlusOne, Ter
from hopefear.tuners import Candidates, StructuralSvm, TuningError, choose_by_cross_validation
from hopefear.tuners.batch.cutting_plane import train_one_slack
from hopefear.tuners.batch.structural_svm import sentence_oracles
from hopefear.tuners.batch.svm_objective import OneSlack, SentenceLoss
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import oracle_configuration

SETTINGS = [
    {"formulation": "one-slack", "optimizer": "line-search"},
    {"formulation": "one-slack", "optimizer": "cutting-plane", "Q": 100.0},
    {"formulation": "sentence-slack", "optimizer": "line-search", "Q": 2000.0},
    {"formulation": "sentence-slack", "optimizer": "cutting-plane", "Q": 2000.0},
    {"formulation": "sentence-slack", "optimizer": "cutting-plane", "Q": 500.0, "per_sentence": True},
    {"formulation": "sentence-slack", "optimizer": "line-search", "Q": 1000.0, "loss": "sentence"},
    {"formulation": "sentence-slack", "optimizer": "cutting-plane", "Q": 1000.0, "loss": "sentence"},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(("metric", "best"), [(Bleu(), 100.0), (Ter(), 0.0)])
def test_the_known_optimum_is_found(settings: dict[str, object], metric: Bleu | Ter, best: float) -> None:
    pool = make_pool(KNOWN, metric)
    start = np.array([-1.0, 1.0, -1.0])
    assert pool.corpus_score(start) != best
    # With next to no regulariser: where weights are right about all, the hinge can be 0.
    StructuralSvm(**settings, lam=1e-6).fit_candidates(pool, start)
    assert pool.corpus_score(pool.weights.array) == best


def test_the_tuner_solves_the_problem_of_cutting_planes() -> None:
    pool = noisy_pool(5)
    tuner = StructuralSvm(optimizer="cutting-plane", Q=50.0, passes=1, epsilon=1e-6)
    start = np.array([-1.0, -0.2])
    oracle = oracle_configuration(pool, pool.scores(start))
    expected = train_one_slack(OneSlack(pool, oracle, 1.0, 50.0), 1e-6, 200)
    tuner.fit_candidates(pool, start)
    np.testing.assert_array_equal(pool.weights.array, expected.weights)


def test_weights_of_features_without_candidates_stay() -> None:
    for settings in SETTINGS:
        pool = make_pool(KNOWN)
        other = pool.weights.id("other")
        StructuralSvm(**settings).fit_candidates(pool, np.array([-1.0, 1.0, -1.0, 0.25]))
        assert pool.weights.array[other] == 0.25


def test_q_grows_with_the_sentences() -> None:
    learned = []
    for settings in ({"Q": 40.0}, {"Q": 2.0, "per_sentence": True}):
        pool = noisy_pool(0)
        tuner = StructuralSvm(formulation="sentence-slack", optimizer="cutting-plane", passes=1, **settings)
        tuner.fit_candidates(pool, np.ones(2))
        learned.append(pool.weights.array.copy())
    assert pool.segments == 20
    np.testing.assert_array_equal(*learned)


def test_the_loss_of_a_sentence_is_what_its_bleu_plus_one_lacks() -> None:
    pool = noisy_pool(3)
    oracle = sentence_oracles(pool, pool.scores(np.ones(2)))
    losses = SentenceLoss(pool, oracle, 1.0, 100.0).losses
    scores = np.array([BleuPlusOne().score(row) for row in pool.statistics])
    for begin, end in pairwise(pool.offsets.tolist()):
        np.testing.assert_allclose(losses[begin:end], scores[begin:end].max() - scores[begin:end], atol=1e-9)
    assert np.all(losses[oracle] == 0)


def test_only_sentences_with_a_slack_have_a_loss_of_their_own() -> None:
    for settings in ({"loss": "sentence"}, {"per_sentence": True}):
        with pytest.raises(ValueError, match="need formulation=sentence-slack"):
            StructuralSvm(**settings).fit_candidates(noisy_pool(0))


def test_weights_that_are_no_better_than_zeros_are_an_error() -> None:
    # In each direction one oracle is worse than "d", and that both are "d" costs as much in all of them.
    zero, one = [0.0, 0, 0], [1.0, 0, 0]
    pool = make_pool([[("a b c d e", zero), ("d", one)], [("a a b b", one), ("d", zero)]], Bleu())
    tuner = StructuralSvm(optimizer="cutting-plane", Q=1.0, passes=1)
    with pytest.raises(TuningError, match="expected weights with a smaller objective than zeros"):
        tuner.fit_candidates(pool, np.ones(3))


def test_configurations_without_4_grams_on_both_sides_are_an_error() -> None:
    found = [("a b c d e", [0.0] * 3), ("a b c", [1.0, 0, 0]), ("b c d", [-1.0, 0, 0])]
    tuner = StructuralSvm(optimizer="cutting-plane", Q=10.0)
    with pytest.raises(TuningError, match="expected weights with a smaller objective than zeros"):
        tuner.fit_candidates(make_pool([found], Bleu()), np.ones(3))
    # There is none on the other side.
    assert tuner.fit_candidates(make_pool([found[:2]], Bleu()), np.ones(3)).weights_["f0"] < 0


def test_a_larger_lambda_makes_shorter_weights() -> None:
    lengths = []
    for lam in (0.1, 10.0, 1000.0):
        pool = noisy_pool(0)
        StructuralSvm(optimizer="cutting-plane", lam=lam, Q=100.0, passes=1).fit_candidates(pool, np.ones(2))
        lengths.append(float(np.linalg.norm(pool.weights.array)))
    assert lengths[0] > lengths[1] > lengths[2] > 0


def test_many_features_are_for_cutting_planes() -> None:
    def pool() -> Candidates:
        many = np.arange(600, dtype=np.int32)
        pool = Candidates(Bleu(smoothing="add-one"), [["a b"]])
        pool.weights.update({f"f{i}": 1.0 for i in many})
        values = np.concatenate((np.ones(600), np.zeros(600)))
        pool.merge([(0, KBestList(["a b", "c"], np.array([0, 600, 1200]), np.tile(many, 2), values))])
        return pool

    with pytest.raises(TuningError, match="at most 500 features for line searches, got 600"):
        StructuralSvm().fit_candidates(pool())
    tuner = StructuralSvm(optimizer="cutting-plane").fit_candidates(pool())
    assert tuner.score_per_pass_[-1] > 90


def test_cross_validation_scores_what_was_not_seen() -> None:
    pool = noisy_pool(1)
    start = np.array([-1.0, -0.2])
    before = pool.weights.array.copy()
    grid = [{"lam": lam, "Q": 100.0} for lam in (1e-3, 1e8)]
    make = partial(StructuralSvm, optimizer="cutting-plane", passes=1)
    found = choose_by_cross_validation(make, pool, grid, weights=start, folds=4, seed=3)
    np.testing.assert_array_equal(pool.weights.array, before)
    assert len(pool) == 600
    assert found.grid == grid
    assert found.best == grid[int(np.argmax(found.scores))]

    # The same by hand, with pools built from nothing but the rows of some segments.
    dealt = np.random.default_rng(3).permutation(20)
    for settings, score in zip(grid, found.scores, strict=True):
        total = np.zeros(pool.metric.size)
        for fold in range(4):
            held_out = set(dealt[fold::4].tolist())
            part = Candidates(Bleu(), [["a"]] * (20 - len(held_out)), noisy_pool(1).weights)
            rows = np.flatnonzero([s not in held_out for s in pool.segment_of])
            kept = pool.matrix[rows]
            arrays = {
                "offsets": np.arange(0, len(rows) + 1, 30),
                "indptr": kept.indptr.astype(np.int64),
                "features": kept.indices.astype(np.int32),
                "values": kept.data,
                "statistics": pool.statistics[rows],
                "keys": np.arange(len(rows), dtype=np.uint64),
            }
            load(part, {"facts": {}, "arrays": arrays}, what="a pool")
            make(**settings).fit_candidates(part, start.copy())
            scores = pool.scores(part.weights.array)
            for segment in held_out:
                begin, end = pool.offsets[segment : segment + 2]
                total += pool.statistics[begin + int(np.argmax(scores[begin:end]))]
        assert score == pytest.approx(pool.metric.score(total))


def test_cross_validation_is_for_several_segments_and_some_settings() -> None:
    pool = make_pool([KNOWN[0], [], []])
    with pytest.raises(InputError, match="at least 2 segments, got 1"):
        choose_by_cross_validation(StructuralSvm, pool, [{}])
    with pytest.raises(ValueError, match="grid"):
        choose_by_cross_validation(StructuralSvm, pool, [])
    with pytest.raises(ValueError, match="folds"):
        choose_by_cross_validation(StructuralSvm, pool, [{}], folds=1)
