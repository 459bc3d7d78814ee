"""How far an update may move the margins, against sums by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.brute_force import deterministic

from hopefear.tuners import AdaptiveMira, Mira
from hopefear.tuners.contract import Step
from hopefear.tuners.online.adaptive_mira import Cuttable
from hopefear.tuners.solvers import Constraints

FEATURES = 5
numbers = st.floats(-8, 8, width=16)
vectors = st.lists(numbers, min_size=FEATURES, max_size=FEATURES).map(np.array)
KINDS = {"mira": Mira.paper, "adaptive": lambda **settings: AdaptiveMira.paper(cuts=0, eta=0.5, **settings)}


@st.composite
def batches(draw: st.DrawFn) -> list[Constraints]:
    """Draw sentences with 1 to 4 hypotheses each; every row has all features."""
    batch = []
    for _ in range(draw(st.integers(1, 3))):
        rows = np.array(draw(st.lists(vectors, min_size=1, max_size=4)))
        n = len(rows)
        oracle = draw(st.integers(0, n - 1))
        loss = np.array(draw(st.lists(st.floats(0, 8, width=16), min_size=n, max_size=n)))
        loss[oracle] = 0.0
        features = np.tile(np.arange(FEATURES, dtype=np.int32), n)
        batch.append(Cuttable(FEATURES * np.arange(n + 1), features, rows.ravel(), loss, oracle))
    return batch


def moved(batch: list[Constraints], vector: np.ndarray) -> float:
    """Return √Σ (Δh_ij·v)²."""
    square = 0.0
    for each in batch:
        h = each.values.reshape(-1, FEATURES)
        square += sum(float((h[each.oracle] - row) @ vector) ** 2 for row in h)
    return math.sqrt(square)


def update(
    kind: str, radius: float, batch: list[Constraints], weights: np.ndarray
) -> tuple[Step, np.ndarray]:
    tuner = KINDS[kind](C=100.0, trust_region=radius)
    step = tuner.update(batch, weights, tuner.init())
    change = np.zeros(FEATURES)
    change[step.features] = step.change
    return step, change


@pytest.mark.parametrize("kind", KINDS)
@deterministic
@given(batch=batches(), weights=vectors, radius=st.sampled_from([0.25, 1.0, 4.0]))
def test_margins_move_at_most_by_the_radius(
    kind: str, batch: list[Constraints], weights: np.ndarray, radius: float
) -> None:
    known = moved(batch, weights)
    assume(known > 1e-3)
    free, whole = update(kind, math.inf, batch, weights)
    step, part = update(kind, radius, batch, weights)
    assert (step.hinge, step.steps) == (free.hinge, free.steps)
    if moved(batch, whole) <= radius * known * (1 - 1e-9):
        np.testing.assert_array_equal(part, whole)
    else:
        assert moved(batch, part) == pytest.approx(radius * known)
        np.testing.assert_allclose(part, whole * (moved(batch, part) / moved(batch, whole)), atol=1e-9)


@deterministic
@given(batch=batches(), weights=vectors)
def test_a_part_of_the_way_lowers_the_objective(batch: list[Constraints], weights: np.ndarray) -> None:
    C = 100.0

    def objective(change: np.ndarray) -> float:
        hinges = 0.0
        for each in batch:
            h = each.values.reshape(-1, FEATURES)
            hinges += max(
                loss - float((h[each.oracle] - row) @ (weights + change))
                for row, loss in zip(h, each.loss, strict=True)
            )
        return 0.5 * float(change @ change) + C * hinges

    before = objective(np.zeros(FEATURES))
    assert objective(update("mira", 0.5, batch, weights)[1]) <= before + 1e-6 * (1 + abs(before))


@pytest.mark.parametrize("kind", KINDS)
@deterministic
@given(batch=batches())
def test_from_weights_of_zero_there_is_no_bound(kind: str, batch: list[Constraints]) -> None:
    zeros = np.zeros(FEATURES)
    np.testing.assert_array_equal(update(kind, 1.0, batch, zeros)[1], update(kind, math.inf, batch, zeros)[1])
