"""Greedy oracle configurations against all configurations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.small_pools import make_pool

from hopefear.metrics import Bleu, Metric, Ter
from hopefear.tuners import Candidates
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import greedy_configuration, oracle_configuration, sentence_scores

TEXTS = ["a b c d e", "a b c", "e d c b", "c c c", "c c c d", "b a f", "a a b b", "d"]
candidate = st.tuples(st.sampled_from(TEXTS), st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3))
lists = st.lists(st.lists(candidate, max_size=5), min_size=3, max_size=3)
SMOOTHED = Bleu(smoothing="add-one")


def quality(pool: Candidates, rows: object) -> float:
    return float(pool.metric.quality(pool.statistics[np.array(rows)].sum(axis=0)))


def configurations(pool: Candidates) -> list[tuple[int, ...]]:
    segments = [range(b, e) for b, e in zip(pool.offsets, pool.offsets[1:], strict=False) if e > b]
    return list(itertools.product(*segments))


@given(lists, st.sampled_from([SMOOTHED, Bleu(), Ter()]))
@settings(derandomize=True, max_examples=150)
def test_no_change_in_one_segment_is_better(
    found: list[list[tuple[str, list[float]]]], metric: Metric
) -> None:
    pool = make_pool(found, metric)
    assume(len(pool))
    rows = oracle_configuration(pool, np.zeros(len(pool)))
    reached = quality(pool, rows)
    assert reached >= quality(pool, pool.best(sentence_scores(pool))) - 1e-6
    everything = configurations(pool)
    assert tuple(rows.tolist()) in everything
    assert reached <= max(quality(pool, other) for other in everything) + 1e-6
    for other in everything:
        if np.count_nonzero(np.array(other) != rows) == 1:
            assert quality(pool, other) <= reached + 1e-6
    if isinstance(metric, Ter):  # the score is a sum over sentences: greedy search is exact
        assert reached == pytest.approx(max(quality(pool, other) for other in everything))


def test_of_the_same_statistics_the_highest_score_is_the_oracle() -> None:
    pool = make_pool([[("a b c", [0.0, 0, 1]), ("a b c", [1.0, 0, 0]), ("d", [9.0, 9, 9])], [], []])
    assert oracle_configuration(pool, pool.scores(np.array([1.0, 0, 0]))).tolist() == [1]
    assert oracle_configuration(pool, pool.scores(np.array([0.0, 0, 1]))).tolist() == [0]


def test_it_is_above_what_weights_can_choose() -> None:
    pool = noisy_pool(0)
    rows = oracle_configuration(pool, np.zeros(len(pool)))
    assert quality(pool, rows) > pool.corpus_score(np.array([1.0, -0.5]))


@given(lists, st.lists(st.integers(-20, 20).map(float), min_size=15, max_size=15))
@settings(derandomize=True, max_examples=60)
def test_the_search_takes_in_a_bonus(found: list[list[tuple[str, list[float]]]], extra: list[float]) -> None:
    pool = make_pool(found, Ter())
    assume(len(pool))
    bonus = np.array(extra[: len(pool)])
    rows = greedy_configuration(pool, pool.best(bonus), scale=-0.5, bonus=bonus)
    best = max(-0.5 * quality(pool, c) + bonus[list(c)].sum() for c in configurations(pool))
    assert -0.5 * quality(pool, rows) + bonus[rows].sum() == pytest.approx(best)
