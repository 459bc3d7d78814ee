"""MIRA with one weight for the learned score of all features of plugins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import world
from support.stopping import Stop, stop_after

from hopefear import Decoder
from hopefear.base import InputError
from hopefear.feature_extractors import RuleIndicators
from hopefear.tuners import Mira, SummaryMira
from hopefear.tuners.online.summary_mira import SUMMARY

SPARSE = {"R:X:la:the": 0.3, "R:X:casa:home": -0.2, "R:X:es:are": 0.1}
START = {"Wrong": 0.3, "Right": -0.1, "Glue": -0.1, **SPARSE}
WORLD, CORPUS = replace(world.CHOICES, weights=START, plugins=[RuleIndicators]), world.THREE


def sparse(weights: dict[str, float]) -> dict[str, float]:
    return {name: weight for name, weight in weights.items() if name.startswith("R:")}


@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_plugins_weights_are_multiplied_by_one_factor(decoder: Decoder, scale: float) -> None:
    tuner = SummaryMira.paper(passes=3, C=0.05, scale=scale).fit(decoder, CORPUS)
    learned = sparse(tuner.weights_)
    (factor,) = {round(learned[name] / SPARSE[name], 9) for name in SPARSE}
    assert factor != 1
    assert learned.keys() == SPARSE.keys()
    assert tuner.weights_["Right"] > START["Right"]
    assert SUMMARY not in tuner.weights_
    assert decoder.weights.nonzero() == tuner.weights_


def test_an_update_is_that_of_mira_with_the_sum_as_a_feature(decoder: Decoder, tmp_path: Path) -> None:
    """A grammar in which each rule has the sum as a feature of its own learns the same."""
    summed = tmp_path / "summed"
    with summed.open("w") as file:
        for line in WORLD.rules.splitlines():
            left, source, target, features = line.split(" ||| ")[:4]
            name = f"R:X:{source.replace(' ', '_')}:{target.replace(' ', '_')}"
            file.write(f"{left} ||| {source} ||| {target} ||| {features} Sum={SPARSE.get(name, 0.0)}\n")
    with_sum = Decoder(
        formalism="scfg", grammar=summed, weights={**{k: START[k] for k in START.keys() - SPARSE}, "Sum": 1.0}
    )
    wanted = Mira.paper(passes=2).fit(with_sum, CORPUS).weights_
    found = SummaryMira.paper(passes=2).fit(decoder, CORPUS).weights_
    for name in ("Right", "Wrong", "Glue"):
        assert found.get(name, 0.0) == pytest.approx(wanted.get(name, 0.0), abs=1e-9)
    for name, weight in SPARSE.items():
        assert found[name] == pytest.approx(weight * wanted["Sum"], abs=1e-9)


def test_a_stopped_run_goes_on(make_decoder: Callable[..., Decoder], tmp_path: Path) -> None:
    settings = {"passes": 3, "save_every": 1, "average": "all"}
    whole = SummaryMira.paper(**settings).fit(make_decoder(), CORPUS).weights_
    with pytest.raises(Stop):
        SummaryMira.paper(**settings).fit(
            make_decoder(), CORPUS, checkpoint=tmp_path / "checkpoint", on_update=stop_after(5)
        )
    again = make_decoder({"Other": 1.0})  # features have other numbers
    parts = SummaryMira.paper(**settings).fit(again, CORPUS, checkpoint=tmp_path / "checkpoint", resume=True)
    assert parts.weights_ == whole


def test_features_of_sentences_own_grammars_are_dense(tmp_path: Path) -> None:
    """A later sentence's grammar names a feature that the first one's does not."""
    segments = []
    for segment in CORPUS:
        own = tmp_path / f"own{segment.id}"
        own.write_text(WORLD.rules.replace("Right=", f"Right{segment.id}="))
        segments.append(replace(segment, grammars=(str(own),)))
    weights = {"Right0": -0.1, "Right1": -0.2, "Right2": -0.2, "Wrong": 0.3, **SPARSE}
    decoder = Decoder(formalism="scfg", weights=weights, features=[RuleIndicators()])
    learned = SummaryMira.paper(passes=4, C=0.05, average="none").fit(decoder, segments).weights_
    (factor,) = {round(learned[name] / SPARSE[name], 9) for name in SPARSE}
    for name in ("Right1", "Right2"):
        assert round(learned[name] / weights[name], 6) != round(factor, 6)


@pytest.mark.parametrize("weights", [{}, {"Wrong": 0.3}])
def test_there_must_be_weights_to_sum_up(
    make_decoder: Callable[..., Decoder], weights: dict[str, float]
) -> None:
    with pytest.raises(InputError, match="expected weights of plugins' features to begin with"):
        SummaryMira.paper().fit(make_decoder(weights), CORPUS)


def test_numbers_of_new_features_do_not_matter(decoder: Decoder) -> None:
    """Features that plugins fire and that had no weight stay without one."""
    SummaryMira.paper(passes=2).fit(decoder, CORPUS)
    names = {name for name, _ in decoder.weights}
    new = [name for name in names if name.startswith("R:") and name not in SPARSE]
    assert new
    assert not np.any([decoder.weights[name] for name in new])
