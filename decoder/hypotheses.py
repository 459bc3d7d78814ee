"""Hypotheses of a sentence with scores and roles (Chiang, Marton & Resnik 2008, sections 2.3 and 2.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import Segment

from .oracle import KBestList


@dataclass(frozen=True, slots=True)
class ScoredList:
    """Translations of a sentence with their scores.

    Attributes
    ----------
    translations : KBestList
        k texts and feature vectors.
    statistics : array of float64, shape (k, metric.size)
        c(e) with clipped matches.
    B : array of float64, shape (k,)
        Equation 8.
    model : array of float64, shape (k,)
        h(e)·w.
    """

    translations: KBestList
    statistics: NDArray[np.float64]
    B: NDArray[np.float64]
    model: NDArray[np.float64]

    def __len__(self) -> int:
        """Count the translations."""
        return len(self.translations)

    @property
    def texts(self) -> list[str]:
        """The translations' words."""
        return self.translations.texts

    def objective(self, mu: float) -> NDArray[np.float64]:
        """Equation 11, B(e) - μ(B(e) - h(e)·w), shape (k,); for μ = ∞ its limit over μ."""
        if math.isinf(mu):
            return self.model - self.B
        return (1 - mu) * self.B + mu * self.model

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> ScoredList:
        """Return some of the translations, in the order of `rows`."""
        return ScoredList(self.translations.take(rows), self.statistics[rows], self.B[rows], self.model[rows])

    def ranked(self, mu: float, k: int) -> ScoredList:
        """Return the k best by equation 11, best first; of equal ones the earlier first."""
        return self.take(np.argsort(-self.objective(mu), kind="stable")[:k])


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses of one sentence by role, each list best first and of at least one.

    Attributes
    ----------
    segment : Segment
        The sentence.
    best : ScoredList
        The best hypotheses by the model's score.
    hope : ScoredList
        The hypotheses to move the model towards; the first is e*, the oracle translation.
    fear : ScoredList
        The hypotheses to move the model away from: negative examples. `best` if there are no others.
    """

    segment: Segment
    best: ScoredList
    hope: ScoredList
    fear: ScoredList
