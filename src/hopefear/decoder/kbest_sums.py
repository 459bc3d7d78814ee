"""Sums over the k best translations of a forest, without the features of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native


class NumberedWords(NamedTuple):
    """The words of translations.

    Attributes
    ----------
    distinct : list of str
        The words that occur, each once.
    indptr, numbers : arrays of int64 (k + 1,) and int32 (n,)
        The words of translation j are at ``indptr[j]:indptr[j + 1]``, as indices of `distinct`.
    """

    distinct: list[str]
    indptr: NDArray[np.int64]
    numbers: NDArray[np.int32]


class KBestSums:
    """The k best translations of a forest, all different, best first.

    Translations share most of their edges, so that sums over them take a small part of the time in which
    `Hypergraph.best_translations` lists the features of each. The forest must not be changed meanwhile.
    """

    def __init__(self, forest: _native.Forest, k: int) -> None:
        self._native = _native.KBestSums(forest, k)

    def __len__(self) -> int:
        """Count the translations."""
        return len(self._native)

    def words(self) -> NumberedWords:
        """Return the words of the translations."""
        return NumberedWords(*self._native.words())

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return h·w of each translation, shape (k,), for weights by feature number."""
        return self._native.scores(weights)

    def sums(
        self,
        factors: NDArray[np.float64],
        wanted: Callable[[NDArray[np.int32]], NDArray[np.bool_]] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Add up the translations' features, those of each times its factor.

        Parameters
        ----------
        factors : array of float64, shape (k,)
        wanted : callable, optional
            Tells which of some features are wanted; all if not given.

        Returns
        -------
        features : array of int32, shape (m,)
            Numbers of the features that are not 0 in some translation, ascending.
        sums : array of float64, shape (m,)
        """
        features, sums, may_vanish = self._native.sums(factors)
        keep = np.ones(len(features), np.bool_) if wanted is None else wanted(features)
        doubtful = keep & may_vanish.view(np.bool_)
        if doubtful.any():
            keep[doubtful] = self._native.fire(features[doubtful])
        return features[keep], sums[keep]
