"""The confidence of words against all derivations, and what is learned of it."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from support import brute_force as bf
from support.brute_force import decode, deterministic
from support.world import World

from hopefear.base import InputError
from hopefear.decoder import Decoder
from hopefear.decoder.confidence import (
    Confidence,
    RatedTranslation,
    area_under_curve,
    calibration_error,
    file_beside,
    kept_words,
    learn_confidence,
    reliability,
)


def log_odds(posterior: float) -> float:
    bounded = min(max(posterior, 0.001), 0.999)
    return math.log(bounded / (1 - bounded))


@deterministic
@given(bf.cases)
def test_confidence_is_that_of_all_derivations(case: bf.Case) -> None:
    every = case.derivations
    forest = case.decode()
    assume(len(forest.edges) <= 20)  # a density of 50 keeps them all
    scores = np.array([each.score(case.weights) for each in every])
    spread = scores.std() if scores.std() > 1e-9 else 1.0
    shares = np.exp((scores - scores.max()) * 1.5 / spread)
    shares /= shares.sum()
    posterior = Counter[tuple[str, ...]]()
    for each, share in zip(every, shares.tolist(), strict=True):
        text = each.words
        for ngram in {(word,) for word in text} | set(pairwise(text)):
            posterior[ngram] += share  # type: ignore[assignment]
    forest.confidence = Confidence(scale=1.5, constant=0.1, word=0.7, context=0.4)
    best = forest.viterbi().split()
    expected = []
    for place, word in enumerate(best):
        before = posterior[best[place - 1], word] if place else 1.0
        behind = posterior[word, best[place + 1]] if place + 1 < len(best) else 1.0
        context = (log_odds(before) + log_odds(behind)) / 2
        expected.append(1 / (1 + math.exp(-(0.1 + 0.7 * log_odds(posterior[(word,)]) + 0.4 * context))))
    assert forest.word_confidence() == pytest.approx(expected, rel=1e-3)
    assert forest.sentence_confidence() == pytest.approx(sum(expected) / len(expected), rel=1e-3)
    assert forest.phrase_confidence(0, 1) == pytest.approx(expected[0], rel=1e-3)


def test_a_consensus_has_the_confidence_of_the_model() -> None:
    rules = [
        bf.Rule("X", ("a",), (word, other), ((f"f{n}", 1.0),))
        for n, (word, other) in enumerate([("u", "v"), ("w", "x"), ("w", "y"), ("z", "z")])
    ]
    forest = decode(rules, "a", {"f0": 1.0, "f1": 0.95, "f2": 0.9, "f3": -1.0})
    assert forest.consensus().viterbi() == "w x"
    other = next(each for each in forest.derivations(4) if forest.text(each) == "w x")
    assert forest.consensus().word_confidence() == pytest.approx(forest.word_confidence(other))
    doubted = forest.word_confidence(other)
    assert doubted[0] > doubted[1]  # two translations have w


def test_no_words_no_phrase() -> None:
    forest = decode([bf.Rule("X", ("a",), ("u",))], "a", {})
    with pytest.raises(ValueError, match="expected words from 0 to 1"):
        forest.phrase_confidence(1, 1)


@pytest.mark.parametrize(
    ("words", "references", "kept"),
    [
        ("a b c", ["a b c"], "111"),
        ("a b c", ["a x c"], "101"),
        ("a b c", ["b c d"], "011"),
        ("a b", ["c d", "x b"], "01"),
        ("", ["a"], ""),
        ("a b a", ["a"], "001"),
    ],
)
def test_words_that_the_nearest_reference_keeps(words: str, references: list[str], kept: str) -> None:
    found = kept_words(words.split(), [reference.split() for reference in references])
    assert "".join("1" if each else "0" for each in found) == kept


def test_learning_finds_the_model_that_made_the_labels() -> None:
    rng = np.random.default_rng(1)
    truth = Confidence(scale=1.0, constant=-0.5, word=0.6, context=0.3)
    examples = []
    for _ in range(400):
        evidence = rng.normal(0, 2, (6, 20, 2))
        kept = rng.random(20) < truth.of(evidence[1])
        examples.append(RatedTranslation(evidence, kept))
    found = learn_confidence(examples)
    assert found.scale == 1.0
    assert (found.constant, found.word, found.context) == pytest.approx((-0.5, 0.6, 0.3), abs=0.06)
    confidences = np.concatenate([found.of(example.evidence[1]) for example in examples])
    kept = np.concatenate([example.kept for example in examples])
    assert calibration_error(confidences, kept) < 0.03
    with pytest.raises(ValueError, match="expected words that references keep"):
        learn_confidence([RatedTranslation(np.zeros((6, 2, 2)), np.ones(2, np.bool_))])


def test_figures_of_confidences() -> None:
    scores, kept = np.array([0.1, 0.4, 0.35, 0.8]), np.array([False, False, True, True])
    assert area_under_curve(scores, kept) == pytest.approx(0.75)  # scikit-learn's example of roc_auc_score
    assert area_under_curve(np.zeros(4), kept) == pytest.approx(0.5)
    assert reliability(np.array([0.05, 1.0, 0.95]), np.array([True, True, False])) == [
        (0.0, 0.1, 1, 0.05, 1.0),
        (0.9, 1.0, 2, pytest.approx(0.975), 0.5),
    ]
    assert calibration_error(np.array([0.05, 1.0, 0.95]), np.array([True, True, False])) == pytest.approx(
        (0.95 + 2 * 0.475) / 3
    )


def test_a_decoder_reads_what_is_beside_its_weights(tmp_path: Path) -> None:
    weights = World("[X] ||| a ||| b ||| p=1\n", weights={"p": 1}).write(tmp_path).with_name("weights")
    assert Decoder(tmp_path / "cdec.ini", weights=weights).confidence == Confidence()
    learned = Confidence(scale=3.0, constant=0.25, word=1.5, context=0.5)
    learned.write(file_beside(weights))
    forest = Decoder(tmp_path / "cdec.ini", weights=weights).translate("a")
    assert forest.confidence == learned
    file_beside(weights).write_text('{"scale": "x"}')
    with pytest.raises(InputError, match=r"weights\.confidence: expected scale and coefficients"):
        Decoder(tmp_path / "cdec.ini", weights=weights)
