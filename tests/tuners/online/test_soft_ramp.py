"""Soft ramp: its loss and gradient against enumeration and finite differences, and the tuner around it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import MOST, deterministic

from hopefear.base.arrays import Floats
from hopefear.decoder import BleuOracle, Decoder, Segment
from hopefear.metrics import Bleu, BleuPlusOne, PseudoDocument
from hopefear.tuners import SoftRamp
from hopefear.tuners.oracles.ramp_loss import ForestRamp, KBestRamp, SoftHypotheses, soft_ramp
from hopefear.tuners.oracles.search_space import SearchSpace

numbers = st.integers(-40, 40).map(lambda n: n / 4)


def log_sum(values: list[float]) -> float:
    top = max(values)
    return top + math.log(math.fsum(math.exp(v - top) for v in values))


HISTORY = [
    (np.array([9.0, 8, 9, 8, 7, 6, 7, 4, 2, 1]), 7.0),
    (np.array([5.0, 6, 5, 4, 3, 2, 2, 1, 0, 0]), 6.0),
]


def make_space(
    rules: list[bf.Rule],
    source: str,
    references: list[str],
    weights: dict[str, float],
    history: Sequence[tuple[Floats, float]] = (),
) -> SearchSpace:
    decoder = Decoder(formalism="scfg", weights=dict(weights))
    segment = Segment(tuple(source.split()), id=0, index=0, references=tuple(references))
    forest = decoder.translate(source, bf.grammar_text(rules))
    document = PseudoDocument(Bleu(), 0.9)
    for statistics, length in history:
        document.update(statistics, length)
    return SearchSpace(decoder, forest, segment, document)


def gradient(space: SearchSpace, found: SoftHypotheses) -> dict[str, float]:
    assert len(set(found.features.tolist())) == len(found.features)
    name = space.decoder.weights.name
    return {name(int(f)): float(g) for f, g in zip(found.features, found.gradient, strict=True)}


def expected(features: list[dict[str, float]], scores: list[float], name: str) -> float:
    total = log_sum(scores)
    return math.fsum(math.exp(s - total) * h.get(name, 0.0) for h, s in zip(features, scores, strict=True))


@deterministic
@given(st.lists(st.tuples(numbers, numbers.map(abs)), min_size=1, max_size=6))
def test_the_gradient_of_the_loss(found: list[tuple[float, float]]) -> None:
    model, cost = np.array(found).T

    def loss(model: Floats) -> float:
        return log_sum((model + cost).tolist()) - log_sum((model - cost).tolist())

    value, hope, fear = soft_ramp(model, cost)
    assert value == pytest.approx(loss(model), abs=1e-9)
    assert value >= -1e-9
    numeric = [(loss(model + step) - loss(model - step)) / 2e-5 for step in 1e-5 * np.eye(len(model))]
    np.testing.assert_allclose(fear - hope, numeric, atol=1e-6)


@deterministic
@given(bf.cases, st.integers(1, 8), st.data())
def test_a_kbest_list(case: bf.Case, k: int, data: st.DataObject) -> None:
    texts = sorted({d.text for d in bf.derivations(case.rules, bf.chain(case.words))})
    assume(0 < len(texts) < MOST)
    references = data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=2))
    space = make_space(case.rules, " ".join(case.words), references, case.weights)
    metric = BleuPlusOne(grounded=True, smooth_brevity=True)
    found = KBestRamp(20.0, k, metric).find(space)
    forest = space.forest
    best = list(forest.derivations(k, unique=True))
    cost = [20 - 20 * metric.score(metric.stats(forest.text(d), references)) / 100 for d in best]
    scores = [forest.score(d) for d in best]
    hope = [s - c for s, c in zip(scores, cost, strict=True)]
    fear = [s + c for s, c in zip(scores, cost, strict=True)]
    features = [forest.features(d) for d in best]
    assert found.ramp == pytest.approx(log_sum(fear) - log_sum(hope), abs=1e-9)
    slope = gradient(space, found)
    for name in {name for h in features for name in h}:
        wanted = expected(features, fear, name) - expected(features, hope, name)
        assert slope.get(name, 0.0) == pytest.approx(wanted, abs=1e-8)
    assert found.hope.texts == [forest.text(best[int(np.argmax(hope))])]
    assert found.fear.texts == [forest.text(best[int(np.argmax(fear))])]


@deterministic
@given(bf.cases, st.sampled_from([1.0, 20.0]), st.data())
def test_inside_outside_is_enumeration(case: bf.Case, cost_scale: float, data: st.DataObject) -> None:
    """With the costs that the rescored forests have on their edges, after a document of ones."""
    texts = sorted({d.text for d in bf.derivations(case.rules, bf.chain(case.words))})
    assume(0 < len(texts) < MOST)
    references = data.draw(st.lists(st.sampled_from(texts), min_size=1, max_size=2))
    space = make_space(case.rules, " ".join(case.words), references, case.weights)
    found = ForestRamp(cost_scale).find(space)
    length = float(Bleu().stats(space.forest.viterbi(), references)[1])
    costs = BleuOracle(references, np.ones(10), cost_scale - len(case.words), reference_length=length)
    sums, slopes = [], []
    for mu, scale in ((math.inf, 1.0), (0.5, 2.0)):
        forest = costs.rescore(space.forest, mu)
        derivations = list(forest.derivations(100 * MOST))
        assume(len(derivations) < 100 * MOST)
        scores = [scale * forest.score(d) for d in derivations]
        features = [forest.features(d) for d in derivations]
        names = {name for h in features for name in h}
        sums.append(log_sum(scores))
        slopes.append({name: expected(features, scores, name) for name in names})
    assert found.ramp == pytest.approx(sums[0] - sums[1], abs=1e-8)
    slope = gradient(space, found)
    for name in {*slopes[0], *slopes[1]}:
        wanted = slopes[0].get(name, 0.0) - slopes[1].get(name, 0.0)
        assert slope.get(name, 0.0) == pytest.approx(wanted, abs=1e-8)


PHRASES = [
    bf.Rule("X", ("a", "b"), ("the", "small", "cat"), (("f0", 1.0),)),
    bf.Rule("X", ("a", "b"), ("the", "cat"), (("f1", 2.0),)),
    bf.Rule("X", ("a", "b"), ("a", "very", "small", "cat"), (("f0", -1.0), ("f1", 1.0))),
    bf.Rule("X", ("a", "b"), ("the", "small", "cat", "sat"), (("f2", 3.0),)),
    bf.Rule("X", ("a", "b"), ("dog",), (("f2", -1.0),)),
]


@pytest.mark.parametrize("history", [[], HISTORY])
def test_a_forest_whose_costs_are_exact(history: list[tuple[Floats, float]]) -> None:
    """Of one rule each: loss and gradient are those of the definition."""
    reference = "the small cat sat"
    weights = {"f0": 0.3, "f1": -0.2, "f2": 0.1}
    space = make_space(PHRASES, "a b", [reference], weights, history)
    document = space.document
    texts = [" ".join(map(str, rule.target)) for rule in PHRASES]
    statistics = np.stack([Bleu().stats(text, [reference]) for text in texts])
    costs = (20 / 2 * (document.B(np.zeros(10), 2) - document.B(statistics, 2))).tolist()

    def loss(weights: dict[str, float]) -> float:
        model = [sum(weights[name] * value for name, value in rule.features) for rule in PHRASES]
        fear = log_sum([m + c for m, c in zip(model, costs, strict=True)])
        return fear - log_sum([m - c for m, c in zip(model, costs, strict=True)])

    found = ForestRamp(20.0).find(space)
    assert found.ramp == pytest.approx(loss(weights), rel=1e-9)
    slope = gradient(space, found)
    for name in weights:
        up, down = ({**weights, name: weights[name] + step} for step in (1e-5, -1e-5))
        assert slope[name] == pytest.approx((loss(up) - loss(down)) / 2e-5, abs=1e-6)
    assert found.hope.texts == [reference]
    assert found.fear.texts == ["dog"]


@pytest.mark.parametrize("search", ["kbest", "forest"])
def test_a_step_is_that_of_the_gradient(search: str) -> None:
    weights = {"f0": 0.3, "f1": -0.2, "f2": 0.1}
    space = make_space(PHRASES, "a b", ["the small cat sat"], weights)
    tuner = SoftRamp(search=search, rate=0.01)
    found = tuner.hypotheses(space.decoder, space.forest, space.segment)
    assert isinstance(found, SoftHypotheses)
    record = tuner.partial_fit(space.decoder, space.forest, space.segment)
    assert record.hinge == pytest.approx(found.ramp)
    for name, slope in gradient(space, found).items():
        assert space.decoder.weights[name] == pytest.approx(weights.get(name, 0.0) - 0.01 * slope)


def test_l1_leaves_few_weights() -> None:
    weights = {"f0": 0.0, "f1": 0.0, "f2": 0.0}
    left = []
    for l1 in (0.0, 10.0):
        space = make_space(PHRASES, "a b", ["the small cat sat"], weights)
        tuner = SoftRamp(rule="rda", rate=0.1, l1=l1, average="none", passes=3)
        for _ in range(5):
            tuner.partial_fit(space.decoder, space.forest, space.segment)
        left.append(np.count_nonzero(space.decoder.weights.array))
    assert left[0] == 3
    assert left[1] == 0
