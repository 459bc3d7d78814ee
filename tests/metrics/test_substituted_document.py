"""A document with one translation replaced, against the score of that document from scratch."""

from __future__ import annotations

import random

import numpy as np
import pytest

from hopefear.metrics import Bleu, Metric, SubstitutedDocument, Ter

WORDS = "abcdef"


def sentences(number: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [[rng.choice(WORDS) for _ in range(rng.randint(4, 12))] for _ in range(number)]


def corrupted(lines: list[list[str]], seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [[word if rng.random() < 0.8 else rng.choice(WORDS) for word in line] for line in lines]


@pytest.mark.parametrize("metric", [Bleu(), Ter()], ids=lambda metric: metric.signature())
def test_scores_are_those_of_the_document_from_scratch(metric: Metric) -> None:
    references = [[line] for line in sentences(8, 1)]
    oracles = corrupted([line for (line,) in references], 2)
    document = SubstitutedDocument(metric, metric.corpus_stats(oracles, references))
    sign = 1 if metric.higher_is_better else -1

    def scratch(lines: list[list[str]]) -> float:
        return sign * metric.score(metric.corpus_stats(lines, references).sum(axis=0))

    for sentence in range(8):
        candidates = corrupted([references[sentence][0]] * 5, sentence)
        stats = metric.prepare(references[sentence]).batch(candidates)
        expected = [scratch([*oracles[:sentence], line, *oracles[sentence + 1 :]]) for line in candidates]
        np.testing.assert_allclose(document.scores(sentence, stats), expected, atol=1e-9)
        np.testing.assert_allclose(
            document.losses(sentence, stats), scratch(oracles) - np.array(expected), atol=1e-9
        )
        assert document.losses(sentence, document.statistics[sentence]) == 0
        best = int(np.argmax(document.scores(sentence, stats)))
        if document.losses(sentence, stats[best]) < 0:
            before = document.scores(sentence, stats[best])
            document.replace(sentence, stats[best])
            oracles[sentence] = candidates[best]
            assert metric.quality(document.total) == pytest.approx(float(before), abs=1e-9)


def test_sentences_come_in_one_by_one() -> None:
    metric = Bleu()
    document = SubstitutedDocument(metric, np.zeros((2, metric.size)))
    rows = metric.corpus_stats(["a b c d e", "a b c d"], [["a b c d e"], ["a b c x"]])
    for sentence, row in enumerate(rows):
        document.replace(sentence, row)
    np.testing.assert_array_equal(document.total, rows.sum(axis=0))
    assert document.scores(0, rows[0]) == pytest.approx(metric.score(rows.sum(axis=0)))


def test_what_the_caller_has_stays_the_callers() -> None:
    rows = np.ones((2, 10))
    document = SubstitutedDocument(Bleu(), rows)
    document.replace(0, np.zeros(10))
    assert (rows == 1).all()


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(n, 10\), got \(10,\)"):
        SubstitutedDocument(Bleu(), np.zeros(10))
    with pytest.raises(ValueError, match="numbers of at least 0"):
        SubstitutedDocument(Bleu(), -np.ones((1, 10)))
    document = SubstitutedDocument(Bleu(), np.zeros((1, 10)))
    with pytest.raises(ValueError, match=r"shape \(10,\), got \(2, 10\)"):
        document.replace(0, np.zeros((2, 10)))
    with pytest.raises(ValueError, match="numbers of at least 0"):
        document.replace(0, np.full(10, np.inf))
