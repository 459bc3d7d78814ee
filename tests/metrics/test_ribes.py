"""RIBES against an enumeration of contexts and pairs, and against values of the authors' program."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.metrics import Ribes

sentences = st.lists(st.sampled_from("abcd"), max_size=9)


def occurrences(ngram: list[str], sentence: list[str]) -> list[int]:
    return [i for i in range(len(sentence)) if sentence[i : i + len(ngram)] == ngram]


def rank(i: int, hypothesis: list[str], reference: list[str]) -> int | None:
    """The position of the word that corresponds to word i: by its shortest context, to the left first."""
    for window in range(len(hypothesis)):
        for begin in {i - window: None, i: None}:
            ngram = hypothesis[max(begin, 0) : begin + window + 1]
            if begin < 0 or len(ngram) <= window:
                continue
            if len(occurrences(ngram, hypothesis)) == len(occurrences(ngram, reference)) == 1:
                return occurrences(ngram, reference)[0] + i - begin
    return None


def ribes(hypothesis: list[str], reference: list[str], alpha: float, beta: float) -> float:
    found = [rank(i, hypothesis, reference) for i in range(len(hypothesis))]
    ranks = [position for position in found if position is not None]
    pairs = [first < second for first, second in combinations(ranks, 2)]
    if not pairs and not (ranks and len(reference) == 1):
        return 0.0
    nkt = sum(pairs) / len(pairs) if pairs else 1.0
    brevity = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return nkt * (len(ranks) / len(hypothesis)) ** alpha * brevity**beta


@given(
    sentences,
    st.lists(sentences, min_size=1, max_size=3),
    st.sampled_from([0.0, 0.25, 1.0]),
    st.sampled_from([0.0, 0.1, 1.0]),
)
def test_equal_to_the_enumeration(
    hypothesis: list[str], references: list[list[str]], alpha: float, beta: float
) -> None:
    expected = max(ribes(hypothesis, reference, alpha, beta) for reference in references)
    stats = Ribes(alpha=alpha, beta=beta).stats(hypothesis, references)
    np.testing.assert_allclose(stats, [expected, 1], rtol=1e-12)


@pytest.mark.parametrize(
    ("hypothesis", "score"),
    [
        ("he was caught in the rain because he was interested in world history", 1.0),
        ("he was interested in world history because he was caught in the rain", 0.3333333333333333),
        ("because he was caught in the rain he was interested in world history", 0.8589743589743589),
        ("he was interested in history", 0.8521437889662113),
    ],
)
def test_equal_to_the_authors_program(hypothesis: str, score: float) -> None:
    reference = "he was caught in the rain because he was interested in world history"
    assert Ribes().stats(hypothesis, [reference])[0] == pytest.approx(score)


def test_score_is_the_mean_over_sentences() -> None:
    stats = Ribes().corpus_stats(["a b", "x"], [["a b"], ["y"]])
    assert Ribes().score(stats.sum(axis=0)) == pytest.approx(50.0)


def test_a_long_line_of_one_word_is_scored() -> None:
    # The authors' program counts each of n contexts of a word in n words.
    words = ["a"] * 2000
    np.testing.assert_array_equal(Ribes().stats(words, [[*words, "a"]]), [0, 1])
