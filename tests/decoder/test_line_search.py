"""What is best along a line through the weights, against all derivations of small forests one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, all_derivations, decode, deterministic

from hopefear.base import ParseFailed
from hopefear.decoder import derivation_list, forest_envelope, sweep_lines


@given(bf.cases, bf.weights)
@deterministic
def test_every_derivation_of_the_envelope_is_the_best_there(
    case: bf.Case, direction: dict[str, float]
) -> None:
    try:
        forest = case.decode()
    except ParseFailed:
        assume(False)
    assume(forest.npaths <= MOST)
    vectors = [np.zeros(len(forest.weights)) for _ in range(2)]
    for vector, values in zip(vectors, (case.weights, direction), strict=True):
        for name, value in values.items():
            vector[forest.weights.id(name)] = value
    found = forest_envelope(forest, *vectors)

    everything = all_derivations(forest)
    slopes = np.array([d.score(direction) for d in everything])
    scores = np.array([d.score(case.weights) for d in everything])
    assert found.starts[0] == -np.inf
    assert np.all(np.diff(found.starts) > 0)
    edges = np.concatenate(([found.starts[1] - 2 if len(found.starts) > 1 else -1], found.starts[1:]))
    steps = (edges + np.append(edges[1:], edges[-1] + 2)) / 2
    for step, slope, score, derivation in zip(
        steps, found.slopes, found.intercepts, found.derivations, strict=True
    ):
        own = bf.make_derivation((), tuple(forest.features(derivation).items()))
        assert own.score(direction) == pytest.approx(slope)
        assert own.score(case.weights) == pytest.approx(score)
        assert score + step * slope == pytest.approx(float(np.max(scores + step * slopes)))
    # At the boundaries too, where two derivations are equally good.
    for start, slope, score in zip(found.starts[1:], found.slopes[1:], found.intercepts[1:], strict=True):
        assert score + start * slope == pytest.approx(float(np.max(scores + start * slopes)))

    listed = derivation_list(forest, found.derivations)
    assert listed.texts == [forest.text(derivation) for derivation in found.derivations]
    np.testing.assert_allclose(listed.scores(vectors[1]), found.slopes, atol=1e-9)


def test_features_behind_the_end_of_a_direction_count_as_zero() -> None:
    forest = decode([bf.Rule("X", ("a",), ("u",), (("f0", 2.0),))], "a", {"f0": 1.0})
    found = forest_envelope(forest, forest.weights.array, np.zeros(0))
    np.testing.assert_array_equal(found.slopes, [0.0])
    np.testing.assert_array_equal(found.intercepts, [2.0])


def test_scores_that_are_not_finite_are_refused() -> None:
    forest = decode([bf.Rule("X", ("a",), ("u",), (("f0", 2.0),))], "a", {"f0": 1.0})
    with pytest.raises(ValueError, match="expected a finite score"):
        forest_envelope(forest, np.full(len(forest.weights), np.inf), np.zeros(0))
    with pytest.raises(ValueError, match="expected finite"):
        sweep_lines(np.array([np.nan]), np.zeros(1), np.array([0, 1]), np.ones((1, 1)))


@pytest.mark.parametrize(
    ("offsets", "rows", "message"),
    [([0, 1], 2, "ascending"), ([1, 2], 2, "ascending"), ([], 2, "ascending"), ([0, 2], 3, "every line")],
)
def test_arrays_that_do_not_fit_together_are_refused(offsets: list[int], rows: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sweep_lines(np.zeros(2), np.zeros(2), np.array(offsets, np.int64), np.ones((rows, 1)))


@given(
    st.lists(
        st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 2)), max_size=6),
        min_size=1,
        max_size=4,
    )
)
@deterministic
def test_sums_are_those_of_the_highest_lines(groups: list[list[tuple[int, int, int]]]) -> None:
    lines = np.array([line for group in groups for line in group], np.float64).reshape(-1, 3)
    offsets = np.cumsum([0, *map(len, groups)])
    boundaries, sums = sweep_lines(lines[:, 0], lines[:, 1], offsets, lines[:, 2:])
    assert len(sums) == len(boundaries) + 1
    for step in np.arange(-40, 40) / 7 + 0.01:  # no crossing of such lines
        expected = 0
        for group in groups:
            if group:  # of equal lines the first
                expected += max(group, key=lambda line: line[1] + step * line[0])[2]
        assert sums[np.searchsorted(boundaries, step, side="right"), 0] == expected
