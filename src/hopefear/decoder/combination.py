"""Combination: one consensus of what several systems say of a sentence (DeNero et al. 2010)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hopefear import _native
from hopefear.base.texts import split_words

from .consensus import Linear, deviation, ngrams_of, probabilities
from .hypergraph import Hypergraph


@dataclass(frozen=True)
class ScoredTexts:
    """A k-best list of any engine.

    Attributes
    ----------
    texts : sequence of str
        Translations, words separated by blanks; at least one.
    scores : sequence of float
        The score of each.
    """

    texts: Sequence[str]
    scores: Sequence[float]


def combine(
    systems: Sequence[Hypergraph | ScoredTexts],
    weights: Sequence[float] | None = None,
    method: Linear | None = None,
) -> str:
    """Return the translation of any of several systems that agrees best with all of them.

    The probability of an n-gram is the mean of its probabilities in the systems; the gain of a translation is
    that of `Linear`. The search is over all translations of the lists and of the pruned forests.

    Parameters
    ----------
    systems : sequence of Hypergraph or ScoredTexts
        What each system says of the sentence. Empty forests count as no system.
    weights : sequence of float, optional
        How much each system counts; by default all count the same.
    method : Linear, optional
        The settings; the weight of the model's score has no use here.

    Raises
    ------
    ValueError
        No system says anything, or the weights do not fit.
    """
    method = method or Linear()
    shares = [1.0] * len(systems) if weights is None else list(weights)
    if len(shares) != len(systems) or not all(weight >= 0 and np.isfinite(weight) for weight in shares):
        raise ValueError("expected a weight of at least 0 for each system")
    pairs = [
        (_System.of(each, method), weight)
        for each, weight in zip(systems, shares, strict=True)
        if isinstance(each, ScoredTexts) or len(each.native.node_category)
    ]
    total = sum(weight for _, weight in pairs)
    if not total:
        raise ValueError("expected a system with a translation and a weight above 0")
    posterior = Counter[str]()
    for system, weight in pairs:
        for ngram, probability in system.posteriors.items():
            posterior[ngram] += probability * weight / total  # type: ignore[assignment]
    candidates = [system.best(posterior, method) for system, _ in pairs]
    return max(candidates, key=lambda each: each[0])[1]


@dataclass(frozen=True)
class _System:
    """A system's translations of a sentence, and the probabilities of their n-grams."""

    posteriors: Mapping[str, float]
    ngrams: _native.NgramForest | None = None
    texts: Sequence[str] = ()

    @classmethod
    def of(cls, said: Hypergraph | ScoredTexts, method: Linear) -> _System:
        if isinstance(said, ScoredTexts):
            shares = probabilities(np.asarray(said.scores, np.float64), method.scale)
            counts = Counter[str]()
            for text, share in zip(said.texts, shares.tolist(), strict=True):
                for ngram in set(ngrams_of(text)):
                    counts[ngram] += share
            return cls(counts, texts=said.texts)
        ngrams = method.ngrams(said.native)
        scale = method.scale / deviation(ngrams.forest)
        posteriors = ngrams.posteriors(scale, negligible=method.negligible)
        return cls(dict(zip(ngrams.texts(), posteriors.tolist(), strict=True)), ngrams)

    def best(self, posterior: Mapping[str, float], method: Linear) -> tuple[float, str]:
        """Return the greatest gain of a translation, and the translation."""
        if self.ngrams is None:
            gains = [
                sum(_gains(list(ngrams_of(text)), posterior, method)) - len(split_words(text))
                for text in self.texts
            ]
            index = int(np.argmax(gains))
            return gains[index], " ".join(split_words(self.texts[index]))
        gain = np.array(_gains(self.ngrams.texts(), posterior, method), np.float64)
        forest = self.ngrams.with_gains(gain, of_word=-1.0, of_model=0.0)
        best = _native.viterbi(forest)
        return _native.score(forest, best), _native.target_text(forest, best)


def _gains(ngrams: Sequence[str], posterior: Mapping[str, float], method: Linear) -> list[float]:
    """Return the gain of an occurrence of each n-gram."""
    orders = np.array([1 + ngram.count(" ") for ngram in ngrams], np.int32)
    gains: list[float] = method.gains(orders, np.array([posterior[ngram] for ngram in ngrams])).tolist()
    return gains
