"""Tuning as ranking, PRO (Hopkins & May 2011)."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy  # imports sparse when it is first used

from hopefear.base.arrays import Floats, Ints
from hopefear.metrics import Metric

from ..contract import PENALTIES, ByFamily, FeatureFamilies, TuningError, setting
from ..pool import Candidates, sentence_scores
from ..solvers import minimise
from .batch import BatchTuner


@dataclass(kw_only=True, eq=False, repr=False)
class Pro(BatchTuner, ByFamily):
    """PRO: a linear classifier learns which of two candidates of a sentence is better (Hopkins & May 2011).

    A pass draws pairs of candidates (`sample_pairs`), fits a logistic regression to the differences of their
    feature vectors (`fit_logistic`), and moves the weights a part of the way to the fitted ones.

    Parameters
    ----------
    samples : int
        Γ: pairs drawn from the candidates of a sentence.
    kept : int
        Ξ: how many of these pairs are kept, those with the greatest differences in score.
    threshold : float
        The least difference in score, from 0 to 1, of a pair that is kept.
    l2 : float
        Of the logistic regression: ½·l2·‖w‖² is added to the sum of the pairs' losses.
    families : mapping of str to mapping, optional
        Penalties that are added, and fixed families: ``R:* l1=0.1; LanguageModel fixed``.
    interpolation : float
        Ψ: w ← Ψ·w_new + (1 - Ψ)·w.
    sentence_metric : Metric, optional
        The score of a candidate; BLEU+1 where `metric` is BLEU, else `metric` itself.
    passes, k, metric, seed, tolerance, patience, threads
        See `BatchTuner`; in the paper k is 1500.
    """

    OF_FAMILIES: ClassVar[tuple[str, ...]] = PENALTIES
    REMEDY: ClassVar[str] = "raise l2, or scale large feature values down"
    STOPS_WITHOUT_NEW: ClassVar[bool] = False

    passes: int = 25
    k: int = 200
    samples: int = setting(5000, least=1)
    kept: int = setting(50, least=1)
    threshold: float = setting(0.05, least=0, finite=True)
    l2: float = setting(1.0, above=0, finite=True)
    interpolation: float = setting(0.1, above=0, most=1)
    sentence_metric: Metric | None = None
    tolerance: float = 1e-4
    patience: int = 10

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        """Fit a logistic regression to pairs of candidates."""
        better, worse = sample_pairs(
            pool.offsets,
            sentence_scores(pool, self.sentence_metric),
            rng,
            samples=self.samples,
            kept=self.kept,
            threshold=self.threshold,
        )
        if not len(better):
            raise TuningError(
                f"no two candidates of a sentence differ by {self.threshold} in score: lower the threshold, "
                "or use longer k-best lists"
            )
        difference = pool.matrix[better] - pool.matrix[worse]
        active = np.unique(difference.indices).astype(np.int64)
        families = FeatureFamilies.of_tuner(self, pool.weights)
        fitted = fit_logistic(difference[:, active], self.l2, weights[active], families, active)
        # Features in which no pair differs have a fitted weight of 0.
        with nullcontext() if families is None else families.holding(weights):
            weights *= 1 - self.interpolation
            weights[active] += self.interpolation * fitted
        return weights


def sample_pairs(
    offsets: Ints,
    scores: Floats,
    rng: np.random.Generator,
    *,
    samples: int,
    kept: int,
    threshold: float,
) -> tuple[Ints, Ints]:
    """Draw pairs of candidates of the same sentence (Hopkins & May 2011, section 3.2, figure 4).

    `samples` pairs are drawn for each sentence, uniformly. Pairs whose scores differ by less than
    `threshold`, or not at all, are dropped; of the others the `kept` with the greatest differences stay.
    """
    drawn = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        if end - begin < 2:
            continue
        pairs = rng.integers(begin, end, size=(2, samples))
        difference = scores[pairs[0]] - scores[pairs[1]]
        size = np.abs(difference)
        accepted = np.flatnonzero((size >= threshold) & (size > 0))
        accepted = accepted[np.argsort(-size[accepted], kind="stable")[:kept]]
        chosen, first = pairs[:, accepted], difference[accepted] > 0
        drawn.append(np.where(first, chosen, chosen[::-1]))
    better, worse = np.concatenate([np.zeros((2, 0), np.int64), *drawn], axis=1)
    return better, worse


def fit_logistic(
    difference: scipy.sparse.csr_matrix,
    l2: float,
    start: Floats,
    families: FeatureFamilies | None = None,
    features: Ints | None = None,
) -> Floats:
    """Minimise Σ_i log(1 + exp(-w·x_i)) + ½·l2·‖w‖² over w, with the penalties of families.

    Each x_i also stands for -x_i of the other class, whose loss is the same; there is no bias.
    """
    transposed = difference.T.tocsr()

    def loss(w: Floats) -> tuple[float, Floats]:
        return logistic_loss(w, difference, transposed, l2)

    numbers = np.arange(len(start)) if features is None else features
    return minimise(loss, start, families, numbers, iterations=1000)


def logistic_loss(
    w: Floats,
    difference: scipy.sparse.csr_matrix,
    transposed: scipy.sparse.csr_matrix,
    l2: float,
) -> tuple[float, Floats]:
    """Return what `fit_logistic` minimises, and its gradient; `transposed` is `difference` transposed."""
    margin = difference @ w
    value = np.logaddexp(0.0, -margin).sum() + 0.5 * l2 * (w @ w)
    wrong = np.exp(-np.logaddexp(0.0, margin))  # 1 / (1 + exp(margin))
    return float(value), l2 * w - transposed @ wrong
