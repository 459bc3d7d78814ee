"""Scorers of batches: what they may answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hopefear.base import PluginError
from hopefear.decoder import KBestList, Weights
from hopefear.tuners.pool import ScoredFeatures, scorers, with_features


class Scorer:
    """Gives the answer that it is made with."""

    def __init__(self, answer: Any, names: Any = ("NMT",)) -> None:
        self.answer, self.names = answer, names

    def score(self, sources: Any, translations: Any) -> Any:
        return self.answer


def lists() -> list[tuple[int, KBestList]]:
    none = np.zeros(0, np.int32)
    return [(0, KBestList(["a", "b"], np.zeros(3, np.int64), none, none.astype(np.float64)))]


@pytest.mark.parametrize("answer", [[1, 2], np.array([[1.0], [2.0]], np.float32), np.array([1, 2])])
def test_one_feature_may_be_a_vector_or_a_column(answer: Any) -> None:
    weights = Weights()
    found = with_features(lists(), [ScoredFeatures(Scorer(answer), ["f"], 64)], weights, 64)
    assert [(number, weights.name(each.features[1]), *each.values) for number, each in found] == [
        (0, "NMT", 1.0, 2.0)
    ]


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (Scorer([1]), r"Scorer: expected values of shape \(2, 1\), got \(1,\)"),
        (Scorer([[1, 2], [3, 4]]), r"shape \(2, 1\), got \(2, 2\)"),
        (Scorer([1, 2], ("a", "b")), r"shape \(2, 2\), got \(2,\)"),
        (Scorer([1, np.nan]), "Scorer: expected a finite value of NMT, got nan for 'b'"),
        (Scorer([1, 2], "NMT"), "Scorer: names must be a sequence"),
        (Scorer([1, 2], ()), "Scorer: names must have the name of a feature"),
    ],
)
def test_wrong_answers_are_named(scorer: Scorer, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        list(with_features(lists(), [ScoredFeatures(scorer, ["f"], 64)], Weights(), 64))


def test_a_scorer_needs_its_method() -> None:
    class Silent:
        names = ("NMT",)

    with pytest.raises(PluginError, match=r"must have score\(self, sources, translations\), has none"):
        scorers.check(Silent)
