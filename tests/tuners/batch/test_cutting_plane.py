"""Objectives of the structural SVM and cutting planes against enumeration and SLSQP."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from support.small_pools import make_pool

from hopefear.base.arrays import Floats
from hopefear.base.state import load, save
from hopefear.metrics import Bleu, Metric, SubstitutedDocument, Ter
from hopefear.tuners import Candidates, TuningError
from hopefear.tuners.batch.cutting_plane import train_one_slack, train_sentence_slack
from hopefear.tuners.batch.svm_objective import OneSlack, SentenceSlack, SvmObjective
from hopefear.tuners.checking import noisy_pool
from hopefear.tuners.pool import oracle_configuration
from hopefear.tuners.solvers.interior_point import solve_interior

TEXTS = ["a b c d e", "a b c", "e d c b", "c c c", "c c c d", "b a f", "a a b b", "d"]
values = st.integers(-3, 3).map(float)
candidate = st.tuples(st.sampled_from(TEXTS), st.lists(values, min_size=3, max_size=3))
lists = st.lists(st.lists(candidate, max_size=5), min_size=3, max_size=3)
vectors = st.lists(values, min_size=3, max_size=3).map(np.array)
SMOOTHED = Bleu(smoothing="add-one")


def constraints(pool: Candidates, oracle: NDArray[np.int64], Q: float) -> list[list[tuple[NDArray, float]]]:
    """Return δh and Δ of all candidates, segment by segment, as equation 4 and section 4.2.1 have them."""
    h = np.zeros((len(pool), 3))
    h[:, : pool.matrix.shape[1]] = pool.matrix.toarray()
    total = pool.statistics[oracle].sum(axis=0)
    top, found = float(pool.metric.quality(total)), []
    for star in oracle.tolist():
        segment = int(pool.segment_of[star])
        found.append([])
        for row in range(pool.offsets[segment], pool.offsets[segment + 1]):
            score = float(pool.metric.quality(total - pool.statistics[star] + pool.statistics[row]))
            found[-1].append((h[star] - h[row], Q / 100 * (top - score)))
    return found


def all_configurations(pool: Candidates, oracle: NDArray[np.int64], Q: float) -> list[tuple[NDArray, float]]:
    """Return the mean δh and the corpus Δ of all of C^S, as equation 7 has them."""
    h = np.zeros((len(pool), 3))
    h[:, : pool.matrix.shape[1]] = pool.matrix.toarray()
    top = float(pool.metric.quality(pool.statistics[oracle].sum(axis=0)))
    segments = [range(b, e) for b, e in zip(pool.offsets, pool.offsets[1:], strict=False) if e > b]
    return [
        (
            h[oracle].mean(axis=0) - h[list(rows)].mean(axis=0),
            Q / 100 * (top - float(pool.metric.quality(pool.statistics[list(rows)].sum(axis=0)))),
        )
        for rows in itertools.product(*segments)
    ]


def by_slsqp(groups: list[list[tuple[NDArray, float]]], lam: float) -> tuple[NDArray, float]:
    """Minimise λ/2 ‖w‖² + the mean of the groups' slacks in the primal, with all constraints."""
    S = len(groups)
    rows = [np.append(dh, np.eye(S)[s]) for s, group in enumerate(groups) for dh, _ in group]
    A = np.array(rows + [np.append(np.zeros(3), np.eye(S)[s]) for s in range(S)])
    b = np.array([loss for group in groups for _, loss in group] + [0.0] * S)
    start = np.concatenate((np.zeros(3), np.full(S, max(b.max(), 0.0))))
    found = minimize(
        lambda x: lam / 2 * float(x[:3] @ x[:3]) + float(x[3:].mean()),
        start,
        jac=lambda x: np.concatenate((lam * x[:3], np.full(S, 1 / S))),
        constraints={"type": "ineq", "fun": lambda x: A @ x - b, "jac": lambda x: A},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return found.x[:3], float(found.fun)


@given(lists, st.sampled_from([SMOOTHED, Ter()]), st.sampled_from([0.5, 5.0]), st.sampled_from([1.0, 100.0]))
@settings(derandomize=True, max_examples=60)
def test_cutting_planes_solve_the_whole_primal(
    found: list[list[tuple[str, list[float]]]], metric: Metric, lam: float, Q: float
) -> None:
    pool = make_pool(found, metric)
    assume(len(pool))
    oracle = oracle_configuration(pool, np.zeros(len(pool)))
    sentence = train_sentence_slack(SentenceSlack(pool, oracle, lam, Q), 1e-7, 300)
    w, value = by_slsqp(constraints(pool, oracle, Q), lam)
    assert sentence.objective == pytest.approx(value, rel=1e-4, abs=1e-5 * Q)
    np.testing.assert_allclose(sentence.weights, w[: len(sentence.weights)], atol=1e-2 * max(1, Q / 100))

    # The most violated of all configurations is found for certain where the loss is a sum over sentences.
    one = train_one_slack(OneSlack(pool, oracle, lam, Q), 1e-7, 300)
    w, value = by_slsqp([all_configurations(pool, oracle, Q)], lam)
    if isinstance(metric, Ter):
        assert one.objective == pytest.approx(value, rel=1e-4, abs=1e-5 * Q)
    else:
        assert one.objective <= value + 1e-5 * Q
        assert one.objective >= 0.9 * value - 1e-5 * Q


@pytest.mark.parametrize("seed", range(6))
def test_the_interior_point_is_that_of_slsqp(seed: int) -> None:
    # Features of different scales, groups of different sizes, some constraints twice.
    rng = np.random.default_rng(seed)
    groups: list[list[tuple[NDArray, float]]] = []
    for size in (1, 4, 9, 2):
        own = [(np.zeros(3), 0.0)]
        own += [(rng.normal(size=3) * [0.1, 1, 10], float(rng.uniform(0, 5))) for _ in range(size - 1)]
        groups.append(own + own[-1:])
    margins = np.array([dh for group in groups for dh, _ in group])
    losses = np.array([loss for group in groups for _, loss in group])
    begin = np.cumsum([0, *map(len, groups[:-1])])
    lam = 10.0 ** (seed - 4)
    w, alpha = solve_interior(margins, losses, begin, 1 / (lam * len(groups)))
    expected, value = by_slsqp(groups, lam)
    slack = np.maximum.reduceat(losses - margins @ w, begin)
    assert lam / 2 * float(w @ w) + slack.mean() == pytest.approx(value, rel=1e-5, abs=1e-8)
    np.testing.assert_allclose(np.add.reduceat(alpha, begin), 1 / (lam * len(groups)))
    np.testing.assert_allclose(w, expected, rtol=1e-2, atol=1e-3)
    assert alpha.min() >= 0


def test_smo_solves_the_same_problems() -> None:
    pool = noisy_pool(4)
    oracle = oracle_configuration(pool, np.zeros(len(pool)))
    one, sentence = OneSlack(pool, oracle, 1.0, 10.0), SentenceSlack(pool, oracle, 1.0, 200.0)
    found = [train_one_slack(one, 1e-6, 500), train_sentence_slack(sentence, 1e-6, 500)]
    again = [
        train_one_slack(one, 1e-6, 500, few_features=0),
        train_sentence_slack(sentence, 1e-6, 500, few_features=0),
    ]
    for ours, theirs in zip(found, again, strict=True):
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-4)
        np.testing.assert_allclose(ours.weights, theirs.weights, rtol=1e-2)


def test_features_that_are_too_large_are_refused() -> None:
    pool = make_pool([[("a b c d e", [1.0, 0, 1]), ("d", [2.0, 4, -3])], [], []], scale=1e300)
    objective = SentenceSlack(pool, oracle_configuration(pool, np.zeros(2)), 1.0, 10.0)
    with pytest.raises(TuningError, match="finite"), np.errstate(all="ignore"):
        train_sentence_slack(objective, 1e-3, 10)


@pytest.mark.parametrize("Q", [1.0, 1e4])
def test_both_formulations_agree_where_the_loss_is_a_sum(Q: float) -> None:
    # The error rate of the corpus is the sum of the sentences' (Joachims et al. 2009, theorem 1).
    pool = noisy_pool(3)
    statistics = np.stack((12 - pool.statistics[:, 6], np.full(len(pool), 12.0)), axis=1)
    saved = save(pool)
    saved["arrays"]["statistics"] = statistics
    pool = Candidates(Ter(), [["a b c d e f g h i j k l"]] * 20, pool.weights)
    load(pool, saved, what="a pool")
    oracle = oracle_configuration(pool, np.zeros(len(pool)))
    one = train_one_slack(OneSlack(pool, oracle, 1.0, Q), 1e-7, 1000)
    sentence = train_sentence_slack(SentenceSlack(pool, oracle, 1.0, 20 * Q), 1e-7, 1000)
    assert one.objective == pytest.approx(sentence.objective, rel=1e-4)
    np.testing.assert_allclose(one.weights, sentence.weights, rtol=2e-2)
    assert one.constraints < sentence.constraints


def test_both_formulations_agree_on_one_sentence() -> None:
    pool = make_pool([[("a b c d e", [1.0, 0, 1]), ("a b c", [0.0, 3, 0]), ("d", [2.0, 4, -3])], [], []])
    oracle = oracle_configuration(pool, np.zeros(3))
    one = train_one_slack(OneSlack(pool, oracle, 1.0, 50.0), 1e-8, 100)
    sentence = train_sentence_slack(SentenceSlack(pool, oracle, 1.0, 50.0), 1e-8, 100)
    assert one.objective == pytest.approx(sentence.objective)
    np.testing.assert_allclose(one.weights, sentence.weights, atol=1e-5)


@pytest.mark.parametrize("kind", ["one", "sentence"])
def test_weights_scale_with_the_loss(kind: str) -> None:
    pool = noisy_pool(1)
    oracle = oracle_configuration(pool, np.zeros(len(pool)))

    def trained(lam: float, Q: float) -> Floats:
        if kind == "one":
            return train_one_slack(OneSlack(pool, oracle, lam, Q), 1e-7, 500).weights
        return train_sentence_slack(SentenceSlack(pool, oracle, lam, Q), 1e-7, 500).weights

    np.testing.assert_allclose(trained(0.25, 40.0), 4 * trained(1.0, 10.0), rtol=1e-2)


@pytest.mark.parametrize("kind", [OneSlack, SentenceSlack])
@given(
    found=lists,
    w=vectors,
    d=vectors,
    metric=st.sampled_from([SMOOTHED, Ter()]),
    lam=st.sampled_from([0.01, 1.0]),
    Q=st.sampled_from([1.0, 100.0]),
)
@settings(derandomize=True, max_examples=80)
def test_the_line_search_is_exact(
    kind: type[SvmObjective],
    found: list[list[tuple[str, list[float]]]],
    w: Floats,
    d: Floats,
    metric: Metric,
    lam: float,
    Q: float,
) -> None:
    pool = make_pool(found, metric)
    assume(len(pool) and d.any())
    oracle = oracle_configuration(pool, np.zeros(len(pool)))
    objective = kind(pool, oracle, lam, Q)
    groups = constraints(pool, oracle, Q)
    everything = all_configurations(pool, oracle, Q)
    chosen = itertools.product(*(range(len(group)) for group in groups))
    by_choice = dict(zip(chosen, everything, strict=True))

    def brute(x: float) -> float:
        v = w + x * d
        if kind is SentenceSlack:
            hinges = [max(loss - dh @ v for dh, loss in group) for group in groups]
            return lam / 2 * float(v @ v) + float(np.mean(hinges))
        best = tuple(int(np.argmin([dh @ v for dh, _ in group])) for group in groups)
        dh, loss = by_choice[best]
        return lam / 2 * float(v @ v) + max(0.0, loss - float(dh @ v))

    relative = objective.relative(pool.scores(w))
    slopes = objective.relative(pool.scores(d))
    step, value = objective.minimize_along(slopes, relative, float(w @ w), float(w @ d), float(d @ d))
    assert value == pytest.approx(brute(step), rel=1e-9, abs=1e-9 * Q)
    there = relative + step * slopes
    assert objective.value(there, float((w + step * d) @ (w + step * d))) == pytest.approx(
        value, abs=1e-9 * Q
    )
    # No step is lower, however close to a jump.
    near = np.array([-1e-4, -1e-7, 1e-7, 1e-4])
    crossings = [
        float((loss - other + (dg - dh) @ w) / ((dh - dg) @ d))
        if kind is SentenceSlack
        else float((dg - dh) @ w / ((dh - dg) @ d))
        for group in groups
        for (dh, loss), (dg, other) in itertools.combinations(group, 2)
        if (dh - dg) @ d
    ]
    beside = (np.array(crossings)[:, None] + near).ravel()
    for x in np.concatenate((np.linspace(-6, 6, 121) + 1e-4, step + near, beside)):
        assert value <= brute(float(x)) * (1 + 2e-6) + 1e-9 * Q


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("lam", [1e-6, 0.01, 1.0])
def test_the_infimum_beside_a_jump_is_reached(side: int, lam: float) -> None:
    """Two candidates, good and bad, change places at x = 2; λ pulls the good one's weight to the jump."""
    good, bad = ("a b c d e", [1.0, 0, 0]), ("d", [0.0, 2.0, 0])
    pool = make_pool([[good, bad], [], []])
    objective = OneSlack(pool, np.array([0]), lam, 100.0)
    w, d = np.array([0.0, 1.0]), np.array([float(side), 0.0])
    relative = objective.relative(pool.scores(w))
    slopes = objective.relative(pool.scores(d))
    step, value = objective.minimize_along(slopes, relative, 1.0, 0.0, 1.0)
    infimum = lam / 2 * (1 + 4)
    assert infimum <= value <= infimum * (1 + 2e-6)
    assert side * step > 2  # where the good one is the best
    # As far from the jump as the value allows, where rounding does not make the other the best.
    farthest = np.sqrt(2 * infimum * (1 + 1e-6) / lam - 1)
    assert side * step - 2 >= 0.49 * min(farthest - 2, 0.5)


def test_intervals_that_rounding_makes_up_are_passed_over() -> None:
    """In both segments the candidates change places at x = 1/3, but for rounding."""
    scale = 0.1
    pool = make_pool(
        [
            [("a b c d e", [3 * scale, 0, 0]), ("d", [0.0, scale, 0])],
            [("e d c b a f", [0.0, 7 * scale, 0]), ("d", [21 * scale, 0.0, 0])],
            [],
        ]
    )
    objective = OneSlack(pool, np.array([0, 2]), 1e-3, 100.0)
    w, d = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    relative, slopes = (objective.relative(pool.scores(x)) for x in (w, d))
    step, value = objective.minimize_along(slopes, relative, 1.0, 0.0, 1.0)
    assert value == objective.value(relative + step * slopes, 1.0 + step**2)
    for x in np.linspace(-5, 5, 1001):
        assert value <= objective.value(relative + x * slopes, 1.0 + float(x) ** 2) * (1 + 2e-6)


def test_the_losses_are_those_of_substituted_documents() -> None:
    pool = noisy_pool(2)
    oracle = oracle_configuration(pool, np.zeros(len(pool)))
    objective = SentenceSlack(pool, oracle, 1.0, 1000.0)
    document = SubstitutedDocument(pool.metric, pool.statistics[oracle])
    expected = [10 * document.losses(s, pool.statistics[row]) for row, s in enumerate(pool.segment_of)]
    np.testing.assert_allclose(objective.losses, expected)
    assert objective.losses.min() >= -1e-6  # the oracles cannot be improved on one by one
    assert not objective.losses[oracle].any()
