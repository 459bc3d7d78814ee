"""BLEU (Papineni, Roukos, Ward & Zhu 2002) and its smoothed forms, from one vector of n-gram counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hopefear._native import BleuReferences

from .base import Metric, PreparedReferences, References, Sentence, Statistics, Tokens, check_order

EffectiveReferenceLength = Literal["closest", "shortest", "average"]
Smoothing = Literal["none", "add-one", "floor", "qcri"]

FLOOR = 0.01
"""The number of matches that cdec's BLEU assumes for an n-gram order without a match."""


@dataclass(frozen=True, kw_only=True)
class Bleu(Metric):
    """BLEU over the given tokens, from 0 to 100.

    The statistics are those of Chiang, Marton & Resnik 2008, section 2.2: ``[hypothesis length, effective
    reference length, n-grams of the hypothesis for n = 1…order, clipped n-gram matches for n = 1…order]``.

    Parameters
    ----------
    order : int
        Longest n-gram.
    effective_reference_length : {"closest", "shortest", "average"}
        The length that counts if there are several references: the closest to the hypothesis, or the shorter
        of two equally close lengths (sacrebleu; cdec's IBM_BLEU), the shortest (Chiang et al. 2008; cdec's
        NIST_BLEU) or the average (cdec's KOEHN_BLEU).
    smoothing : {"none", "add-one", "floor", "qcri"}
        How the score treats n-gram orders without a match.

        - "none": the score is 0, as in sacrebleu with ``smooth_method='none'``.
        - "add-one": one is added to n-grams and matches for n > 1: BLEU+1 (Lin & Och 2004).
        - "floor": 0.01 counts as the number of matches, and orders without n-grams are left out: cdec's BLEU.
        - "qcri": cdec's QCRI_BLEU, after Nakov, Guzmán & Vogel 2012. 1 counts as the number of matches, and
          orders without n-grams are left out. A hypothesis that is too short is penalised as if the reference
          were one token longer. The score of add-one smoothing of every order without any match is
          subtracted.

    Raises
    ------
    ValueError
        If the order is below 1 or an option is unknown.
    """

    order: int = 4
    effective_reference_length: EffectiveReferenceLength = "closest"
    smoothing: Smoothing = "none"

    def __post_init__(self) -> None:
        check_order("order", self.order)
        options = {"effective_reference_length": EffectiveReferenceLength, "smoothing": Smoothing}
        for name, known in options.items():
            if getattr(self, name) not in get_args(known):
                raise ValueError(f"{name} must be one of {get_args(known)}, got {getattr(self, name)!r}")

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 2 + 2 * self.order

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return (
            f"BLEU|order:{self.order}|reflen:{self.effective_reference_length}"
            f"|case:mixed|tok:none|smooth:{self.smoothing}"
        )

    def sentence_score(self, hypothesis: Sentence, references: Sequence[Sentence]) -> float:
        """BLEU+1 of one sentence (Lin & Och 2004), 0 to 100, for every setting of `smoothing`."""
        return replace(self, smoothing="add-one").score(self.stats(hypothesis, references))

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _BleuReferences(references, self.order, self.effective_reference_length)

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        length, reference_length = stats[..., 0], stats[..., 1]
        counts, matches = stats[..., 2 : 2 + self.order], stats[..., 2 + self.order :]
        if self.smoothing == "qcri":
            too_short = length < reference_length
            penalty = np.where(too_short, log_brevity_penalty(length, reference_length + 1), 0.0)
            precision = _floored_log_precision(counts, matches, 1.0)
            ground = _floored_log_precision(counts + (counts > 0), np.zeros_like(matches), 1.0)
            return 100 * (np.exp(precision + penalty) - np.exp(ground + penalty))
        penalty = log_brevity_penalty(length, reference_length)
        if self.smoothing == "floor":
            return 100 * np.exp(_floored_log_precision(counts, matches, FLOOR) + penalty)
        if self.smoothing == "add-one":
            # Without any match BLEU+1 is 0: the unigrams are not smoothed.
            extra = np.arange(self.order) > 0
            counts, matches = counts + extra, matches + extra
        return 100 * np.exp(log_precision(counts, matches) + penalty)


def log_brevity_penalty(length: Statistics, reference_length: Statistics) -> Statistics:
    """min(0, 1 - r/h), and minus infinity for an empty hypothesis."""
    ratio = np.divide(reference_length, length, out=np.full_like(length, np.inf), where=length > 0)
    return np.minimum(0.0, 1.0 - ratio)


def log_precision(counts: Statistics, matches: Statistics) -> Statistics:
    """Mean log precision over all orders; minus infinity if one of them has no match or no n-gram."""
    precision = np.divide(matches, counts, out=np.zeros_like(counts), where=counts > 0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(precision).mean(axis=-1))


def _floored_log_precision(counts: Statistics, matches: Statistics, floor: float) -> Statistics:
    """Mean log precision over the orders with n-grams; an order without a match counts `floor` matches."""
    present = counts > 0
    floored = np.where(matches > 0, matches, floor)
    logs = np.log(np.divide(floored, counts, out=np.ones_like(counts), where=present))
    return np.asarray(logs.sum(axis=-1) / np.maximum(present.sum(axis=-1), 1))


class _BleuReferences(PreparedReferences):
    """The references of one sentence; native code counts the n-grams."""

    def __init__(
        self, references: Sequence[Tokens], order: int, effective_length: EffectiveReferenceLength
    ) -> None:
        lengths = [len(reference) for reference in references]
        length: float | None = None  # the closest to the hypothesis
        if effective_length == "shortest":
            length = min(lengths)
        elif effective_length == "average":
            length = sum(lengths) / len(lengths)
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        words = [[number(token, len(self._numbers) + 1) for token in tokens] for tokens in references]
        self._native = BleuReferences(words, order=order, length=length)

    def compare(self, hypothesis: Tokens) -> Statistics:
        statistics: Statistics = self.compare_all([hypothesis])[0]
        return statistics

    def compare_all(self, hypotheses: list[Tokens]) -> Statistics:
        number = self._numbers.get
        words = [[number(token, 0) for token in tokens] for tokens in hypotheses]
        return self._native.statistics(words)

    def compare_numbers(
        self, words: Sequence[str], indptr: NDArray[np.int64], numbers: NDArray[np.int32]
    ) -> Statistics:
        known = np.array([self._numbers.get(word, 0) for word in words], np.int32)
        return self._native.statistics_of_rows(indptr, known[numbers])
