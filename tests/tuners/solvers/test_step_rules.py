"""Step rules against their definitions, computed for all features at every step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from support.brute_force import deterministic

from hopefear.base.arrays import Floats
from hopefear.base.state import load, save
from hopefear.tuners.solvers import STEP_RULES, AdaGrad, Rda, Sgd, StepRule

FEATURES = 6
START = np.array([0.5, -0.3, 0.0, 0.0, 2.0, -1.0])

gradients = st.lists(
    st.dictionaries(st.integers(0, FEATURES - 1), st.integers(-8, 8).map(lambda n: n / 4), max_size=3),
    min_size=1,
    max_size=12,
)


def run(rule: StepRule, steps: list[dict[int, float]], *, settle: bool = True) -> Floats:
    weights = START.copy()
    for step in steps:
        features, change = rule.step(
            np.array(list(step), np.int64), np.array(list(step.values()), np.float64), weights
        )
        assert len(set(features.tolist())) == len(features)
        weights[features] += change
    if settle:
        features, change = rule.settle(weights)
        weights[features] += change
    return weights


def dense(steps: list[dict[int, float]]) -> Floats:
    return np.array([[step.get(f, 0.0) for f in range(FEATURES)] for step in steps])


@deterministic
@given(gradients, st.sampled_from([0.0, 0.1, 0.9]))
def test_sgd(steps: list[dict[int, float]], l2: float) -> None:
    weights = START.copy()
    for g in dense(steps):
        weights = weights - 0.3 * (g + l2 * weights)
    np.testing.assert_allclose(run(Sgd(rate=0.3, l2=l2), steps), weights, atol=1e-12)


@deterministic
@given(gradients)
def test_adagrad(steps: list[dict[int, float]]) -> None:
    weights, squares = START.copy(), np.zeros(FEATURES)
    for g in dense(steps):
        squares += g**2
        weights -= 0.3 * g / (0.01 + np.sqrt(squares))
    np.testing.assert_allclose(run(AdaGrad(rate=0.3, delta=0.01), steps), weights, atol=1e-12)


@deterministic
@given(gradients, st.sampled_from([0.0, 0.1, 0.5]))
def test_dual_averaging_minimises_its_objective(steps: list[dict[int, float]], l1: float) -> None:
    found = run(Rda(rate=0.3, l1=l1, delta=0.01), steps)
    g = dense(steps)
    for feature in range(FEATURES):
        if not g[:, feature].any():
            assert found[feature] == START[feature]
            continue
        total, curve = g[:, feature].sum(), 0.01 + math.sqrt((g[:, feature] ** 2).sum())

        def objective(w: float, total=total, curve=curve, start=START[feature]) -> float:  # type: ignore[no-untyped-def]
            return w * total + len(steps) * l1 * abs(w) + curve * (w - start) ** 2 / 0.6

        wanted = minimize_scalar(objective, (-1.0, 1.0), tol=1e-12)
        assert objective(found[feature]) <= wanted.fun + 1e-9
        assert found[feature] == pytest.approx(wanted.x, abs=1e-4)


@deterministic
@given(gradients, st.sampled_from([0.05, 0.3]))
def test_dual_averaging_from_zero_is_the_closed_form_of_duchi(
    steps: list[dict[int, float]], l1: float
) -> None:
    rule, weights = Rda(rate=0.3, l1=l1, delta=0.01), np.zeros(FEATURES)
    for step in steps:
        features, change = rule.step(np.array(list(step), np.int64), np.array(list(step.values())), weights)
        weights[features] += change
    features, change = rule.settle(weights)
    weights[features] += change
    g, t = dense(steps), len(steps)
    mean = g.mean(axis=0)
    pace = 0.3 * t / (0.01 + np.sqrt((g**2).sum(axis=0)))
    np.testing.assert_allclose(
        weights, -np.sign(mean) * pace * np.maximum(np.abs(mean) - l1, 0.0), atol=1e-12
    )


def test_what_no_longer_matters_becomes_zero() -> None:
    steps = [{2: -1.0}, *[{0: 0.1}] * 30]
    assert run(Rda(rate=0.3, l1=0.1), steps)[2] == 0.0
    assert run(Rda(rate=0.3, l1=0.01), steps)[2] > 0.0


@pytest.mark.parametrize("rule", [Sgd(rate=0.1, l2=0.1), Rda(rate=0.1, l1=0.01)])
def test_an_update_costs_what_it_touches(rule: StepRule) -> None:
    weights = np.ones(1000)
    written = 0
    for t in range(400):
        touched = np.array([t % 7, 500 + t % 3])
        features, change = rule.step(touched, np.ones(2), weights)
        weights[features] += change
        written += len(features)
    assert written <= 2 * 400 + 1000  # all of them once at most
    assert rule.updates == 400


@pytest.mark.parametrize("name", sorted(STEP_RULES))
def test_a_restored_rule_goes_on_as_before(name: str) -> None:
    rng = np.random.default_rng(0)
    steps = [
        {int(f): float(g) for f, g in zip(rng.permutation(FEATURES)[:2], rng.normal(size=2), strict=True)}
        for _ in range(20)
    ]
    options = {"rda": {"l1": 0.05}, "sgd": {"l2": 0.1}}.get(name, {})
    whole = run(STEP_RULES[name](**options), steps)
    first = STEP_RULES[name](**options)
    weights = run(first, steps[:9], settle=False)
    # The numbers of features are others afterwards.
    order = np.random.default_rng(1).permutation(FEATURES)
    second = STEP_RULES[name](**options)
    load(second, save(first), what="a rule", numbers=order)
    moved = np.zeros(FEATURES)
    moved[order] = weights
    for step in steps[9:]:
        features, change = second.step(order[list(step)], np.array(list(step.values())), moved)
        moved[features] += change
    features, change = second.settle(moved)
    moved[features] += change
    np.testing.assert_array_equal(moved[order], whole)


@pytest.mark.parametrize(
    ("rule", "options", "wrong"),
    [
        (Sgd, {"rate": 0.0}, "rate"),
        (Sgd, {"rate": math.inf}, "rate"),
        (Sgd, {"l2": -1.0}, "l2"),
        (Sgd, {"rate": 2.0, "l2": 0.5}, "rate times l2"),
        (AdaGrad, {"delta": 0.0}, "delta"),
        (Rda, {"l1": math.nan}, "l1"),
    ],
)
def test_settings_are_checked(rule: type[StepRule], options: dict[str, float], wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^{wrong} must be"):
        rule(**options)
