"""RIBES: how well the order of the words agrees with that of the reference (Isozaki et al. 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import MeanOfSentences, PreparedReferences, References, Statistics, Tokens, check_words

Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Ribes(MeanOfSentences):
    """Mean over sentences of NKT · P^alpha · BP^beta, from 0 to 100, with the reference that gives the most.

    NKT is the normalised Kendall's τ of the words that correspond to one word of the reference each, P their
    part of the hypothesis, and BP the brevity penalty of BLEU (Isozaki, Hirao, Duh, Sudoh & Tsukada 2010).
    Words that occur more than once correspond by the shortest context that is unique on both sides, as in the
    authors' program, version 1.03. The score of a sentence without words is 0. The statistics are
    ``[score, sentences]``.

    Parameters
    ----------
    alpha, beta : float
        Exponents of P and BP, at least 0.
    max_words : int
        Longest hypothesis and reference: time and memory grow with the product of their lengths.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    alpha: float = 0.25
    beta: float = 0.1
    max_words: int = 10_000

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not 0 <= value < np.inf:
                raise ValueError(f"{name} must be a finite number of at least 0, got {value}")
        if self.max_words < 1:
            raise ValueError(f"max_words must be at least 1, got {self.max_words}")

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return f"RIBES|alpha:{self.alpha:g}|beta:{self.beta:g}|case:mixed|tok:none"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _RibesReferences(references, self)


class _RibesReferences(PreparedReferences):
    """The references of one sentence, as numbers of words."""

    def __init__(self, references: Sequence[Tokens], metric: Ribes) -> None:
        for number, reference in enumerate(references):
            check_words(reference, metric.max_words, "Ribes", number)
        words = {word for reference in references for word in reference}
        self._metric, self._numbers = metric, {word: number for number, word in enumerate(words)}
        self._references = [self._numbered(reference) for reference in references]

    def _numbered(self, tokens: Tokens) -> Numbers:
        # A word that is in no reference is counted in no context, so that all such words share one number.
        return np.array([self._numbers.get(token, -1) for token in tokens], np.int64)

    def compare(self, hypothesis: Tokens) -> Statistics:
        """Return the statistics of one hypothesis."""
        check_words(hypothesis, self._metric.max_words, "Ribes")
        numbers = self._numbered(hypothesis)
        return np.array([max(self._score(numbers, reference) for reference in self._references), 1.0])

    def _score(self, hypothesis: Numbers, reference: Numbers) -> float:
        if not len(hypothesis) or not len(reference):
            return 0.0
        ranks = corresponding(hypothesis, reference)
        n = len(ranks)
        if n < 2 and n != len(reference):
            return 0.0
        nkt = 1.0 if n == 1 else ascending(ranks) / (n * (n - 1) / 2)
        brevity = min(1.0, float(np.exp(1 - len(reference) / len(hypothesis))))
        precision = n / len(hypothesis)
        return float(nkt * precision**self._metric.alpha * brevity**self._metric.beta)


def corresponding(hypothesis: Numbers, reference: Numbers) -> Numbers:
    """Return the position in the reference of each word of the hypothesis that corresponds to one, in order.

    A word corresponds by the shortest n-gram that ends or begins with it and that occurs once on both sides:
    its length is above that of all but the longest match, and at most that.
    """
    left = _matches(hypothesis, reference)
    right = _matches(hypothesis[::-1], reference[::-1])[::-1]
    right[:, 2] = len(reference) - 1 - right[:, 2]
    positions = []
    for (shortest, longest, position), (other, most, place) in zip(
        left.tolist(), right.tolist(), strict=True
    ):
        if shortest <= longest and (other > most or shortest <= other):
            positions.append(position)
        elif other <= most:
            positions.append(place)
    return np.array(positions, np.int64)


def _matches(hypothesis: Numbers, reference: Numbers) -> Numbers:
    """Measure the n-grams that end with each word of the hypothesis.

    A row has the length of the shortest one that can be unique, that of the longest one in the reference, and
    the word's position there.
    """
    found = np.zeros((len(hypothesis), 3), np.int64)
    # [j]: the length of the longest n-gram that ends here and at position j - 1 there
    of_reference, of_hypothesis = (np.zeros(len(words) + 1, np.int64) for words in (reference, hypothesis))
    for i, word in enumerate(hypothesis.tolist()):
        for lengths, words in ((of_reference, reference), (of_hypothesis, hypothesis)):
            lengths[1:] = np.where(words == word, lengths[:-1] + 1, 0)
        position = int(of_reference[1:].argmax())
        longest = int(of_reference[position + 1])
        others = np.delete(of_reference, position + 1).max()
        repeated = max(of_hypothesis[: i + 1].max(), of_hypothesis[i + 2 :].max(initial=0))
        found[i] = 1 + max(others, repeated), longest, position
    return found


def ascending(ranks: Numbers) -> int:
    """Count the pairs of which the second is above the first."""
    return sum(int((ranks[place + 1 :] > rank).sum()) for place, rank in enumerate(ranks.tolist()))
