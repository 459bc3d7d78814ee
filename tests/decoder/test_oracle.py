"""Oracles on forests against all derivations of a small grammar."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support import world
from support.equation_11 import best_objectives, objective, unclipped_b

from hopefear import Decoder, Hypergraph
from hopefear.decoder import BleuOracle

WEIGHTS = {"p": -0.3, "a": 0.4, "b": 0.7}
DOCUMENT = np.array([20, 21, 20, 18, 16, 14, 12, 8, 5, 3], float)
SOURCE_LENGTH = 15.0


@pytest.fixture
def forest() -> Hypergraph:
    return Decoder(formalism="scfg", weights=WEIGHTS).translate("la casa roja", grammar=world.COSTS)


@pytest.mark.parametrize(
    "references", [["the house red"], ["red the home", "the building red is"], ["nothing here"]]
)
@pytest.mark.parametrize("mu", [0.0, 0.5, 1.0, 2.0, math.inf])
def test_the_best_by_equation_11_is_found(forest: Hypergraph, references: list[str], mu: float) -> None:
    found = BleuOracle(references, DOCUMENT, SOURCE_LENGTH).rescore(forest, mu)
    values = best_objectives(forest, references, DOCUMENT, SOURCE_LENGTH, mu)
    assert values[found.viterbi()] == pytest.approx(max(values.values()), rel=1e-5)


@pytest.mark.parametrize("mu", [0.0, 0.5, 2.0, math.inf])
def test_scores_are_those_of_equation_11_less_those_of_no_translation(forest: Hypergraph, mu: float) -> None:
    references = ["the house red"]
    found = BleuOracle(references, DOCUMENT, SOURCE_LENGTH).rescore(forest, mu)
    model = float(found.best_translations(1).scores(forest.weights.array)[0])
    precision = float(np.mean(np.log(DOCUMENT[6:10] / DOCUMENT[2:6])))
    nothing = (SOURCE_LENGTH + 3) * math.exp(precision + min(0.0, 1 - DOCUMENT[1] / DOCUMENT[0]))
    gain = unclipped_b(found.viterbi(), references, DOCUMENT, SOURCE_LENGTH + 3) - nothing
    assert found.viterbi_score() == pytest.approx(objective(gain, model, mu), rel=1e-4, abs=1e-5)


def test_the_forest_stays_as_it_is(forest: Hypergraph) -> None:
    before = forest.viterbi_score(), len(forest.edges)
    BleuOracle(["the house red"], DOCUMENT, SOURCE_LENGTH).rescore(forest, 0.5)
    assert (forest.viterbi_score(), len(forest.edges)) == before


def test_features_of_an_oracle_are_those_of_the_forest(forest: Hypergraph) -> None:
    found = BleuOracle(["the house red"], DOCUMENT, SOURCE_LENGTH).rescore(forest, 0.5)
    derivations = [d for d in forest.derivations(1000) if forest.text(d) == found.viterbi()]
    assert found.viterbi_features() in map(forest.features, derivations)


@pytest.mark.parametrize("mu", [-0.1, math.nan])
def test_mu_must_not_be_negative(forest: Hypergraph, mu: float) -> None:
    with pytest.raises(ValueError, match="mu must be at least 0"):
        BleuOracle(["the"], DOCUMENT, SOURCE_LENGTH).rescore(forest, mu)
