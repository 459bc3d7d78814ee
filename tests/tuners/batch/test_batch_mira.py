"""Batch MIRA: its update against general solvers, its loop against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from hopefear.base.arrays import Floats
from hopefear.base.state import load, save
from hopefear.metrics import Bleu, PseudoDocument, Ter
from hopefear.tuners import BatchMira, Candidates
from hopefear.tuners.batch.batch_mira import closed_form
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.solvers import Constraints, solve


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("C", [0.01, 0.3, 5.0])
def test_the_closed_form_is_the_minimum(seed: int, C: float) -> None:
    rng = np.random.default_rng(seed)
    start, difference = rng.normal(size=(2, 4))
    loss = rng.uniform(0, 4)
    violation = loss - difference @ start
    w = start + closed_form(difference, violation, C)

    def cost(x: Floats) -> float:
        return 0.5 * float(np.sum((x[:4] - start) ** 2)) + C * x[4]

    found = minimize(
        cost,
        np.append(start, 50.0),
        constraints=[
            {"type": "ineq", "fun": lambda x: difference @ x[:4] + x[4] - loss},
            {"type": "ineq", "fun": lambda x: x[4]},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    slack = max(0.0, loss - difference @ w)
    assert cost(np.append(w, slack)) == pytest.approx(found.fun, rel=1e-5, abs=1e-7)
    # The same by the SMO solver of `Mira`, of hope and fear alone.
    rows = np.stack((difference, np.zeros(4)))
    features = np.tile(np.arange(4, dtype=np.int32), 2)
    constraints = Constraints(np.array([0, 4, 8]), features, rows.ravel(), np.array([0.0, loss]), 0)
    change = np.zeros(4)
    solution = solve([constraints], start, C, tolerance=1e-10)
    change[solution.features] = solution.change
    np.testing.assert_allclose(w - start, change, atol=1e-6)


def test_nothing_moves_where_nothing_differs() -> None:
    assert not closed_form(np.zeros(3), 1.0, 0.1).any()
    assert not closed_form(np.ones(3), -0.5, 0.1).any()


@pytest.mark.parametrize("background", ["hope", "model"])
@pytest.mark.parametrize("metric", [Bleu(), Ter()])
def test_the_loop_is_that_of_the_paper(background: str, metric: Bleu | Ter) -> None:
    pool = noisy_pool(4)
    if isinstance(metric, Ter):
        statistics = np.stack((12 - pool.statistics[:, 6], np.full(len(pool), 12.0)), axis=1)
        saved = save(pool)
        saved["arrays"]["statistics"] = statistics
        pool = Candidates(metric, [["a b c d e f g h i j k l"]] * 20, pool.weights)
        load(pool, saved, what="a pool")
    start = np.array([-1.0, -0.2])
    tuner = BatchMira(passes=1, epochs=3, C=0.02, shuffle=False, background=background)
    learned = tuner.fit_candidates(pool, start).weights_

    h = pool.matrix.toarray()
    document = PseudoDocument(metric, 0.999)
    w, total, seen, choices = start.copy(), np.zeros(2), 0, list[Floats]()
    for _ in range(3):
        for i in range(20):
            rows = np.arange(pool.offsets[i], pool.offsets[i + 1])
            B = document.B(pool.statistics[rows], 12)
            model = h[rows] @ w
            hope, fear = rows[np.argmax(model + B)], rows[np.argmax(model - B)]
            delta = h[hope] - h[fear]
            loss = B[hope - rows[0]] - B[fear - rows[0]]
            if loss - delta @ w > 0 and delta.any():
                w = w + min(0.02, (loss - delta @ w) / (delta @ delta)) * delta
            total, seen = total + w, seen + 1
            document.update(pool.statistics[hope if background == "hope" else rows[np.argmax(model)]], 12)
        choices.append(total / seen)
    sign = 1 if metric.higher_is_better else -1
    best = max(choices, key=lambda v: sign * pool.corpus_score(v))
    assert learned == pytest.approx({"Good": best[0], "Bad": best[1]})
