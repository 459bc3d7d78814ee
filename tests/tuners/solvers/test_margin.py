"""The optimisation problem of an update against a general solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from hopefear.base.arrays import Floats
from hopefear.tuners.solvers.margin import Constraints, solve


def random_batch(rng: np.random.Generator, sentences: int, features: int) -> list[Constraints]:
    batch = []
    for _ in range(sentences):
        n = int(rng.integers(2, 6))
        dense = rng.normal(size=(n, features))
        batch.append(
            Constraints(
                np.arange(0, n * features + 1, features, dtype=np.int64),
                np.tile(np.arange(features, dtype=np.int32), n),
                dense.ravel(),
                np.concatenate(([0.0], rng.uniform(0, 3, n - 1))),
                0,
            )
        )
    return batch


def rows(constraints: Constraints) -> Floats:
    return constraints.values.reshape(len(constraints.loss), -1)


def objective(batch: list[Constraints], start: Floats, w: Floats, C: float) -> float:
    """Equation 1."""
    hinge = 0.0
    for constraints in batch:
        h = rows(constraints)
        hinge += float(np.max(constraints.loss - (h[constraints.oracle] - h) @ w))
    return 0.5 * float(np.sum((w - start) ** 2)) + C * hinge


def minimum(batch: list[Constraints], start: Floats, C: float) -> float:
    """Equation 1 by SLSQP, with a slack variable for each sentence."""
    n = len(start)

    def cost(x: Floats) -> float:
        return 0.5 * float(np.sum((x[:n] - start) ** 2)) + C * float(np.sum(x[n:]))

    conditions = []
    for i, constraints in enumerate(batch):
        h = rows(constraints)
        delta = h[constraints.oracle] - h
        conditions.append(
            {"type": "ineq", "fun": lambda x, d=delta, c=constraints, i=i: d @ x[:n] + x[n + i] - c.loss}
        )
    first = np.concatenate((start, np.full(len(batch), 100.0)))
    found = minimize(
        cost, first, constraints=conditions, method="SLSQP", options={"maxiter": 500, "ftol": 1e-11}
    )
    assert found.status in (0, 8)  # 8: no further progress in floating point
    return float(found.fun)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("C", [0.01, 0.3, 5.0])
def test_the_change_minimises_equation_1(seed: int, C: float) -> None:
    rng = np.random.default_rng(seed)
    batch = random_batch(rng, int(rng.integers(1, 4)), 4)
    start = rng.normal(size=4)
    solution = solve(batch, start, C, tolerance=1e-9)
    w = start.copy()
    w[solution.features] += solution.change
    assert objective(batch, start, w, C) == pytest.approx(minimum(batch, start, C), rel=1e-5, abs=1e-6)


def test_dual_variables_of_a_sentence_add_up_to_C() -> None:
    batch = random_batch(np.random.default_rng(5), 3, 4)
    alpha = solve(batch, np.zeros(4), 0.2).alpha
    sizes = np.cumsum([len(constraints.loss) for constraints in batch])[:-1]
    for part in np.split(alpha, sizes):
        assert np.all(part >= 0)
        assert part.sum() == pytest.approx(0.2)


def test_nothing_moves_where_every_margin_is_wide_enough() -> None:
    constraints = Constraints(
        np.array([0, 1, 2], np.int64),
        np.array([0, 0], np.int32),
        np.array([1.0, -1.0]),
        np.array([0.0, 1.5]),
        0,
    )
    assert len(solve([constraints], np.array([2.0]), 0.1).features) == 0
