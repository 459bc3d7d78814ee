"""Line search on k-best lists against evaluation in every interval."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.small_pools import make_pool

from hopefear.decoder import KBestList
from hopefear.metrics import Bleu, Metric, Ter
from hopefear.tuners import Candidates, ErrorSurface, Intervals, TuningError, search_line, smooth

TEXTS = ["a b c d e", "a b c", "e d c b", "c c c", "c c c d", "b a f", "a a b b", "d"]

candidate = st.tuples(st.sampled_from(TEXTS), st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3))
lists = st.lists(st.lists(candidate, max_size=6), min_size=3, max_size=3)
vectors = st.lists(st.integers(-3, 3).map(float), min_size=3, max_size=3).map(np.array)


@given(lists, vectors, vectors, st.sampled_from([Bleu(smoothing="add-one"), Ter()]))
@settings(derandomize=True, max_examples=150)
def test_the_optimum_is_that_of_all_breakpoints(
    found: list[list[tuple[str, list[float]]]], weights: np.ndarray, direction: np.ndarray, metric: Metric
) -> None:
    pool = make_pool(found, metric)
    intervals = search_line(pool, weights, direction)
    assert np.all(np.diff(intervals.boundaries) > 0)
    optimum = intervals.best(metric.quality(intervals.sums))

    # All crossings of any two candidates of a segment, and a step between each two of them.
    slopes, scores = pool.scores(direction), pool.scores(weights)
    crossings = set()
    for begin, end in zip(pool.offsets, pool.offsets[1:], strict=False):
        for i in range(begin, end):
            for j in range(begin, i):
                if slopes[i] != slopes[j]:
                    crossings.add((scores[j] - scores[i]) / (slopes[i] - slopes[j]))
    edges = sorted(crossings) or [0.0]
    steps = [edges[0] - 1, *((a + b) / 2 for a, b in pairwise(edges)), edges[-1] + 1]
    steps = [step for step in steps if min(abs(step - edge) for edge in edges) > 1e-9 or not crossings]

    def quality(step: float) -> float:
        sign = 1 if metric.higher_is_better else -1
        return sign * pool.corpus_score(weights + step * direction)

    for step in steps:
        assert float(metric.quality(intervals.sums[intervals.at(step)])) == pytest.approx(quality(step))
    assert optimum.value == pytest.approx(max(map(quality, steps)))
    if not any(abs(optimum.step - edge) < 1e-9 for edge in edges):
        assert quality(optimum.step) == pytest.approx(optimum.value)
    assert intervals.at(optimum.step) == optimum.interval


def test_the_step_is_the_middle_of_the_widest_best_interval() -> None:
    intervals = Intervals(np.array([-4.0, -3.0, 1.0, 9.0]), np.zeros((5, 1)))
    assert intervals.best(np.array([0.0, 2, 1, 0, 0])).step == -3.5
    assert intervals.best(np.array([0.0, 2, 2, 0, 0])).step == -1.0
    assert intervals.best(np.array([0.0, 2, 2, 2, 0])).step == 5.0
    assert intervals.best(np.array([0.0, 0, 3, 0, 0])).value == 3.0


def test_a_boundary_touches_two_intervals() -> None:
    intervals = Intervals(np.array([-4.0, 9.0]), np.zeros((3, 1)))
    assert [intervals.touching(step) for step in (-5.0, -4.0, 0.0, 9.0)] == [
        slice(0, 1),
        slice(0, 2),
        slice(1, 2),
        slice(1, 3),
    ]


def test_open_intervals_have_a_step_at_some_distance() -> None:
    intervals = Intervals(np.array([-4.0, 9.0]), np.zeros((3, 1)))
    assert intervals.best(np.array([1.0, 0, 0])).step == -8.0
    assert intervals.best(np.array([0.0, 0, 1])).step == 18.0
    # Here step 0 is in the open interval, and far from its end.
    assert Intervals(np.array([5.0]), np.zeros((2, 1))).best(np.array([1.0, 0])).step == 0.0
    # Here it is not far: at least `reach`.
    assert Intervals(np.array([0.01]), np.zeros((2, 1))).best(np.array([0.0, 1]), reach=0.5).step == 0.51
    assert Intervals(np.zeros(0), np.zeros((1, 1))).best(np.zeros(1)).step == 0.0


@given(st.lists(st.integers(-9, 9).map(float), min_size=1, max_size=12), st.integers(0, 4))
def test_windows(values: list[float], window: int) -> None:
    around = [values[max(0, i - window) : i + window + 1] for i in range(len(values))]
    array = np.array(values)
    np.testing.assert_array_equal(smooth(array, window, "minimum"), [min(own) for own in around])
    np.testing.assert_allclose(
        smooth(array, window, "average"), [sum(own) / len(own) for own in around], atol=1e-12
    )


def test_scores_that_are_not_finite_are_refused() -> None:
    pool = make_pool([[("a b", [1, 0, 0]), ("a", [0, 1, 0])], [], []])
    with pytest.raises(TuningError, match="finite"):
        search_line(pool, np.array([np.inf, 0, 0]), np.ones(3))


@given(lists, vectors, vectors)
@settings(derandomize=True, max_examples=60)
def test_a_surface_cuts_the_same_lines(
    found: list[list[tuple[str, list[float]]]], weights: np.ndarray, change: np.ndarray
) -> None:
    pool = make_pool(found)
    assume(len(pool))
    surface = ErrorSurface(pool, weights)
    assume(len(surface.features))
    np.testing.assert_allclose(surface.weights(surface.position()), weights)
    d = change[surface.features]
    direction = surface.direction(d)
    (ours,), theirs = surface.lines.cut(d), search_line(pool, weights, direction)
    surface.lines.move(d, 0.75)
    np.testing.assert_allclose(surface.weights(surface.z), weights + 0.75 * direction, atol=1e-12)
    moved = search_line(pool, weights + 0.75 * direction, direction)
    edges = np.append(
        theirs.boundaries, moved.boundaries + 0.75
    )  # where candidates are equal but for rounding
    for step, sums in zip(theirs.middles(), theirs.sums, strict=True):
        if not np.any(np.abs(edges - step) < 1e-6):
            np.testing.assert_allclose(ours.sums[ours.at(step)], sums)
            np.testing.assert_allclose(moved.sums[moved.at(step - 0.75)], sums)


def test_a_surface_is_of_few_features_that_are_known() -> None:
    pool = make_pool([[("a b", [1, 0, 2]), ("a", [0, 1, 2])], [], []])
    assert ErrorSurface(pool, np.ones(3)).features.tolist() == [0, 1]  # f2 is the same everywhere
    assert ErrorSurface(pool, np.ones(3), ["f1"]).features.tolist() == [1]
    with pytest.raises(TuningError, match="no candidate has the feature Other"):
        ErrorSurface(pool, np.ones(3), ["Other"])


def test_too_many_features_are_refused() -> None:
    pool = Candidates(Bleu(), [["a"]])
    many = np.arange(501, dtype=np.int32)
    pool.weights.update({f"f{i}": 1.0 for i in many})
    pool.merge([(0, KBestList(["a", "b"], np.array([0, 501, 501]), many, np.ones(501)))])
    with pytest.raises(TuningError, match="at most 500 features for line searches, got 501"):
        ErrorSurface(pool, pool.weights.array)
