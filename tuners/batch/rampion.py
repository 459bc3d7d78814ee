"""Rampion: structured ramp loss by a concave-convex procedure (Gimpel & Smith 2012)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy  # imports sparse when it is first used

from hopefear.base.arrays import Floats, Ints
from hopefear.metrics import Metric

from ..contract import setting
from ..pool import Candidates, sentence_scores
from .batch import BatchTuner


@dataclass(kw_only=True, eq=False, repr=False)
class Rampion(BatchTuner):
    """Minimises the ramp loss between hope and fear over pooled k-best lists (Gimpel & Smith 2012).

    The loss is ::

        Σ_i [max_y (h(y)·w + cost(y)) - max_y (h(y)·w - cost(y))] + ½ C ‖w - w_0‖²

    with w_0 the weights before the pass and cost = a (1 - score). Each of `rounds` fixes hope, the second
    maximum, at the present weights, which makes the rest convex, and goes `epochs` times through the
    sentences with subgradient steps. The pass returns the weights, w_0 or those after a round,
    that have the best score on the pool.

    Parameters
    ----------
    rounds : int
        T': how often a pass chooses hope.
    epochs : int
        T'': how often a round goes through the sentences.
    rate : float
        η of the steps.
    C : float
        Strength of the regularisation.
    cost_scale : float
        a, the factor of the cost.
    sentence_metric : Metric, optional
        The score of a candidate; BLEU+1 where `metric` is BLEU, else `metric` itself.
    passes, k, metric, seed, tolerance, patience, threads
        See `BatchTuner`; T of the paper is `passes`, and the seed is that of the order of the sentences.
    """

    REMEDY: ClassVar[str] = "lower rate, or scale large feature values down"

    passes: int = 20
    k: int = 500
    rounds: int = setting(10, least=1)
    epochs: int = setting(5, least=1)
    rate: float = setting(0.01, above=0, finite=True)
    C: float = 1.0
    cost_scale: float = setting(10.0, above=0, finite=True)
    sentence_metric: Metric | None = None

    def _check_settings(self) -> None:
        super()._check_settings()
        if not (0 <= self.C < math.inf and self.rate * self.C < 1):
            raise ValueError(f"C must be at least 0 and below 1 / rate, got {self.C}")

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        """Minimise the ramp loss in rounds."""
        cost = self.cost_scale * (1 - sentence_scores(pool, self.sentence_metric))
        sign = 1 if pool.metric.higher_is_better else -1
        best, best_score = weights, sign * pool.corpus_score(weights)
        convex = ConvexRamp(pool, cost, weights, self.rate, self.C)
        for _ in range(self.rounds):
            now = convex.weights
            hope = pool.best(pool.scores(now) - cost)
            for _ in range(self.epochs):
                convex.descend(hope, rng.permutation(len(hope)))
            now = convex.weights
            # Weights that are not finite have no score: the caller refuses them.
            score = sign * pool.corpus_score(now) if np.all(np.isfinite(now)) else math.inf
            if score > best_score:
                best, best_score = now, score
        return best


class ConvexRamp:
    """Subgradient descent in Σ_i [max_y (h(y)·w + cost(y)) - h(hope_i)·w] + ½ C ‖w - w_0‖².

    w is stored as w_0 + scale · moved, so that the cost of a step is the number of features of hope and fear.
    """

    def __init__(
        self,
        pool: Candidates,
        cost: Floats,
        start: Floats,
        rate: float,
        C: float,
    ) -> None:
        self._pool, self._start, self._rate = pool, start, rate
        filled = np.flatnonzero(pool.counts)
        self._begin = pool.offsets[filled]
        h = pool.matrix
        self._blocks = [h[pool.offsets[i] : pool.offsets[i + 1]] for i in filled.tolist()]
        ends = pool.offsets[filled + 1]
        augmented = pool.scores(start) + cost
        self._augmented = [augmented[begin:end] for begin, end in zip(self._begin, ends, strict=True)]
        self._scale, self._moved = 1.0, np.zeros(h.shape[1])
        self._shrink = 1 - rate * C / len(filled)

    @property
    def weights(self) -> Floats:
        """w, a new array."""
        weights = self._start.copy()
        weights[: len(self._moved)] += self._scale * self._moved
        return weights

    def descend(self, hope: Ints, order: Ints) -> None:
        """Go once through the sentences that have candidates; `hope` is a row of each."""
        for i in order.tolist():
            block: scipy.sparse.csr_matrix = self._blocks[i]
            scores = self._augmented[i] + self._scale * (block @ self._moved)
            fear = self._begin[i] + int(np.argmax(scores))
            self._scale *= self._shrink
            if hope[i] != fear:
                self._move(int(hope[i]), self._rate / self._scale)
                self._move(int(fear), -self._rate / self._scale)
            if self._scale < 1e-9:
                self._moved *= self._scale
                self._scale = 1.0

    def _move(self, row: int, step: float) -> None:
        own = slice(self._pool.indptr[row], self._pool.indptr[row + 1])
        self._moved[self._pool.features[own]] += step * self._pool.values[own]
