"""MIRA with a rate for each feature: its updates, its cutting planes, its checkpoints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from support import world

from hopefear import Decoder
from hopefear.metrics import Bleu, PseudoDocument
from hopefear.tuners import AdaptiveMira, ForestHopeFear, Mira
from hopefear.tuners.solvers import Constraints, Rescaled
from hopefear.tuners.solvers.rates import FeatureRates

WORLD, CORPUS = replace(world.OWN, weights={"Wrong": 0.5, "Right": -0.5, "Glue": -0.1}), world.THREE


@pytest.mark.parametrize("seed", range(8))
def test_an_update_solves_its_problem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, sentences, C = 5, 2, (0.05, 0.5)[seed % 2]
    # Numbers with gaps, as sparse features have.
    numbers = np.sort(rng.choice(40, n, replace=False))
    start, rates = np.zeros(40), FeatureRates()
    start[numbers] = rng.normal(size=n)
    added = rng.uniform(0, 5, n)
    rates.add(numbers, added)
    h = rng.normal(size=(sentences, 4, n))
    loss = np.concatenate((np.zeros((sentences, 1)), rng.uniform(0, 3, (sentences, 3))), axis=1)
    batch = [
        Constraints(
            np.arange(0, 4 * n + 1, n, dtype=np.int64),
            np.tile(numbers, 4).astype(np.int32),
            h[i].ravel(),
            loss[i],
            0,
        )
        for i in range(sentences)
    ]
    w = start[numbers]
    delta = h[:, :1] - h

    def cost(x: np.ndarray) -> float:
        return float(0.5 * np.sum((x[:n] - w) ** 2 * (1 + added)) + C * x[n:].sum())

    conditions = {"type": "ineq", "fun": lambda x: (delta @ x[:n] + x[n:, None] - loss).ravel()}
    slack = np.max(loss - delta @ w, axis=1)
    best = minimize(
        cost,
        np.concatenate((w, slack)),
        method="SLSQP",
        constraints=conditions,
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert best.success
    solution = Rescaled.of(batch, start, rates.of).solve(C)
    found = start.copy()
    found[solution.features] += solution.change
    hinges = np.max(loss - delta @ found[numbers], axis=1)
    assert cost(np.concatenate((found[numbers], hinges))) == pytest.approx(best.fun, abs=1e-4)
    np.testing.assert_allclose(found[numbers], best.x[:n], atol=2e-3)


def test_rates_are_kept_by_feature() -> None:
    rates = FeatureRates()
    rates.add(np.array([7, 3]), np.array([1.0, 0.0]))
    rates.add(np.array([3, 9, 7]), np.array([3.0, 0.5, 2.0]))
    assert len(rates) == 3
    np.testing.assert_allclose(rates.of(np.array([2, 9, 3, 7, 8])), [1, 1 / 1.5, 1 / 4, 1 / 4, 1])


def test_without_eta_and_cuts_it_is_mira(decoder: Decoder) -> None:
    start = decoder.weights.array.copy()
    plain = Mira.paper(C=0.1, passes=3, batch_size=2).fit(decoder, CORPUS).weights_
    decoder.weights.replace(start)
    adaptive = AdaptiveMira.paper(eta=0, cuts=0, C=0.1, passes=3, batch_size=2).fit(decoder, CORPUS).weights_
    assert adaptive == plain


def test_rates_fall_by_the_squares_of_what_a_sentence_asks_for(decoder: Decoder) -> None:
    """Where C binds and hope and fear are one each, v is their difference."""
    decoder.weights.update({"Wrong": 0.05, "Right": -0.05, "Glue": 0.0})
    segment = CORPUS[0]
    C, eta = 1e-4, 0.5
    tuner = AdaptiveMira.paper(C=C, eta=eta, cuts=0, oracle=ForestHopeFear(k=1))
    forest = decoder.translate(segment)
    before = decoder.weights.array.copy()
    tuner.partial_fit(decoder, forest, segment)
    v = (decoder.weights.array[: len(before)] - before) / C
    assert np.any(v)
    second = decoder.translate(segment)
    before = decoder.weights.array.copy()
    tuner.partial_fit(decoder, second, segment)
    change = decoder.weights.array - before
    np.testing.assert_allclose(change[: len(v)], C * v / (1 + eta * v**2), atol=1e-12)


@pytest.mark.parametrize("C", [0.05, 1.0])
def test_cuts_solve_the_problem_over_the_whole_forest(decoder: Decoder, C: float) -> None:
    """Against SLSQP with a constraint for each of all derivations."""
    decoder.weights.update({"Wrong": 0.05, "Right": -0.05, "Glue": 0.0})
    start = decoder.weights.array.copy()
    segment = CORPUS[0]

    def cost_after(cuts: int) -> tuple[float, float]:
        decoder.weights.replace(start)
        tuner = AdaptiveMira.paper(C=C, eta=0.0, cuts=cuts, oracle=ForestHopeFear(k=1))
        forest = decoder.translate(segment)
        w = decoder.weights.array.copy()
        hope = tuner.hypotheses(decoder, forest, segment).hope
        document = PseudoDocument(Bleu(effective_reference_length="shortest"))
        derivations = list(forest.derivations(10_000))
        texts = [forest.text(d) for d in derivations]
        h = np.zeros((len(texts), len(w)))
        for row, derivation in enumerate(derivations):
            for name, value in forest.features(derivation).items():
                h[row, decoder.weights.id(name)] = value
        statistics = np.array([document.metric.stats(text, segment.references) for text in texts])
        delta = h[texts.index(hope.texts[0])] - h
        loss = hope.B[0] - document.B(statistics, forest.source_length)
        best = minimize(
            lambda x: 0.5 * np.sum((x[:-1] - w) ** 2) + C * x[-1],
            np.append(w, np.max(loss - delta @ w)),
            method="SLSQP",
            constraints={"type": "ineq", "fun": lambda x: delta @ x[:-1] + x[-1] - loss},
            options={"ftol": 1e-12, "maxiter": 1000},
        )
        assert best.success
        tuner.partial_fit(decoder, forest, segment)
        learned = decoder.weights.array
        return 0.5 * np.sum((learned - w) ** 2) + C * np.max(loss - delta @ learned), best.fun

    without, optimum = cost_after(0)
    assert without > optimum + 1e-3
    assert cost_after(30)[0] == pytest.approx(optimum, abs=1e-3)
