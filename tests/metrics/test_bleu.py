"""BLEU against sacrebleu and against its formulae worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from hopefear.metrics import Bleu

tokens = st.sampled_from(["a", "b", "c", "d", "é"])
sentences = st.lists(tokens, max_size=12)
corpora = st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=4)), min_size=1, max_size=6)
Corpus = list[tuple[list[str], list[list[str]]]]


def corpus_bleu(metric: Bleu, corpus: Corpus) -> float:
    hypotheses, references = map(list, zip(*corpus, strict=True))
    return metric.score(metric.corpus_stats(hypotheses, references).sum(axis=0))


def sacrebleu_score(corpus: Corpus, order: int = 4, smoothing: str = "none") -> float:
    most = max(len(references) for _, references in corpus)
    streams = [
        [" ".join(references[k]) if k < len(references) else None for _, references in corpus]
        for k in range(most)
    ]
    metric = BLEU(tokenize="none", smooth_method=smoothing, max_ngram_order=order, force=True)
    hypotheses = [" ".join(hypothesis) for hypothesis, _ in corpus]
    return float(metric.corpus_score(hypotheses, streams).score)  # type: ignore[arg-type]  # None is no reference


lists = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "é", "x"]), max_size=12), min_size=20, max_size=30
)


@given(
    lists, st.lists(sentences, min_size=1, max_size=4), st.sampled_from(["closest", "shortest", "average"])
)
def test_many_hypotheses_at_once_are_counted_as_one_by_one(
    hypotheses: list[list[str]], references: list[list[str]], effective: str
) -> None:
    metric = Bleu(effective_reference_length=effective)  # type: ignore[arg-type]
    prepared = metric.prepare(references)
    found = prepared.batch(hypotheses)
    for row, hypothesis in zip(found, hypotheses, strict=True):
        np.testing.assert_array_equal(row, prepared.stats(hypothesis))
        if effective == "closest":
            assert metric.score(row) == pytest.approx(sacrebleu_score([(hypothesis, references)]), abs=1e-9)


@given(corpora)
def test_equal_to_sacrebleu(corpus: Corpus) -> None:
    assert corpus_bleu(Bleu(), corpus) == pytest.approx(sacrebleu_score(corpus), abs=1e-9)


@given(corpora, st.integers(1, 6))
def test_equal_to_sacrebleu_at_other_orders(corpus: Corpus, order: int) -> None:
    expected = sacrebleu_score(corpus, order)
    assert corpus_bleu(Bleu(order=order), corpus) == pytest.approx(expected, abs=1e-9)


@given(sentences, st.lists(sentences, min_size=1, max_size=4))
def test_sentence_score_is_sacrebleus_add_one(hypothesis: list[str], references: list[list[str]]) -> None:
    expected = sacrebleu_score([(hypothesis, references)], smoothing="add-k")
    assert Bleu().sentence_score(hypothesis, references) == pytest.approx(expected, abs=1e-9)
    assert Bleu(smoothing="floor").sentence_score(hypothesis, references) == pytest.approx(expected, abs=1e-9)


def test_layout_of_the_statistics() -> None:
    # Unigrams "the" 2 of 3 (clipped), "cat", "mat"; bigrams "the cat", "the mat"; no trigram.
    stats = Bleu().stats("the cat the mat the", ["the cat sat on the mat", "a mat"])
    np.testing.assert_array_equal(stats, [5, 6, 5, 4, 3, 2, 4, 2, 0, 0])


def test_matches_are_clipped_by_the_reference_that_has_most() -> None:
    stats = Bleu(order=2).stats("a a a a b b", ["a a x", "b a a a", "b"])
    np.testing.assert_array_equal(stats, [6, 4, 6, 5, 3 + 1, 2 + 0])


@pytest.mark.parametrize(
    ("length", "closest"), [(0, 2), (2, 2), (3, 2), (4, 4), (5, 4), (6, 4), (7, 8), (20, 8)]
)
def test_effective_reference_length(length: int, closest: int) -> None:
    hypothesis, references = ["x"] * length, [["r"] * n for n in (8, 2, 4)]
    assert Bleu().stats(hypothesis, references)[1] == closest
    assert Bleu(effective_reference_length="shortest").stats(hypothesis, references)[1] == 2
    assert Bleu(effective_reference_length="average").stats(hypothesis, references)[1] == pytest.approx(
        14 / 3
    )


def test_brevity_penalty_uses_the_effective_reference_length() -> None:
    hypothesis, references = "a b c d", ["a b c d e f", "a b c d e f g h"]
    for choice, length in (("closest", 6), ("shortest", 6), ("average", 7)):
        metric = Bleu(effective_reference_length=choice)  # type: ignore[arg-type]
        score = metric.score(metric.stats(hypothesis, references))
        assert score == pytest.approx(100 * math.exp(1 - length / 4), abs=1e-9)


@given(st.lists(tokens, min_size=4, max_size=12), st.lists(sentences, max_size=3))
def test_a_reference_itself_is_perfect(reference: list[str], others: list[list[str]]) -> None:
    references = [*others, reference]
    for smoothing in ("none", "add-one", "floor"):
        metric = Bleu(smoothing=smoothing)
        assert metric.score(metric.stats(reference, references)) == pytest.approx(100.0, abs=1e-9)


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("", "a b c d"),
        ("", ""),
        ("a b c d", ""),
        ("a b c", "a b c"),
        ("x y z w", "a b c d"),
        ("a b c x", "a b c d"),
    ],
)
def test_degenerate_sentences_score_zero(hypothesis: str, reference: str) -> None:
    score = Bleu().score(Bleu().stats(hypothesis, [reference]))
    assert score == 0.0
    assert score == sacrebleu_score([(hypothesis.split(), [reference.split()])])


@pytest.mark.parametrize("smoothing", ["none", "add-one", "floor", "qcri"])
@pytest.mark.parametrize("reference", ["", "a b c d"])
def test_an_empty_hypothesis_scores_zero(smoothing: str, reference: str) -> None:
    metric = Bleu(smoothing=smoothing)  # type: ignore[arg-type]
    assert metric.score(metric.stats("", [reference])) == 0.0


# "a b x d" against "a b c d e f": lengths 4 and 6, matches 3/4, 1/3, 0/2, 0/1.
HYPOTHESIS, REFERENCE = "a b x d", "a b c d e f"


def test_floor_smoothing() -> None:
    metric = Bleu(smoothing="floor")
    expected = (3 / 4 * 1 / 3 * 0.01 / 2 * 0.01 / 1) ** 0.25 * math.exp((4 - 6) / 4)
    assert metric.score(metric.stats(HYPOTHESIS, [REFERENCE])) == pytest.approx(100 * expected, abs=1e-9)


def test_floor_smoothing_leaves_out_orders_without_ngrams() -> None:
    metric = Bleu(smoothing="floor")
    assert metric.score(metric.stats("a x", ["a b"])) == pytest.approx(
        100 * (1 / 2 * 0.01 / 1) ** 0.5, abs=1e-9
    )


def test_qcri_of_a_short_hypothesis() -> None:
    metric = Bleu(smoothing="qcri")
    penalty = math.exp((4 - 6 - 1) / 4)
    ground = (1 / 5 * 1 / 4 * 1 / 3 * 1 / 2) ** 0.25
    expected = penalty * ((3 / 4 * 1 / 3 * 1 / 2 * 1 / 1) ** 0.25 - ground)
    assert metric.score(metric.stats(HYPOTHESIS, [REFERENCE])) == pytest.approx(100 * expected, abs=1e-9)


def test_qcri_of_a_hypothesis_that_is_long_enough() -> None:
    metric = Bleu(smoothing="qcri")  # orders 3 and 4 have no n-gram
    expected = (1 / 2 * 1 / 1) ** 0.5 - (1 / 3 * 1 / 2) ** 0.5
    assert metric.score(metric.stats("a x", ["a b"])) == pytest.approx(100 * expected, abs=1e-9)
