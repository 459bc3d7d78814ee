"""METEOR against NLTK's and its definition."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from hopefear.base import InputError
from hopefear.metrics import Meteor

HYPOTHESES = [
    "It is a guide to action which ensures that the military always obeys the commands of the party",
    "It is to insure the troops forever hearing the activity guidebook that party direct",
    "a b a b",
    "",
]
REFERENCES = [
    [
        "It is a guide to action that ensures that the military will forever heed Party commands",
        "It is the practical guide for the army always to heed the directions of the party",
    ],
    ["It is the guiding principle which guarantees the military forces always being under the command"],
    ["b a b", "c"],
    ["a"],
]


def test_without_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.delitem(sys.modules, "nltk.stem", raising=False)
    with pytest.raises(InputError, match="Meteor needs NLTK: pip install nltk"):
        Meteor(stemmer="none").prepare(["a"])


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="expected alpha from 0 to 1"):
        Meteor(alpha=2)


def test_sentences_have_the_scores_of_nltk() -> None:
    score = pytest.importorskip("nltk.translate.meteor_score")

    class NoSynonyms:
        def synsets(self, word):
            return []

    metric = Meteor()
    for hypothesis, references in zip(HYPOTHESES, REFERENCES, strict=True):
        expected = score.meteor_score(
            [reference.split() for reference in references], hypothesis.split(), wordnet=NoSynonyms()
        )
        assert metric.score(metric.stats(hypothesis, references)) == pytest.approx(100 * expected)


def test_a_corpus_by_the_definition() -> None:
    pytest.importorskip("nltk")
    metric = Meteor(alpha=0.8, beta=2, gamma=0.4, stemmer="none")
    # "the cat sat": 2 matches in 1 chunk; "x cats the": 1 match
    stats = metric.corpus_stats(["the cat sat", "x cats The"], [["the cat is here"], ["the cat"]])
    assert stats.tolist() == [[2, 3, 4, 1], [1, 3, 2, 1]]
    precision, recall = 3 / 6, 3 / 6
    mean = precision * recall / (0.8 * precision + 0.2 * recall)
    expected = 100 * mean * (1 - 0.4 * (2 / 3) ** 2)
    assert metric.score(stats.sum(axis=0)) == pytest.approx(expected)
    assert metric.scores(np.zeros((2, 4))).tolist() == [0, 0]


def test_stemmers() -> None:
    pytest.importorskip("nltk")
    assert Meteor().stats("cats", ["cat"])[0] == 1
    assert Meteor(stemmer="none").stats("cats", ["cat"])[0] == 0
    assert Meteor(stemmer="german").stats("häuser", ["häusern"])[0] == 1
    with pytest.raises(InputError, match=r"expected a stemmer of none, porter, .*got 'klingon'"):
        Meteor(stemmer="klingon").prepare(["a"])
