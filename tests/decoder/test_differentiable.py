from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from support import brute_force as bf

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")

CASE = bf.Case(
    [
        *(bf.Rule("X", ("a",), (word,), ((f, 1.0),)) for word, f in (("u", "f0"), ("v", "f1"), ("u", "f2"))),
        bf.Rule("X", ("a", bf.NT("X")), (1, "w"), (("f0", 2.0),)),
    ],
    ["a"] * 3,
    {"f0": 0.5, "f1": -0.25, "f2": 0.1},
)


def test_derivatives_are_finite_differences() -> None:
    from hopefear.decoder.differentiable import edge_posteriors, log_partition

    forest = CASE.decode()
    scores = torch.tensor(forest.edges.score.copy(), requires_grad=True)
    assert log_partition(forest, scores).item() == pytest.approx(forest.log_partition())
    assert edge_posteriors(forest, scores).tolist() == pytest.approx(forest.edge_posteriors())
    for function in (log_partition, edge_posteriors):
        assert torch.autograd.gradcheck(partial(function, forest), scores)
        assert torch.autograd.gradgradcheck(partial(function, forest), scores)


def test_minimum_risk_learns_the_weights() -> None:
    from hopefear.decoder.differentiable import edge_posteriors

    forest = CASE.decode()
    features = torch.tensor(forest.edges.features.toarray())
    wrong = torch.tensor([forest.rule(e).target.count("u") for e in range(len(forest.edges))]).double()
    weights = torch.zeros(features.shape[1], dtype=torch.float64, requires_grad=True)
    adam = torch.optim.Adam([weights], lr=0.1)
    risks = []
    for _ in range(50):
        adam.zero_grad()
        risk = edge_posteriors(forest, features @ weights) @ wrong
        risk.backward()
        adam.step()
        risks.append(risk.item())
    assert risks[-1] < 0.05 * risks[0]
    forest.weights.replace(weights.detach().numpy())
    forest.reweight()
    assert "u" not in forest.viterbi()
    assert forest.expectations(wrong.numpy()) == pytest.approx(risks[-1], rel=0.5)
    assert np.isfinite(risks).all()
