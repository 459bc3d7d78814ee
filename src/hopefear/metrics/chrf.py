"""chrF and chrF++ (Popović 2015, 2017): F-score of character n-grams, and of word n-grams."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .base import Metric, PreparedReferences, References, Statistics, Tokens, check_order

Ngrams = Counter[Hashable]
"""How often each n-gram of one order occurs."""

_PUNCTUATION = frozenset(string.punctuation)


@dataclass(frozen=True, kw_only=True)
class Chrf(Metric):
    """chrF, from 0 to 100; ``Chrf(word_order=2)`` is chrF++. The scores equal sacrebleu's.

    Precision and recall are averaged over the orders for which both sides have n-grams, characters first,
    then words, with punctuation split off their ends; the score is the F-score of the two averages. The
    statistics are ``[n-grams of the hypothesis, of the reference, matches]``, each for all orders, of the
    first reference with the highest score.

    Parameters
    ----------
    char_order, word_order : int
        Longest n-gram of characters and of words; 0 for no words.
    beta : float
        Weight of recall relative to precision.
    whitespace : bool
        Whether the spaces between tokens count as characters.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    of_words = False

    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0
    whitespace: bool = False

    def __post_init__(self) -> None:
        check_order("char_order", self.char_order)
        check_order("word_order", self.word_order, least=0)
        if not 0 < self.beta < np.inf:
            raise ValueError(f"beta must be a finite number above 0, got {self.beta}")

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 3 * (self.char_order + self.word_order)

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return (
            f"chrF{self.beta:g}{'+' * self.word_order}|nc:{self.char_order}|nw:{self.word_order}"
            f"|space:{'yes' if self.whitespace else 'no'}|case:mixed|eff:yes"
        )

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _ChrfReferences(references, self)

    def ngrams(self, tokens: Tokens) -> list[Ngrams]:
        """Count the n-grams of a sentence, one counter per order, characters first."""
        text = (" " if self.whitespace else "").join(tokens)
        counters: list[Ngrams] = [
            Counter(text[start : start + n] for start in range(len(text) - n + 1))
            for n in range(1, self.char_order + 1)
        ]
        words = _words(tokens) if self.word_order else ()
        for n in range(1, self.word_order + 1):
            counters.append(Counter(words[start : start + n] for start in range(len(words) - n + 1)))
        return counters

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        hypothesis, reference, matches = np.split(stats, 3, axis=-1)
        both = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(both.sum(axis=-1), 1)
        precision = _total(matches, hypothesis, both) / orders
        recall = _total(matches, reference, both) / orders
        weight = self.beta**2
        score: Statistics = np.zeros_like(precision)
        product = (1 + weight) * precision * recall
        np.divide(product, weight * precision + recall, out=score, where=product > 0)
        return 100 * score


class _ChrfReferences(PreparedReferences):
    """The n-grams of the references of one sentence."""

    def __init__(self, references: Sequence[Tokens], metric: Chrf) -> None:
        self._metric = metric
        self._references = [metric.ngrams(reference) for reference in references]

    def compare(self, hypothesis: Tokens) -> Statistics:
        ngrams = self._metric.ngrams(hypothesis)
        rows = np.array([_compare(ngrams, reference) for reference in self._references], dtype=np.float64)
        best: Statistics = rows[np.argmax(self._metric.scores(rows))]
        return best


def _compare(hypothesis: Sequence[Ngrams], reference: Sequence[Ngrams]) -> list[int]:
    of_hypothesis, of_reference, matches = [], [], []
    for ngrams, others in zip(hypothesis, reference, strict=True):
        # As in sacrebleu, n-grams that are longer than the reference do not count.
        of_hypothesis.append(ngrams.total() if others else 0)
        of_reference.append(others.total())
        matches.append(sum(min(count, others[ngram]) for ngram, count in ngrams.items() if ngram in others))
    return of_hypothesis + of_reference + matches


def _total(matches: Statistics, counts: Statistics, where: NDArray[np.bool_]) -> Statistics:
    """Sum of matches / counts, order by order, so that ties between references end as in sacrebleu."""
    ratios = np.divide(matches, counts, out=np.zeros_like(matches), where=where)
    return np.asarray(np.cumsum(ratios, axis=-1)[..., -1])


def _words(tokens: Tokens) -> tuple[str, ...]:
    """The tokens, with one punctuation character split off the end of each, or else off its beginning."""
    words: list[str] = []
    for token in tokens:
        if len(token) > 1 and token[-1] in _PUNCTUATION:
            words += token[:-1], token[-1]
        elif len(token) > 1 and token[0] in _PUNCTUATION:
            words += token[0], token[1:]
        else:
            words.append(token)
    return tuple(words)
