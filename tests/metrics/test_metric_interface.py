"""What every metric promises: additive statistics, whatever order and form the sentences come in."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopefear.metrics import (
    Bleu,
    BleuPlusOne,
    Cer,
    CharacTer,
    Chrf,
    Ksmr,
    Metric,
    Nist,
    Ribes,
    Ssk,
    Ter,
    TooLong,
    Wer,
)

# Every bigram of the letters below, and the sentences of words.
TEST_SET = [[a + " " + b] for a in "abcde" for b in "abcde"] + [
    ["the cat sat on the mat", "a cat was on the mat", "the cat", "a cat sat", "a cat sat on the mat"]
]

METRICS: list[Metric] = [
    Bleu(),
    Bleu(order=2),
    Bleu(effective_reference_length="shortest"),
    Bleu(effective_reference_length="average"),
    Bleu(smoothing="add-one"),
    Bleu(smoothing="floor"),
    Bleu(smoothing="qcri"),
    BleuPlusOne(),
    BleuPlusOne(smooth_brevity=True, effective_reference_length="shortest"),
    BleuPlusOne(grounded=True),
    BleuPlusOne(order=2, smooth_brevity=True, grounded=True),
    Nist(order=2).for_corpus(TEST_SET),
    Ter(),
    Wer(),
    Cer(),
    CharacTer(),
    Chrf(),
    Chrf(word_order=2),
    Chrf(char_order=2, beta=1, whitespace=True),
    Ribes(),
    Ribes(alpha=0.0, beta=1.0),
    Ssk(),
    Ssk(order=2, decay=0.5),
]
metrics = pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature())

sentences = st.text("abcd", max_size=8).map(list)
segments = st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3))
corpora = st.lists(segments, min_size=1, max_size=4)
some = settings(max_examples=40)
"""For each metric."""


@metrics
@some
@given(corpus=corpora, data=st.data())
def test_order_of_sentences_does_not_matter(
    metric: Metric, corpus: list[tuple[list[str], list[list[str]]]], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(corpus))
    first, second = (
        metric.score(metric.corpus_stats(*map(list, zip(*order, strict=True))).sum(axis=0))
        for order in (corpus, shuffled)
    )
    assert second == pytest.approx(first, abs=1e-9)


# Of references with the same chrF, it takes the first, as sacrebleu does; their statistics may differ.
symmetric = [metric for metric in METRICS if not isinstance(metric, Chrf)]


@pytest.mark.parametrize("metric", symmetric, ids=lambda metric: metric.signature())
@some
@given(segment=segments)
def test_order_of_references_does_not_matter(
    metric: Metric, segment: tuple[list[str], list[list[str]]]
) -> None:
    hypothesis, references = segment
    np.testing.assert_allclose(
        metric.stats(hypothesis, references), metric.stats(hypothesis, references[::-1]), rtol=1e-12
    )


@metrics
@some
@given(corpus=corpora)
def test_rows_of_a_corpus_are_the_statistics_of_its_sentences(
    metric: Metric, corpus: list[tuple[list[str], list[list[str]]]]
) -> None:
    hypotheses, references = map(list, zip(*corpus, strict=True))
    stats = metric.corpus_stats(hypotheses, references)
    assert stats.dtype == np.float64
    assert stats.shape == (len(corpus), metric.size)
    assert np.isfinite(stats).all()
    assert (stats >= 0).all()
    for row, hypothesis, sentence_references in zip(stats, hypotheses, references, strict=True):
        np.testing.assert_array_equal(row, metric.stats(hypothesis, sentence_references))


@metrics
@some
@given(corpus=corpora)
def test_scoring_many_sums_is_scoring_each(
    metric: Metric, corpus: list[tuple[list[str], list[list[str]]]]
) -> None:
    hypotheses, references = map(list, zip(*corpus, strict=True))
    stats = metric.corpus_stats(hypotheses, references)
    scores = metric.scores(stats)
    assert scores.shape == (len(corpus),)
    assert all(math.isfinite(score) for score in scores)
    np.testing.assert_allclose(scores, [metric.score(row) for row in stats], rtol=1e-12)
    np.testing.assert_allclose(metric.scores(stats[None]), [scores], rtol=1e-12)


@metrics
def test_prepared_references_serve_many_hypotheses(metric: Metric) -> None:
    references = ["the cat sat on the mat", "a cat was on the mat"]
    hypotheses = ["the the the the", "a cat sat on the mat", "", "mat"]
    prepared = metric.prepare(references)
    batch = prepared.batch(hypotheses)
    assert batch.shape == (4, metric.size)
    for row, hypothesis in zip(batch, hypotheses, strict=True):
        np.testing.assert_array_equal(row, prepared.stats(hypothesis))
        np.testing.assert_array_equal(row, metric.stats(hypothesis, references))


@metrics
def test_strings_are_split_at_white_space(metric: Metric) -> None:
    tokens = metric.stats(["the", "cat", "sat"], [["the", "cat"], ("a", "cat", "sat")])
    np.testing.assert_array_equal(tokens, metric.stats(" the  cat\tsat\n", ["the cat", "a cat sat"]))


@metrics
def test_nothing_said_is_worst(metric: Metric) -> None:
    worst = 0.0 if metric.higher_is_better else 100.0
    assert metric.score(metric.stats("", ["a b c d e"])) == worst


@metrics
def test_empty_corpus(metric: Metric) -> None:
    stats = metric.corpus_stats([], [])
    assert stats.shape == (0, metric.size)
    assert metric.score(stats.sum(axis=0)) == 0.0


@metrics
def test_equal_settings_are_equal_metrics(metric: Metric) -> None:
    assert pickle.loads(pickle.dumps(metric)) == metric
    assert len({metric, pickle.loads(pickle.dumps(metric))}) == 1


def test_signatures_tell_metrics_apart() -> None:
    signatures = [metric.signature() for metric in METRICS]
    assert len(set(signatures)) == len(METRICS)
    for signature in signatures:
        assert " " not in signature
        assert all(":" in setting for setting in signature.split("|")[1:])


@metrics
def test_bad_input_is_refused(metric: Metric) -> None:
    with pytest.raises(ValueError, match="at least one sentence, got none"):
        metric.stats("a", [])
    with pytest.raises(ValueError, match="sequence of sentences, got the one string 'a b'"):
        metric.prepare("a b")
    with pytest.raises(ValueError, match="same number of sentences, got 2 and 1"):
        metric.corpus_stats(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match=rf"shape \(\.\.\., {metric.size}\), got \({metric.size + 1},\)"):
        metric.score(np.ones(metric.size + 1))
    with pytest.raises(ValueError, match=r"got \(\)"):
        metric.score(1.0)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (Bleu, {"order": 0}, "order must be from 1 to 100, got 0"),
        (Bleu, {"effective_reference_length": "nearest"}, "must be one of .*'shortest'.*got 'nearest'"),
        (Bleu, {"smoothing": "exp"}, "smoothing must be one of .*'add-one'.*got 'exp'"),
        (BleuPlusOne, {"order": 0}, "order must be from 1 to 100, got 0"),
        (BleuPlusOne, {"effective_reference_length": "nearest"}, "effective_reference_length must be one of"),
        (Chrf, {"char_order": 0}, "char_order must be from 1 to 100, got 0"),
        (Chrf, {"word_order": -1}, "word_order must be from 0 to 100, got -1"),
        (Chrf, {"beta": 0.0}, "beta must be a finite number above 0, got 0.0"),
        (Nist, {"order": 0}, "order must be from 1 to 100, got 0"),
        (Nist, {"order": 2**31}, "order must be from 1 to 100, got 2147483648"),
        (Ribes, {"alpha": -1.0}, "alpha must be a finite number of at least 0, got -1.0"),
        (Ribes, {"max_words": 0}, "max_words must be at least 1, got 0"),
        (Ssk, {"order": 0}, "order must be from 1 to 100, got 0"),
        (Ssk, {"decay": 1.5}, "decay must be above 0 and at most 1, got 1.5"),
    ],
)
def test_options_are_checked(kind: type[Metric], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**options)


@pytest.mark.parametrize("reference", [None, 5, 1.5, b"a"])
def test_a_sentence_is_a_text_or_words(reference: Any) -> None:
    for metric in (Bleu(), Ter(), CharacTer()):
        with pytest.raises(TypeError, match=r"expected references\[0\].* to be of type .*str.*, got "):
            metric.stats("a", [reference])


@pytest.mark.parametrize("metric", [Cer(), Ksmr()])
def test_sentences_whose_edits_would_take_hours_are_refused(metric: Metric) -> None:
    long = "a" * 100_001
    with pytest.raises(TooLong, match="at most 100,000 words or characters, got 100,001") as hypothesis:
        metric.stats(long, ["a"])
    with pytest.raises(TooLong) as reference:
        metric.stats("a", ["a", long])
    assert (hypothesis.value.reference, reference.value.reference) == (None, 1)
