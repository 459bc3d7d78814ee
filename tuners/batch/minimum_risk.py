"""Minimum risk training with deterministic annealing (Smith & Eisner 2006)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.metrics import Metric

from ..contract import check_at_least, check_finite
from ..pool import Candidates, sentence_scores
from .batch import BatchTuner


class MinimumRisk(BatchTuner):
    """Minimises the loss that is expected of a candidate drawn with p ∝ exp(h·w) (Smith & Eisner 2006).

    The risk is not convex. A pass therefore minimises risk - T · entropy of p for temperatures T that fall to
    0, each time by L-BFGS from the minimum of before: hot, p is nearly uniform and the objective smooth.

    Parameters
    ----------
    passes : int
        At most so many.
    k : int
        Translations of each sentence that a pass finds.
    temperature : float
        T at first; 0 for the risk alone.
    cooling : float
        T falls by this factor, below 1.
    stages : int
        Temperatures above 0.
    l2 : float
        ½·l2·‖w‖² is added: without it weights may grow until all probability is on one candidate.
    sentence_metric : Metric, optional
        1 less its score is the loss of a candidate; BLEU+1 where `metric` is BLEU, else `metric` itself.
    iterations : int
        Of L-BFGS, at most, in each stage.
    metric, seed, tolerance, patience, threads
        See `BatchTuner`; nothing is drawn.

    Attributes
    ----------
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    score_per_pass_ : list of float
        The metric's score of the development set after each pass, or, without one, of the pool.
    passes_ : list of BatchRecord
        The passes of the last fit.
    """

    REMEDY: ClassVar[str] = "raise l2, or scale large feature values down"

    def __init__(
        self,
        *,
        passes: int = 10,
        k: int = 100,
        temperature: float = 0.1,
        cooling: float = 0.3,
        stages: int = 4,
        l2: float = 1e-5,
        sentence_metric: Metric | None = None,
        iterations: int = 200,
        metric: Metric | None = None,
        seed: int = 0,
        tolerance: float = 1e-4,
        patience: int = 3,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.passes = passes
        self.k = k
        self.temperature = temperature
        self.cooling = cooling
        self.stages = stages
        self.l2 = l2
        self.sentence_metric = sentence_metric
        self.iterations = iterations
        self.metric = metric
        self.seed = seed
        self.tolerance = tolerance
        self.patience = patience
        self.threads = threads

    def _check_settings(self) -> None:
        super()._check_settings()
        for name in ("temperature", "l2"):
            check_finite(name, getattr(self, name))
        if not 0 < self.cooling < 1:
            raise ValueError(f"cooling must be above 0 and below 1, got {self.cooling}")
        check_at_least(self, stages=0, iterations=1)

    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        from scipy import optimize  # its import takes long

        risk = Risk(pool, 1 - sentence_scores(pool, self.sentence_metric), self.l2)
        w = weights[pool.active]
        temperatures = self.temperature * self.cooling ** np.arange(self.stages)
        for temperature in (*temperatures[temperatures > 0].tolist(), 0.0):
            found = optimize.minimize(
                risk, w, (temperature,), jac=True, method="L-BFGS-B", options={"maxiter": self.iterations}
            )
            w = found.x
        weights[pool.active] = w
        return weights


class Risk:
    """The mean over the sentences of E[loss] - T · entropy, with p ∝ exp(h·w), and ½·l2·‖w‖² with it.

    Parameters
    ----------
    pool : Candidates
    loss : array of float64, shape (n,)
        Of each candidate.
    l2 : float
    """

    def __init__(self, pool: Candidates, loss: NDArray[np.float64], l2: float = 0.0) -> None:
        counts = pool.counts
        self._counts = counts[counts > 0]
        self._begin = pool.offsets[:-1][counts > 0]
        self._h = pool.matrix[:, pool.active]
        self._transposed = self._h.T.tocsr()
        self._loss = loss
        self._l2 = l2

    def __call__(self, w: NDArray[np.float64], temperature: float = 0.0) -> tuple[float, NDArray[np.float64]]:
        """Give the objective for weights of the pool's active features, and its gradient, shape (m,)."""
        scores = self._h @ w
        scores -= self._spread(np.maximum.reduceat(scores, self._begin))
        log_p = scores - self._spread(np.log(np.add.reduceat(np.exp(scores), self._begin)))
        p = np.exp(log_p)
        cost = self._loss + temperature * log_p
        expected = np.add.reduceat(p * cost, self._begin)
        slope = self._transposed @ (p * (cost - self._spread(expected)))
        value = expected.mean() + 0.5 * self._l2 * (w @ w)
        return float(value), slope / len(self._begin) + self._l2 * w

    def _spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Repeat a value of each sentence for its candidates."""
        return np.repeat(values, self._counts)
