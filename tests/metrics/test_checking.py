"""`check_metric` passes the metrics of words and characters, and each check finds what it is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from hopefear.metrics import (
    Metric,
    MetricError,
    PreparedReferences,
    Statistics,
    Tokens,
    check_metric,
    create_metric,
)

LINES = [
    "Bleu",
    "Bleu --smoothing add-one",
    "BleuPlusOne",
    "Nist",
    "Ter",
    "Wer",
    "Cer",
    "Chrf --word-order 2",
    "Ksmr",
]


@pytest.mark.parametrize("line", LINES)
def test_metrics_of_words_and_characters_pass(line: str) -> None:
    check_metric(create_metric(line))


class Lengths(PreparedReferences):
    def __init__(self, references: Sequence[Tokens]) -> None:
        self.length = len(references[0])

    def compare(self, hypothesis: Tokens) -> Statistics:
        return np.array([min(len(hypothesis), self.length), self.length], float)


@dataclass(frozen=True)
class Good(Metric):
    """The part of the words of the first reference that a translation has place for."""

    size = 2

    def signature(self) -> str:
        return "Good|tok:none"

    def compile(self, references: Sequence[Tokens]) -> PreparedReferences:
        return Lengths(references)

    def formula(self, stats: Statistics) -> Statistics:
        return 100 * stats[..., 0] / np.maximum(stats[..., 1], 1)


class Blanks(Good):
    def signature(self) -> str:
        return "Good metric"


class Longer(Good):
    size = 3


class Infinite(Good):
    def formula(self, stats: Statistics) -> Statistics:
        with np.errstate(all="ignore"):
            return stats[..., 0] / stats[..., 1]


class LowerIsBetter(Good):
    higher_is_better = False


class OneScore(Good):
    def formula(self, stats: Statistics) -> Statistics:
        return np.asarray(super().formula(stats).mean())


class Raises(Good):
    def formula(self, stats: Statistics) -> Statistics:
        raise LookupError("no scores")


class Batches(Good):
    def compile(self, references: Sequence[Tokens]) -> PreparedReferences:
        class Twice(Lengths):
            def compare_all(self, hypotheses: list[Tokens]) -> Statistics:
                return 2 * super().compare_all(hypotheses)

        return Twice(references)


class Unequal(Good):
    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (Blanks(), "signature: expected words without blanks, got 'Good metric'"),
        (Longer(), r"statistics: expected float64 of shape \(3,\), got float64 of shape \(2,\)"),
        (Batches(), "batch: batch differs from stats of each hypothesis"),
        (OneScore(), r"scores: expected scores of shape \(2, 7\), got \(\)"),
        (Infinite(), "scores: expected a finite score of no sentences, got nan"),
        (Raises(), r"scores: metric Raises: LookupError: no scores \(\S*test_checking.py:\d+, in formula\)$"),
        (LowerIsBetter(), "order: .* is better than the reference"),
        (Unequal(), "processes: a copy of another process is not equal"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Metric) else "",
)
def test_each_check_finds_what_it_is_for(metric: Any, message: str) -> None:
    with pytest.raises(MetricError, match=f"^{type(metric).__name__}: check {message}"):
        check_metric(metric)


def test_the_example_passes() -> None:
    check_metric(Good())
