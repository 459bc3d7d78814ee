"""Minimum risk training with deterministic annealing (Smith & Eisner 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.metrics import Metric

from ..contract import PENALTIES, ByFamily, FeatureFamilies, setting
from ..pool import Candidates, sentence_scores
from ..solvers import minimise
from .batch import BatchTuner


@dataclass(kw_only=True, eq=False, repr=False)
class MinimumRisk(BatchTuner, ByFamily):
    """Minimises the expected loss of a candidate drawn with p ∝ exp(h·w) (Smith & Eisner 2006).

    The risk is not convex. A pass therefore minimises risk - T · entropy of p for temperatures T that fall to
    0, each time by L-BFGS from the last minimum: at a high T, p is nearly uniform and the objective smooth.

    Parameters
    ----------
    temperature : float
        T at first; 0 for the risk alone.
    cooling : float
        T falls by this factor, below 1.
    stages : int
        Number of temperatures above 0.
    l2 : float
        ½·l2·‖w‖² is added: without it weights may grow until all probability is on one candidate.
    sentence_metric : Metric, optional
        1 less its score is the loss of a candidate; BLEU+1 where `metric` is BLEU, else `metric` itself.
    iterations : int
        Iterations of L-BFGS in each stage at most.
    families : mapping of str to mapping, optional
        Penalties that are added, and fixed families: ``R:* l1=0.1; LanguageModel fixed``.
    passes, k, metric, seed, tolerance, patience, threads
        See `BatchTuner`; nothing is drawn.
    """

    OF_FAMILIES: ClassVar[tuple[str, ...]] = PENALTIES
    REMEDY: ClassVar[str] = "raise l2, or scale large feature values down"

    temperature: float = setting(0.1, least=0, finite=True)
    cooling: float = setting(0.3, above=0, below=1)
    stages: int = setting(4, least=0)
    l2: float = setting(1e-5, least=0, finite=True)
    sentence_metric: Metric | None = None
    iterations: int = setting(200, least=1)
    tolerance: float = 1e-4

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        """Minimise the risk at falling temperatures."""
        risk = ExpectedLoss(pool, 1 - sentence_scores(pool, self.sentence_metric), self.l2)
        families = FeatureFamilies.of_tuner(self, pool.weights)
        w = weights[pool.active]
        temperatures = self.temperature * self.cooling ** np.arange(self.stages)
        for temperature in (*temperatures[temperatures > 0].tolist(), 0.0):
            loss = partial(risk, temperature=temperature)
            w = minimise(loss, w, families, pool.active, iterations=self.iterations)
        weights[pool.active] = w
        return weights


class ExpectedLoss:
    """The mean over the sentences of E[loss] - T · entropy, with p ∝ exp(h·w), and ½·l2·‖w‖² with it."""

    def __init__(self, pool: Candidates, loss: Floats, l2: float = 0.0) -> None:
        counts = pool.counts
        self._counts = counts[counts > 0]
        self._begin = pool.offsets[:-1][counts > 0]
        self._h = pool.matrix[:, pool.active]
        self._transposed = self._h.T.tocsr()
        self._loss = loss
        self._l2 = l2

    def __call__(self, w: Floats, temperature: float = 0.0) -> tuple[float, Floats]:
        """Return the objective for weights of the pool's active features, and its gradient, shape (m,)."""
        scores = self._h @ w
        scores -= self._spread(np.maximum.reduceat(scores, self._begin))
        log_p = scores - self._spread(np.log(np.add.reduceat(np.exp(scores), self._begin)))
        p = np.exp(log_p)
        cost = self._loss + temperature * log_p
        expected = np.add.reduceat(p * cost, self._begin)
        slope = self._transposed @ (p * (cost - self._spread(expected)))
        value = expected.mean() + 0.5 * self._l2 * (w @ w)
        return float(value), slope / len(self._begin) + self._l2 * w

    def _spread(self, values: Floats) -> Floats:
        """Repeat a value of each sentence for its candidates."""
        return np.repeat(values, self._counts)
