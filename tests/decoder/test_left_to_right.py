"""The search left to right against all translations, scored one by one."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support import brute_force as bf
from support.brute_force import deterministic

from hopefear.decoder.left_to_right import LeftToRight

SUBWORDS = {"u": (1, 2), "v": (1, 2, 3), "w": (1,), "z": (4,)}
"""One word's subwords begin with another one's; no word begins as another one goes on."""
WIDE = 1000


class Model:
    """Draws the probabilities of subwords by what is before them."""

    end = 0

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def cut(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        return [SUBWORDS[word] for word in words]

    def log_probabilities(self, beginnings: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
        drawn = [random.Random(f"{self.seed} {each}").choices(range(1, 9), k=5) for each in beginnings]
        rows = np.array(drawn, float)
        return np.log(rows / rows.sum(axis=1, keepdims=True))

    def of(self, words: Sequence[str]) -> float:
        subwords = [subword for word in words for subword in SUBWORDS[word]]
        rows = self.log_probabilities([tuple(subwords[:n]) for n in range(len(subwords) + 1)])
        return float(sum(row[each] for row, each in zip(rows, [*subwords, self.end], strict=True)))


models = st.integers(0, 9999).map(Model)
model_weights = st.sampled_from([0.0, 0.25, 1.0, 4.0])


def scores(case: bf.Case, model: Model, weight: float) -> dict[str, float]:
    """The score of each translation, by its best derivation."""
    best: dict[str, float] = {}
    for each in case.derivations:
        best[each.text] = max(best.get(each.text, -math.inf), each.score(case.weights))
    return {text: score + weight * model.of(text.split()) for text, score in best.items()}


@deterministic
@given(bf.cases, models, model_weights)
def test_a_wide_beam_finds_the_best_translation(case: bf.Case, model: Model, weight: float) -> None:
    expected = scores(case, model, weight)
    search = LeftToRight(case.decode().native, model, weight, beam=WIDE)
    found = search.found()
    assert found[0].score == pytest.approx(max(expected.values()))
    assert search.dropped == -math.inf
    for each in found:
        assert each.score == pytest.approx(expected[each.text])
        assert each.log_probability == pytest.approx(model.of(each.text.split()))
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@deterministic
@given(bf.cases, models, model_weights, st.sampled_from([1, WIDE]))
def test_rest_costs_change_no_score(case: bf.Case, model: Model, weight: float, beam: int) -> None:
    expected = scores(case, model, weight)
    near = max(expected, key=expected.__getitem__)
    found = LeftToRight(case.decode().native, model, weight, beam=beam, near=near).found()
    for each in found:
        assert each.score == pytest.approx(expected[each.text])
        assert each.log_probability == pytest.approx(model.of(each.text.split()))
    if beam == WIDE:  # the margin is wider than what such short translations may differ by
        assert found[0].score == pytest.approx(expected[near])


@deterministic
@given(bf.cases, models, model_weights)
def test_a_narrow_beam_tells_how_good_others_may_be(case: bf.Case, model: Model, weight: float) -> None:
    best = max(scores(case, model, weight).values())
    search = LeftToRight(case.decode().native, model, weight, beam=1)
    found = search.found()
    assert max([search.dropped, *(each.score for each in found)]) >= best - 1e-6
    if weight == 0:
        assert found[0].score == pytest.approx(best)


@deterministic
@given(bf.cases, models, model_weights, st.integers(0, 9))
def test_only_better_translations_are_found(case: bf.Case, model: Model, weight: float, rank: int) -> None:
    ordered = sorted({round(score, 9) for score in scores(case, model, weight).values()}, reverse=True)
    least = ordered[min(rank, len(ordered) - 1)] - 1e-7 if rank % 2 else ordered[0] + 1e-7
    found = LeftToRight(case.decode().native, model, weight, beam=WIDE, least=least).found()
    assert all(each.score > least for each in found)
    assert [each.score for each in found[:1]] == pytest.approx(ordered[:1] if rank % 2 else [])


def test_a_forest_without_words_has_one_translation() -> None:
    rules = [bf.Rule("X", ("a",), ())]
    case = bf.Case(rules, ["a"], {"Glue": 0.0})
    (found,) = LeftToRight(case.decode().native, Model(0), 1.0, beam=WIDE).found()
    assert found.text == "" and found.log_probability == pytest.approx(Model(0).of([]))


def test_words_without_subwords_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SUBWORDS, "v", ())
    case = bf.Case([bf.Rule("X", ("a",), ("u", "v"))], ["a", "a"], {})
    (found,) = LeftToRight(case.decode().native, Model(0), 1.0, beam=WIDE).found()
    assert found.text == "u v u v" and found.log_probability == pytest.approx(Model(0).of(["u", "u"]))


def test_a_negative_weight_is_refused() -> None:
    case = bf.Case([bf.Rule("X", ("a",), ("u",))], ["a"], {})
    with pytest.raises(ValueError, match="expected a weight of at least 0, got -1"):
        LeftToRight(case.decode().native, Model(0), -1, beam=WIDE)
