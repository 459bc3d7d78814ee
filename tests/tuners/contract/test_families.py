"""Settings by family, against closed forms and numeric minima."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from hopefear import Decoder, Segment
from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.tuners import (
    AdaptiveMira,
    BatchMira,
    MinimumRisk,
    Mira,
    OnlineLargeMargin,
    OnlineTuner,
    ParallelMira,
    Pro,
    SoftRamp,
    Step,
    SummaryMira,
)
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.contract import ByFamily, Families, FeatureFamilies
from hopefear.tuners.solvers import Constraints, Rescaled, minimise

GRAMMAR = """\
[X] ||| la ||| the ||| Right=1 R:the=1
[X] ||| la ||| her ||| Wrong=1 R:her=1
[X] ||| casa ||| house ||| Right=1 R:house=1
[X] ||| casa ||| home ||| Wrong=1 R:home=1
[X] ||| es ||| is ||| Right=1
[X] ||| es ||| are ||| Wrong=1
[X] ||| alta ||| high
"""
START = {"Wrong": 0.3, "Right": -0.1, "R:her": 0.1, "R:house": 0.2}
CORPUS = [
    Segment(("la", "casa", "es", "alta"), id=0, index=0, references=("the house is high",)),
    Segment(("la", "casa", "es"), id=1, index=1, references=("the house is",)),
]
ALL = [Mira, AdaptiveMira, OnlineLargeMargin, ParallelMira, SoftRamp, BatchMira, Pro, MinimumRisk]


@pytest.fixture
def decoder(tmp_path: Path) -> Decoder:
    (path := tmp_path / "grammar").write_text(GRAMMAR)
    return Decoder(formalism="scfg", grammar=path, weights=START)


def learned(kind: Any, decoder: Decoder, families: dict[str, Any], **settings: Any) -> dict[str, float]:
    weights: dict[str, float] = kind(families=families, **settings).fit(decoder, CORPUS).weights_
    return weights


@pytest.mark.parametrize("kind", ALL)
def test_fixed_weights_stay_bit_for_bit(kind: Any, decoder: Decoder) -> None:
    found = learned(kind, decoder, {"Right": {"fixed": True}, "R:h*": {"fixed": True}})
    assert {name: found[name] for name in ("Right", "R:her", "R:house")} == {
        "Right": -0.1,
        "R:her": 0.1,
        "R:house": 0.2,
    }
    assert found["Wrong"] < 0.3


@pytest.mark.parametrize("kind", ALL)
def test_a_group_lasso_makes_all_weights_of_a_weak_family_zero(kind: Any, decoder: Decoder) -> None:
    settings = {Pro: {"interpolation": 1.0}, BatchMira: {}, MinimumRisk: {}}.get(kind, {"average": "none"})
    found = learned(kind, decoder, {"R:*": {"group_lasso": 1e4}}, **settings)
    assert not [name for name in found if name.startswith("R:")]
    assert found["Wrong"] < START["Wrong"]


@dataclass(kw_only=True, eq=False, repr=False)
class Nudge(OnlineTuner):
    """Adds 1 to the weights of all features that there are."""

    passes: int = 1

    def update(self, batch: Any, weights: Any, memory: Any) -> Step:
        return Step(np.arange(len(weights)), np.ones(len(weights)), hinge=0.0, steps=1)


def test_rates_and_penalties_follow_each_update_of_any_tuner(decoder: Decoder) -> None:
    families = {
        "Wrong": {"rate": 0.5, "l2": 0.25},
        "Right": {"l1": 0.3},
        "R:h*": {"group_lasso": 0.5, "l1": 0.1},
        "R:*": {"rate": 0},
    }
    found = learned(Nudge, decoder, families, average="none", batch_size=2)
    group = np.array([1.1, 1.2, 1.0]) - 0.1
    group *= 1 - 0.5 / np.linalg.norm(group)
    expected = {
        "Wrong": (0.3 + 0.5) / 1.25,
        "Right": -0.1 + 1 - 0.3,
        "R:her": group[0],
        "R:house": group[1],
        "R:home": group[2],
        "Glue": 1.0,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert "R:the" not in found


def test_hooks_of_a_tuner_do_not_move_fixed_weights(decoder: Decoder) -> None:
    class Setter(Nudge):
        def after_update(self, weights: Any, memory: Any) -> None:
            weights[:] = 7.0

        def settle(self, weights: Any, memory: Any) -> None:
            weights[:] = 8.0

        def finish(self, learned: Any, memory: Any) -> None:
            learned[:] = 9.0

    found = learned(Setter, decoder, {"Right": {"fixed": True}}, average="none")
    assert (found["Right"], found["Wrong"]) == (-0.1, 9.0)


def random_batch(rng: np.random.Generator, features: int) -> list[Constraints]:
    batch = []
    for _ in range(2):
        rows = rng.normal(size=(3, features))
        loss = np.array([0.0, *rng.uniform(0.5, 2.0, 2)])
        entries = np.tile(np.arange(features, dtype=np.int32), 3)
        batch.append(Constraints(np.arange(0, 3 * features + 1, features), entries, rows.ravel(), loss, 0))
    return batch


@pytest.mark.parametrize("seed", range(3))
def test_an_update_of_mira_with_rates_is_the_minimum_over_the_features_that_move(seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, weights, C = random_batch(rng, 4), rng.normal(size=4), 0.3
    rates = np.array([0.0, 0.5, 1.0, 2.0])
    solution = Rescaled.of(batch, weights, lambda features: rates[features]).solve(C)
    change = np.zeros(4)
    change[solution.features] = solution.change

    def objective(z: np.ndarray) -> float:
        w = weights + np.concatenate(([0.0], z))
        hinges = [float(np.max(each.loss - each.margins(w))) for each in batch]
        return float(0.5 * np.sum(z**2 / rates[1:]) + C * sum(hinges))

    best = min(
        minimize(
            objective, rng.normal(size=3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
        ).fun
        for _ in range(5)
    )
    assert change[0] == 0.0
    assert objective(change[1:]) == pytest.approx(best, abs=1e-4)


@pytest.mark.parametrize(
    "settings", [{"l2": 0.7}, {"l1": 0.4}, {"group_lasso": 0.5}, {"l1": 0.2, "l2": 0.3, "group_lasso": 0.3}]
)
def test_batch_tuners_find_the_minimum_with_the_penalty(settings: dict[str, float]) -> None:
    rng = np.random.default_rng(1)
    A = rng.normal(size=(6, 4))
    matrix, target = A.T @ A / 6, rng.normal(size=4)
    weights = Weights(dict.fromkeys(["a:1", "a:2", "b", "c"], 0.0))
    tuner = Pro(families={"a:*": settings, "c": {"fixed": True}})
    families = FeatureFamilies.of_tuner(tuner, weights)
    assert families is not None

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        return float(0.5 * w @ matrix @ w - target @ w), matrix @ w - target

    def total(z: np.ndarray) -> float:
        w = np.append(z, 0.5)
        l1, l2, group = (settings.get(name, 0.0) for name in ("l1", "l2", "group_lasso"))
        own = w[:2]
        return float(loss(w)[0] + l1 * np.abs(own).sum() + 0.5 * l2 * own @ own + group * np.linalg.norm(own))

    start = np.array([0.1, 0.2, 0.3, 0.5])
    found = minimise(loss, start, families, np.arange(4), iterations=5000)
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 10_000, "maxfev": 10_000}
    best = min(minimize(total, s, method="Nelder-Mead", options=options).fun for s in rng.normal(size=(6, 3)))
    assert found[3] == 0.5
    assert total(found[:3]) == pytest.approx(best, abs=1e-6)


def test_the_first_pattern_that_matches_counts() -> None:
    weights = Weights({"R:a": 1.0, "R:b": 1.0, "S": 1.0})
    families = FeatureFamilies.of_tuner(Mira(families={"R:a": {"rate": 2}, "R:*": {"rate": 3}}), weights)
    assert families is not None
    assert families.rates(np.arange(3)).tolist() == [2, 3, 1]
    assert families.rates(np.array([weights.id("R:new")])).tolist() == [3]


def test_a_text_says_the_same_as_a_mapping() -> None:
    text = "R:* rate=0.5 l2=1e-3; LanguageModel fixed"
    families = {"R:*": {"rate": 0.5, "l2": 0.001}, "LanguageModel": {"fixed": True}}
    tuner = make_tuner("Mira", [f"families={text}"])
    assert isinstance(tuner, ByFamily)
    assert tuner.families == families
    assert Families.from_text(str(Families(families)), Path()) == families


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Mira families='R:* l3=1'", "families: 'R:*': unknown setting l3, near: l2, l1"),
        ("Mira families='R:* l2=-1'", "families: 'R:*': l2 must be at least 0 and finite, got -1.0"),
        ("Mira families='R:* l2'", "families: 'R:*': l2 must be a number, got False"),
        ("Mira families='R:*'", "families must be one of families such as"),
        ("Mira families='R:* l2=x'", "families must be one of families such as"),
        ("Mert families='R:* fixed'", "Mert has no settings by family: expected no families"),
        ("Pro families='R:* rate=1'", "Pro has no rate for families; it takes l1, l2, group_lasso, fixed"),
        ("Hols families='R:* fixed'", "families: 'R:*': Hols has no fixed for families; it takes rate"),
        ("SummaryMira families='R:* fixed'", "it takes no families"),
        ("StructuralSvm families='R:* fixed'", "StructuralSvm has no settings by family"),
        ("SoftRamp rule=rda families='R:* fixed'", "families need another rule"),
        ("SoftRamp l2=0.1 families='R:* fixed'", "l2 is for the default families only"),
    ],
)
def test_what_is_wrong_is_told(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_tuner(line)
    assert message in str(caught.value)


def test_a_pattern_without_features_is_warned_of(decoder: Decoder) -> None:
    with pytest.warns(RuntimeWarning, match=r"families: no feature matches 'Q:\*'"):
        learned(Mira, decoder, {"Q:*": {"l2": 1.0}, "R:*": {"l2": 1.0}}, passes=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned(Mira, decoder, {"R:*": {"l2": 1.0}}, passes=1)


def test_a_run_resumes_with_its_families_only(decoder: Decoder, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(record: object) -> None:
        raise Stop

    families, path = {"R:*": {"l1": 0.01, "rate": 0.5}}, tmp_path / "checkpoint"
    whole = learned(Mira, decoder, families, passes=2)
    with pytest.raises(Stop):
        Mira(families=families, passes=2).fit(_again(decoder), CORPUS, checkpoint=path, on_pass=stop)
    resumed = Mira(families=families, passes=2).fit(_again(decoder), CORPUS, checkpoint=path, resume=True)
    assert resumed.weights_ == whole
    with pytest.raises(InputError, match="expected families="):
        Mira(passes=2).fit(_again(decoder), CORPUS, checkpoint=path, resume=True)


def _again(decoder: Decoder) -> Decoder:
    decoder.weights.clear()
    decoder.weights.update(START)
    return decoder


def test_summary_mira_has_none() -> None:
    with pytest.raises(ValueError, match="it takes no families"):
        SummaryMira(families={"R:*": {"rate": 1}}).check()
