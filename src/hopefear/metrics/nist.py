"""NIST (Doddington 2002): n-gram matches weighed by their information."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, log2

import numpy as np

from .base import (
    Metric,
    PreparedReferences,
    References,
    Sentence,
    Statistics,
    Tokens,
    check_order,
    reference_tokens,
)

Ngram = tuple[str, ...]

BETA = log(2) / log(1.5) ** 2
"""The length penalty is ½ if the hypothesis has two thirds of the reference's length."""


@dataclass(frozen=True, kw_only=True)
class Nist(Metric):
    """NIST as mteval-v13a computes it, over the given tokens; in bits, without an upper bound.

    A match of the n-gram w_1…w_n counts log2(#(w_1…w_{n-1}) / #(w_1…w_n)), where # is the number of
    occurrences in all references of the test set; for n = 1 the numerator is their number of words. The score
    is ::

        Σ_n information of the matches of order n / n-grams of order n of the hypothesis
          · exp(-β log²(min(1, h/r)))

    where h is the length of the hypotheses, r that of the references, averaged for each sentence, and β is
    such that the penalty is ½ at h/r = 2/3. Matches are clipped as in BLEU. The statistics are ``[average
    reference length, n-grams of the hypothesis for n = 1…order, information of the matches for n =
    1…order]``.

    The weights depend on the test set: `corpus_stats` computes them from its references, and `for_corpus`
    returns a metric with weights, for use sentence by sentence. Without weights `prepare` raises ValueError.

    Parameters
    ----------
    order : int
        Longest n-gram.

    Raises
    ------
    ValueError
        If the order is below 1.
    """

    order: int = 5

    def __post_init__(self) -> None:
        check_order("order", self.order)

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 1 + 2 * self.order

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return f"NIST|order:{self.order}|info:references|case:mixed|tok:none"

    def for_corpus(self, references: Iterable[Sequence[Sentence]]) -> Metric:
        """The metric with weights from the references of a whole test set.

        Raises
        ------
        ValueError
            If a sentence has no reference.
        """
        tokens = [tokens for sentence in references for tokens in reference_tokens(sentence)]
        return _WeightedNist(order=self.order, information=_information(tokens, self.order))

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        raise ValueError(
            "NIST weighs n-grams by the references of a whole test set, got those of one sentence: "
            "call for_corpus(references of the test set) first"
        )

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        reference_length, counts = stats[..., 0], stats[..., 1 : 1 + self.order]
        information = stats[..., 1 + self.order :]
        ratio = np.ones_like(reference_length)
        np.divide(counts[..., 0], reference_length, out=ratio, where=reference_length > 0)
        with np.errstate(divide="ignore"):
            penalty = np.exp(-BETA * np.log(np.minimum(ratio, 1)) ** 2)
        return np.asarray((information / np.maximum(counts, 1)).sum(axis=-1) * penalty)


@dataclass(frozen=True, kw_only=True)
class _WeightedNist(Nist):
    """NIST with the information of the n-grams of a test set's references."""

    information: Mapping[Ngram, float] = field(hash=False, repr=False)

    def for_corpus(self, references: Iterable[Sequence[Sentence]]) -> Metric:
        return self

    def compile(self, references: References) -> PreparedReferences:
        return _NistReferences(references, self.order, self.information)


class _NistReferences(PreparedReferences):
    """The n-grams of the references of one sentence, and their average length."""

    def __init__(self, references: Sequence[Tokens], order: int, information: Mapping[Ngram, float]) -> None:
        self._order = order
        self._information = information
        self._average_length = sum(map(len, references)) / len(references)
        self._clip: Counter[Ngram] = Counter()
        for reference in references:
            self._clip |= _ngrams(reference, order)
        for ngram in self._clip:
            if ngram not in information:
                raise ValueError(f"n-gram {' '.join(ngram)!r} is in no reference given to for_corpus")

    def compare(self, hypothesis: Tokens) -> Statistics:
        stats = np.zeros(1 + 2 * self._order)
        stats[0] = self._average_length
        stats[1 : 1 + self._order] = [max(0, len(hypothesis) - n) for n in range(self._order)]
        for ngram, matches in (_ngrams(hypothesis, self._order) & self._clip).items():
            stats[self._order + len(ngram)] += matches * self._information[ngram]
        return stats


def _information(references: Sequence[Tokens], order: int) -> dict[Ngram, float]:
    counts: Counter[Ngram] = Counter()
    for reference in references:
        counts.update(_ngrams(reference, order))
    counts[()] = sum(map(len, references))
    return {ngram: log2(counts[ngram[:-1]] / count) for ngram, count in counts.items() if ngram}


def _ngrams(tokens: Tokens, order: int) -> Counter[Ngram]:
    words = tuple(tokens)
    ends = range(1, order + 1)
    return Counter(words[start : start + n] for n in ends for start in range(len(words) - n + 1))
