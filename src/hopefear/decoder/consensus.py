"""Consensus: the translation that agrees best with all the others, weighted by their probability.

A forest says of each translation how probable it is, p(d) ∝ exp(scale · w·f). The best translation by the
model need not be the one whose expected BLEU is the highest: minimum-Bayes-risk decoding looks for that one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.arguments import options_of, parse_arguments
from hopefear.base.errors import PluginError
from hopefear.base.loading import near
from hopefear.base.texts import first_word, split_words
from hopefear.metrics import Bleu, Metric, create_metric
from hopefear.metrics.catalogue import metrics

ORDER = 4
"""The longest n-grams that count, as in BLEU."""


class Consensus(ABC):
    """A way to choose a translation; its settings do not change."""

    @abstractmethod
    def search(self, forest: _native.Forest) -> _native.Forest:
        """Return a forest of the same features whose scores are gains: its best derivation is the consensus.

        Parameters
        ----------
        forest : Forest
            A forest that is not empty, scored by the model.
        """

    def __post_init__(self) -> None:
        for name, least in (("scale", 0.0), ("density", 1.0), ("precision", 0.0), ("ratio", 0.0), ("k", 1)):
            value = getattr(self, name, None)
            if value is not None and not (value >= least and value > 0 and np.isfinite(value)):
                wanted = f"at least {least:g}" if least else "above 0"
                raise ValueError(f"{name} must be {wanted}, got {value}")


@dataclass(frozen=True, kw_only=True)
class Linear(Consensus):
    """Linear BLEU over the forest (Tromble et al. 2008).

    The gain of a translation is -1 for each word, and for each of its n-grams the probability that a
    translation has the n-gram, divided by 4 p r^(n-1): p is the precision of unigrams, r the ratio of the
    precisions of one order and the next (Kumar et al. 2009).

    The forest is pruned, then split by the words at the borders of its nodes. On what is left the
    probabilities and the search are exact: an n-gram's probability is 1 less that of the derivations
    without it.
    """

    scale: float = 2.5
    precision: float = 0.8
    ratio: float = 0.4
    model: float = 0.0
    density: float = 50.0
    negligible: float = 0.001

    def gains(self, orders: NDArray[np.int32], posteriors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gain of an occurrence of each n-gram."""
        return posteriors / (ORDER * self.precision * self.ratio ** (orders - 1.0))

    def ngrams(self, forest: _native.Forest) -> _native.NgramForest:
        """Return the n-grams of a forest."""
        pruned = _native.prune(forest, beam=0, density=self.density)
        return _native.NgramForest(pruned, order=ORDER, pop_limit=0)

    def search(self, forest: _native.Forest) -> _native.Forest:
        """Return the forest with the gains as scores."""
        ngrams = self.ngrams(forest)
        scale = self.scale / deviation(ngrams.forest)
        gains = self.gains(ngrams.orders(), ngrams.posteriors(scale, negligible=self.negligible))
        return ngrams.with_gains(gains, of_word=-1.0, of_model=self.model)


@dataclass(frozen=True, kw_only=True)
class Fast(Consensus):
    """Fast consensus (DeNero, Chiang & Knight 2009): BLEU of a k-best list against expected n-gram counts."""

    scale: float = 2.0
    k: int = 200
    density: float = 50.0

    def search(self, forest: _native.Forest) -> _native.Forest:
        """Return a forest of the list, with BLEU as scores."""
        pruned = _native.prune(forest, beam=0, density=self.density)
        ngrams = _native.NgramForest(pruned, order=ORDER, pop_limit=0)
        scale = self.scale / deviation(ngrams.forest)
        counts = dict(zip(ngrams.texts(), ngrams.expected_counts(scale).tolist(), strict=True))
        derivations = list(best_derivations(forest, self.k))
        texts = [_native.target_text(forest, each) for each in derivations]
        length = ngrams.expected_length(scale)
        stats = np.array([expected_bleu_statistics(text, counts, length) for text in texts])
        return _native.list_forest(forest, derivations, Bleu(smoothing="floor").scores(stats))


@dataclass(frozen=True, kw_only=True)
class Risk(Consensus):
    """The highest expected score in a k-best list, by any metric (Kumar & Byrne 2004)."""

    metric: str = "Bleu"
    scale: float = 2.0
    k: int = 100

    def search(self, forest: _native.Forest) -> _native.Forest:
        """Return a forest of the list, with expected scores as scores, negated for error rates."""
        derivations = list(best_derivations(forest, self.k))
        texts = [_native.target_text(forest, each) for each in derivations]
        scores = np.array([_native.score(forest, each) for each in derivations])
        shares = probabilities(scores, self.scale)
        gains = expected_quality(create_metric(self.metric), texts, shares)
        return _native.list_forest(forest, derivations, gains)


METHODS: dict[str, type[Consensus]] = {"linear": Linear, "fast": Fast, "risk": Risk}
"""Ways to find a consensus, by name."""


def create_consensus(line: str) -> Consensus:
    """Make the method of a line ``NAME arguments``: linear, fast, risk, or a metric, which means risk.

    Raises
    ------
    PluginError
        There is no such method or metric, the arguments are wrong, or the metric cannot compare single
        sentences.

    Examples
    --------
    >>> create_consensus("linear --scale 0.5").scale
    0.5
    >>> create_consensus("Ter")
    Risk(metric='Ter', scale=2.0, k=100)
    """
    name, rest = first_word(line)
    kind = METHODS.get(name.lower())
    if kind is None:
        metric_names = metrics.known()
        if ":" not in name and name.lower() not in map(str.lower, metric_names):
            raise PluginError(
                f"{name}: unknown way to find a consensus, {near(name, {*METHODS, *metric_names})}"
            )
        _check_metric(line)
        return Risk(metric=line)
    values = parse_arguments(rest, options_of(kind, name), name)
    try:
        made = kind(**values)
    except ValueError as error:
        raise PluginError(f"{name}: {error}") from None
    if isinstance(made, Risk):
        _check_metric(made.metric)
    return made


def _check_metric(line: str) -> None:
    """Refuse a line that names no metric, or one that cannot compare single sentences, as NIST."""
    metric = create_metric(line)
    try:
        metric.prepare(["a"])
    except ValueError:
        message = f"expected a metric that compares single sentences, got {metric.name}"
        raise PluginError(f"consensus: {message}") from None


def deviation(forest: _native.Forest) -> float:
    """Return the standard deviation of the scores of a forest's derivations; 1 where all are equal."""
    return _native.score_deviation(forest) or 1.0


def probabilities(scores: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return probabilities in proportion to exp(scale · score / standard deviation of the scores)."""
    below = scores - scores.max()
    spread = float(below.std())
    shares = np.exp(below * (scale / spread if spread > 1e-9 * np.abs(scores).max() else scale))
    return np.asarray(shares / shares.sum())


def expected_quality(
    metric: Metric, texts: Sequence[str], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the expected score of each text if the others are references, higher being better."""
    if isinstance(metric, Bleu) and metric.smoothing == "none":
        metric = replace(metric, smoothing="add-one")
    gains = np.zeros(len(texts))
    for reference, weight in zip(texts, weights.tolist(), strict=True):
        gains += weight * metric.quality(metric.prepare([reference]).batch(texts))
    return gains


def expected_bleu_statistics(text: str, counts: Mapping[str, float], length: float) -> list[float]:
    """Return BLEU's statistics of a text against expected counts of n-grams and an expected length."""
    ngrams = Counter(ngrams_of(text))
    matches, orders = [0.0] * ORDER, [0.0] * ORDER
    for ngram, count in ngrams.items():
        order = ngram.count(" ")
        orders[order] += count
        matches[order] += min(count, counts.get(ngram, 0.0))
    return [orders[0], length, *orders, *matches]


def ngrams_of(text: str) -> Iterator[str]:
    """Iterate over the n-grams of a text, up to `ORDER` words, in their order."""
    words = split_words(text)
    for begin in range(len(words)):
        for end in range(begin + 1, min(begin + ORDER, len(words)) + 1):
            yield " ".join(words[begin:end])


def best_derivations(forest: _native.Forest, k: int) -> Iterator[NDArray[np.int32]]:
    """Iterate over the k best derivations of different strings."""
    lists = _native.KBest(forest, True)
    for rank in range(k):
        derivation = lists.derivation(rank)
        if derivation is None:
            return
        yield derivation
