"""NIST against NIST's own script, and against its definition."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.metrics import Nist

HYPOTHESES = ["the cat sat on mat", "a dog barks at the old cat", "it rains"]
REFERENCES = [
    ["the cat sat on the mat", "a cat was on the mat"],
    ["a dog barks at the old cat", "the dog barks at an old cat"],
    ["it is raining again", "it rains again"],
]


def test_the_score_of_mteval() -> None:
    # mteval-v13a.pl (as v13m, without its tokenization) prints this for the sentences above.
    metric = Nist()
    score = metric.score(metric.corpus_stats(HYPOTHESES, REFERENCES).sum(axis=0))
    assert score == pytest.approx(4.483457161581, abs=1e-11)


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def nist(hypotheses: list[list[str]], references: list[list[list[str]]], order: int) -> float:
    """Doddington 2002, equations 2 and 3, word for word."""
    every = [reference for sentence in references for reference in sentence]

    def occurrences(ngram: tuple[str, ...]) -> int:
        if not ngram:
            return sum(len(reference) for reference in every)
        return sum(ngrams(reference, len(ngram)).count(ngram) for reference in every)

    score = 0.0
    for n in range(1, order + 1):
        information, total = 0.0, 0
        for hypothesis, sentence in zip(hypotheses, references, strict=True):
            total += len(ngrams(hypothesis, n))
            for ngram in set(ngrams(hypothesis, n)):
                most = max(ngrams(reference, n).count(ngram) for reference in sentence)
                matches = min(ngrams(hypothesis, n).count(ngram), most)
                if matches:
                    information += matches * math.log2(occurrences(ngram[:-1]) / occurrences(ngram))
        score += information / total if total else 0.0
    length = sum(map(len, hypotheses))
    average = sum(sum(map(len, sentence)) / len(sentence) for sentence in references)
    ratio = min(1.0, length / average) if average else 1.0
    if ratio == 0:
        return 0.0
    beta = math.log(0.5) / math.log(1.5) ** 2
    return score * math.exp(beta * math.log(ratio) ** 2)


sentences = st.lists(st.sampled_from("abcd"), max_size=8)
corpora = st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3)), min_size=1, max_size=4)


@given(corpora, st.integers(1, 5))
def test_the_definition(corpus: list[tuple[list[str], list[list[str]]]], order: int) -> None:
    hypotheses, references = map(list, zip(*corpus, strict=True))
    metric = Nist(order=order)
    score = metric.score(metric.corpus_stats(hypotheses, references).sum(axis=0))
    assert score == pytest.approx(nist(hypotheses, references, order), abs=1e-9)


def test_the_layout_of_the_statistics() -> None:
    # 16 words in the references; "a" 8 and "b" 4 times, "a b" 2 times.
    metric = Nist(order=2).for_corpus([["a b a b x y z z", "a a"], ["b b a a a a"]])
    stats = metric.stats("a b b", ["a b a b x y z z", "a a"])
    np.testing.assert_allclose(stats, [5, 3, 2, 1 + 2 * 2, 2])


def test_two_thirds_of_the_length_halve_the_score() -> None:
    metric = Nist(order=1)
    assert metric.score([6, 6, 12]) == pytest.approx(2)
    assert metric.score([6, 4, 8]) == pytest.approx(2 / 2)
    assert metric.score([6, 9, 18]) == pytest.approx(2)


def test_sentences_want_the_weights_of_a_test_set() -> None:
    with pytest.raises(ValueError, match="references of a whole test set, got those of one sentence"):
        Nist().stats("a b", ["a b"])
    metric = Nist(order=2).for_corpus([["a b"]])
    with pytest.raises(ValueError, match="n-gram 'b a' is in no reference given to for_corpus"):
        metric.stats("a b", ["b a"])


def test_weights_stay() -> None:
    metric = Nist().for_corpus(REFERENCES)
    assert metric.for_corpus([["x"]]) == metric
    assert metric != Nist().for_corpus(REFERENCES[:2])
    stats = metric.corpus_stats(HYPOTHESES[:1], REFERENCES[:1])
    np.testing.assert_array_equal(stats, Nist().corpus_stats(HYPOTHESES, REFERENCES)[:1])


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sentence, got none"):
        Nist().corpus_stats(["a"], [[]])
    with pytest.raises(ValueError, match="sequence of sentences, got the one string 'a'"):
        Nist().for_corpus(["a"])
