"""Equations 6 to 9 of Chiang, Marton & Resnik 2008."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from hopefear import InputError
from hopefear.base.state import load, save
from hopefear.metrics import Bleu, PseudoDocument, Ter

METRIC = Bleu(effective_reference_length="shortest")
REFERENCES = [["the cat sat on the mat", "a cat sat on a mat"], ["he goes home now", "now he goes home"]]
HYPOTHESES = ["the cat is on the mat", "he goes to home"]
SOURCE_LENGTHS = [6, 3]


def sentence_stats() -> list[np.ndarray]:
    return list(METRIC.corpus_stats(HYPOTHESES, REFERENCES))


def test_moving_average_of_statistics_and_source_length() -> None:
    document = PseudoDocument(METRIC, initial=np.full(METRIC.size, 2.0))
    first, second = sentence_stats()
    document.update(first, 6)
    document.update(second, 3)
    np.testing.assert_allclose(document.statistics, 0.81 * 2 + 0.81 * first + 0.9 * second, rtol=1e-12)
    assert document.source_length == pytest.approx(0.81 * 6 + 0.9 * 3)


def test_score_in_the_context_of_the_document() -> None:
    # A decay of 1 makes O a corpus, whose BLEU sacrebleu knows (both references are of one length).
    document = PseudoDocument(METRIC, decay=1.0, initial=np.zeros(METRIC.size))
    stats = sentence_stats()
    document.update(stats[0], 6)
    streams = [list(stream) for stream in zip(*REFERENCES, strict=True)]
    corpus = BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(HYPOTHESES, streams).score
    assert document.B(stats[1], 3) == pytest.approx((6 + 3) * corpus / 100, rel=1e-12)


def test_many_hypotheses_at_once() -> None:
    document = PseudoDocument(METRIC)
    document.update(sentence_stats()[0], 6)
    prepared = METRIC.prepare(REFERENCES[1])
    batch = prepared.batch(["he goes home now", "he goes to home", "", "x y z w v"])
    values = document.B(batch, 3)
    assert values.shape == (4,)
    np.testing.assert_allclose(values, [document.B(row, 3) for row in batch], rtol=1e-12)
    assert values[0] > values[1] > values[3]
    loss = document.loss(batch[0], batch, 3)
    assert loss[0] == 0.0
    np.testing.assert_allclose(loss, values[0] - values, rtol=1e-12)


def test_hypotheses_differ_from_the_first_sentence_on() -> None:
    prepared = METRIC.prepare(["the cat sat on the mat"])
    batch = prepared.batch(["x y z", "the y z", "the cat z", "the cat sat on the mat"])
    values = PseudoDocument(METRIC).B(batch, 6)
    assert (np.diff(values) > 0).all()
    # With ones in O: precisions 1/(1+3), 1/(1+2), 1/(1+1), 1/1 and lengths 4 and 7.
    assert values[0] == pytest.approx(6 * (1 / 4 * 1 / 3 * 1 / 2) ** 0.25 * np.exp(1 - 7 / 4))


def test_scoring_does_not_change_the_document() -> None:
    document = PseudoDocument(METRIC)
    document.B(sentence_stats()[0], 6)
    np.testing.assert_array_equal(document.statistics, np.ones(METRIC.size))
    assert document.source_length == 0.0


def test_state_survives_json_bit_for_bit() -> None:
    document = PseudoDocument(METRIC)
    for _ in range(50):
        for stats, length in zip(sentence_stats(), SOURCE_LENGTHS, strict=True):
            document.update(stats, length)
    restored = PseudoDocument(METRIC)
    state = save(document)
    load(restored, {**state, "facts": json.loads(json.dumps(state["facts"]))}, what="a document")
    for each in (document, restored):
        each.update(sentence_stats()[0], 6)
    np.testing.assert_array_equal(restored.statistics, document.statistics)
    assert restored.source_length == document.source_length


def test_state_is_a_copy() -> None:
    document = PseudoDocument(METRIC)
    state = save(document)
    document.update(sentence_stats()[0], 6)
    assert state["facts"] == {"source_length": 0.0}
    assert state["arrays"]["statistics"].tolist() == [1.0] * METRIC.size


def test_fewer_errors_are_better() -> None:
    # By hand: O is (3 edits, 12 words), then 0, 1 and 2 edits to a reference of 4 words, |f| = 5, O_f = 8.
    document = PseudoDocument(Ter(), decay=1.0, initial=[3, 12])
    document.source_length = 8.0
    batch = Ter().prepare(["a b c d"]).batch(["a b c d", "a b c x", "a b x y"])
    np.testing.assert_allclose(document.B(batch, 5), [-13 * 3 / 16, -13 * 4 / 16, -13 * 5 / 16], rtol=1e-12)
    assert document.loss(batch[0], batch[2], 5) == pytest.approx(13 * 2 / 16)


def test_without_decay_every_sentence_stands_alone() -> None:
    metric = Bleu(smoothing="add-one")
    document = PseudoDocument(metric, decay=0.0)
    for hypothesis, references, length in zip(HYPOTHESES, REFERENCES, SOURCE_LENGTHS, strict=True):
        stats = metric.stats(hypothesis, references)
        expected = length * metric.sentence_score(hypothesis, references) / 100
        assert document.B(stats, length) == pytest.approx(expected, rel=1e-12)
        document.update(stats, length)


def test_bad_input_is_refused() -> None:
    for decay in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match=f"decay must be from 0 to 1, got {decay}"):
            PseudoDocument(METRIC, decay=decay)
    for initial in (np.ones(9), -np.ones(10), np.full(10, np.nan)):
        with pytest.raises(ValueError, match="statistics must be 10 numbers of at least 0"):
            PseudoDocument(METRIC, initial=initial)
    document = PseudoDocument(METRIC)
    for statistics, length, message in [
        (np.ones(1), 0.0, "statistics must be 10 numbers"),
        (-np.ones(10), 0.0, "expected numbers of at least 0 in statistics"),
        (np.full(10, np.inf), 0.0, "expected finite numbers in statistics"),
        (np.ones(10), -1.0, "expected source_length to be at least 0, got -1"),
        (np.ones(10), 10**400, "source_length: number out of range"),
    ]:
        state = {"facts": {"source_length": length}, "arrays": {"statistics": statistics}}
        with pytest.raises(InputError, match=f"expected the state of a document; .*{message}"):
            load(document, state, what="a document")
    assert document.source_length == 0.0
