"""Translations of a sentence with scores and roles (Chiang, Marton & Resnik 2008, sections 2.3 and 2.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.signatures import Count
from hopefear.plugins import Segment


@dataclass(frozen=True, slots=True)
class KBestList:
    """The k best translations of a forest, best first.

    Attributes
    ----------
    texts : list of str, length k
        The translations.
    indptr, features, values : arrays of int64 (k + 1,), int32 (n,), float64 (n,)
        Feature numbers and values of translation j are at ``indptr[j]:indptr[j + 1]``, the numbers ascending.
    """

    texts: list[str]
    indptr: NDArray[np.int64]
    features: NDArray[np.int32]
    values: NDArray[np.float64]

    def __len__(self) -> int:
        """Count the translations."""
        return len(self.texts)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return h·w of each translation, shape (k,), for weights by feature number."""
        products = self.values * weights[self.features]
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        return np.bincount(rows, products, minlength=len(self)).astype(np.float64, copy=False)

    def take(self, rows: Sequence[int] | NDArray[np.int64]) -> KBestList:
        """Return some of the translations, in the order of `rows`."""
        texts = [self.texts[row] for row in rows]
        rows = np.asarray(rows, np.int64)
        return KBestList(texts, *_native.take_rows(self.indptr, self.features, self.values, rows))

    @staticmethod
    def concatenate(lists: Sequence[KBestList]) -> KBestList:
        """Return the translations of at least one list, one list after another."""
        counts = np.concatenate([np.diff(x.indptr) for x in lists])
        return KBestList(
            [text for x in lists for text in x.texts],
            np.concatenate(([0], np.cumsum(counts))),
            np.concatenate([x.features for x in lists]),
            np.concatenate([x.values for x in lists]),
        )


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

    @staticmethod
    def concatenate(lists: Sequence[ScoredList]) -> ScoredList:
        """Return the translations of at least one list, one list after another."""
        return ScoredList(
            KBestList.concatenate([x.translations for x in lists]),
            np.concatenate([x.statistics for x in lists]),
            np.concatenate([x.B for x in lists]),
            np.concatenate([x.model for x in lists]),
        )

    def ranked(self, mu: float, k: Count) -> ScoredList:
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
