"""Weights and values of any size: scores stay finite, or an error names the feature."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.small_sample import small_sample

from hopefear import Decoder, EdgeFeatures, FeatureTable
from hopefear.base import InputError, ScoreError
from hopefear.decoder import Hypergraph

EXTREME = [0.0, -0.0, 5e-324, 1e-308, 1.0, -1.0, 1e30, -1e30, 1e99, 1e100, -1e101, 1e200, 1e308, -1e308]
LINE = "y dijo dios : sea la luz ."


def decoder_of(*features: EdgeFeatures) -> Decoder:
    return Decoder(small_sample() / "cdec.ini", weights=small_sample() / "weights.init", features=features)


@pytest.fixture(scope="module")
def loaded() -> Decoder:
    return decoder_of()


@pytest.fixture
def decoder(loaded: Decoder) -> Iterator[Decoder]:
    """Give the decoder, whose weights are as before in the end."""
    with loaded.weights.replaced(loaded.weights.array.copy()):
        yield loaded


def check(forest: Hypergraph) -> None:
    """Read off all that is sorted or summed by score."""
    assert forest.viterbi() and math.isfinite(forest.viterbi_score())
    for found in (forest.kbest(20), forest.unique_kbest(20)):
        assert next(found) == forest.viterbi()
        assert all(found)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_weights(loaded: Decoder, data: st.DataObject) -> None:
    names = [name for name, _ in loaded.weights]
    chosen = data.draw(st.dictionaries(st.sampled_from(names), st.sampled_from(EXTREME), max_size=6))
    with loaded.weights.replaced(loaded.weights.array.copy()):
        try:
            loaded.weights.update(chosen)
            check(loaded.translate(LINE))
        except ScoreError as error:
            assert any(name in str(error) for name in chosen)
            assert max(map(abs, chosen.values())) > 1e95


class Large(EdgeFeatures):
    """Fires one value at all edges."""

    fires = ("Large",)

    def __init__(self, value: float) -> None:
        self.value = value

    def fire(self, edges, segment):
        return FeatureTable.from_dense(
            self.fires, np.full((1, 1), self.value), row=np.zeros(len(edges.rule), np.int32)
        )


@pytest.mark.parametrize("value", EXTREME)
def test_any_value_of_a_plugin(value: float) -> None:
    decoder = decoder_of(Large(value))
    decoder.weights["Large"] = 1e10
    if abs(value) < 1e38:
        check(decoder.translate(LINE))
        return
    with pytest.raises(
        InputError, match=r"plugin Large .*: the value of Large must be at most 3\.40282e\+38 in"
    ):
        decoder.translate(LINE)


@pytest.mark.parametrize("weight", [1e70, -1e90, 1e308])
def test_a_product_of_a_weight_and_a_value(weight: float) -> None:
    decoder = decoder_of(Large(1e38))
    decoder.weights["Large"] = weight
    with pytest.raises(ScoreError, match=r"sentence .*: Large has the weight .* and the value 1e\+38"):
        decoder.translate(LINE)


def test_a_sum_of_products_names_the_largest(decoder: Decoder) -> None:
    decoder.weights.update({"LanguageModel": 1e100, "Glue": 1e99})
    with pytest.raises(ScoreError, match=r"got -\S+e\+100: LanguageModel has the weight 1e\+100"):
        decoder.translate(LINE)


def test_a_forest_refuses_new_weights_that_are_too_large(decoder: Decoder) -> None:
    forest = decoder.translate(LINE)
    best, score = forest.viterbi(), forest.viterbi_score()
    decoder.weights["LanguageModel"] = -1e308
    with pytest.raises(ScoreError, match="LanguageModel has the weight -1e\\+308"):
        forest.reweight()
    assert (forest.viterbi(), forest.viterbi_score()) == (best, score)


@pytest.mark.parametrize("weight", [1e12, 1e30, 1e90])
def test_pruning_keeps_the_best(decoder: Decoder, weight: float) -> None:
    decoder.weights.update({name: weight * value for name, value in decoder.weights})
    forest = decoder.translate(LINE)
    best = forest.viterbi()
    forest.prune(beam_alpha=1e-3)
    assert forest.viterbi() == best
