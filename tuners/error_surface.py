"""A metric of a pool's best candidates as a function of some of the weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .base import TuningError
from .candidates import Candidates
from .line_search import Intervals, cut_line

MOST_FEATURES = 500
"""That a line search for each makes sense for."""


class ErrorSurface:
    """The weights of some features as a space; those of all others stay as they are.

    A coordinate z is a weight in units in which every feature makes as much difference within a sentence as
    the scores of the weights at the beginning do. What happens here is then the same whatever scale the
    features have.

    Parameters
    ----------
    pool : Candidates
        With at least one candidate.
    weights : array of float64
        Those of the beginning, by feature number.
    names : sequence of str, optional
        The features that may change; all if not given.

    Attributes
    ----------
    pool : Candidates
        As given.
    features : array of int64, shape (m,)
        Those of the features that differ between the candidates of some segment.
    units : array of float64, shape (m,)
        Weights are ``z * units``.
    h : array of float64, shape (m, n)
        A row a feature, a column a candidate, times the unit.
    fixed : array of float64, shape (n,)
        What all other weights add to the scores.
    z : array of float64, shape (m,)
        The place from which lines begin.

    Raises
    ------
    TuningError
        There are too many features, or one of `names` is not known; the score of a candidate is not finite.
    """

    def __init__(
        self, pool: Candidates, weights: NDArray[np.float64], names: Sequence[str] | None = None
    ) -> None:
        self.pool = pool
        self._weights = weights
        features = pool.active if names is None else _numbers(pool, names)
        if len(features) > MOST_FEATURES:
            raise TuningError(
                f"a line search for each of {len(features)} features takes too long, at most {MOST_FEATURES} "
                "make sense: name those to be tuned, or choose a tuner for many features, such as Pro"
            )
        scores = pool.scores(weights)
        if not np.all(np.isfinite(scores)):
            raise TuningError(
                "the score of a candidate is not finite: a weight or a feature value is too large; "
                "scale it down"
            )
        h = _columns(pool, features)
        differences = spread(pool, h)
        varies = differences > 1e-12 * np.abs(h).max(axis=1, initial=0.0)
        self.features = features[varies]
        scale = float(spread(pool, scores[np.newaxis])[0]) or 1.0
        self.units = scale / differences[varies]
        self._load(h[varies])
        self.go_to(self.position())

    def _load(self, h: NDArray[np.float64]) -> None:
        """Take in the candidates that the pool has now."""
        self.h = h
        self.h *= self.units[:, np.newaxis]
        others = self._weights.copy()
        others[self.features] = 0.0
        self.fixed = self.pool.scores(others)

    def reload(self) -> None:
        """Take in what was merged into the pool; features and units stay as they are."""
        self._load(_columns(self.pool, self.features))

    def position(self) -> NDArray[np.float64]:
        """Give the z of the weights of the beginning, shape (m,)."""
        return np.asarray(self._weights[self.features] / self.units)

    def weights(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give all weights, by feature number, at a place z."""
        weights = self._weights.copy()
        weights[self.features] = z * self.units
        return weights

    def direction(self, d: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give a change of z as a change of all weights, by feature number."""
        change = np.zeros(len(self._weights))
        change[self.features] = d * self.units
        return change

    def scores(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the scores of all candidates, shape (n,)."""
        return self.fixed + _combine(z, self.h)

    def go_to(self, z: NDArray[np.float64]) -> None:
        """Set the place from which lines begin."""
        self.z, self._scores = z, self.scores(z)

    def cut(self, direction: NDArray[np.float64]) -> Intervals:
        """Cut the line ``self.z + γ direction`` as `search_line` does.

        Raises
        ------
        TuningError
            The score of a candidate is not finite.
        """
        self._direction, self._slopes = direction, self._slopes_of(direction)
        return cut_line(self._slopes, self._scores, self.pool)

    def move(self, step: float) -> None:
        """Go to a step along the line that was cut last."""
        self.z = self.z + step * self._direction
        self._scores = self._scores + step * self._slopes

    def _slopes_of(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = np.flatnonzero(direction)
        if len(moved) == 1 and direction[moved[0]] == 1.0:
            return np.asarray(self.h[moved[0]])
        return _combine(direction, self.h)


def _numbers(pool: Candidates, names: Sequence[str]) -> NDArray[np.int64]:
    unknown = [name for name in names if name not in pool.weights]
    if unknown:
        raise TuningError(f"features to be tuned: no candidate has the feature {unknown[0]}")
    numbers = np.array(sorted({pool.weights.id(name) for name in names}), np.int64)
    return numbers[np.isin(numbers, pool.active)]


def _columns(pool: Candidates, features: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the values of some features, shape (m, n), as one block of memory."""
    columns: NDArray[np.float64] = pool.matrix[:, features].toarray(order="F").T
    return columns


def _combine(z: NDArray[np.float64], h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give z h, without BLAS: for a product this small its threads wait for longer than they work."""
    return np.asarray(np.einsum("i,ij->j", z, h))


def spread(pool: Candidates, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the standard deviation within segments of values (m, n), shape (m,)."""
    counts = np.maximum(pool.counts, 1)
    deviations = np.empty(len(values))
    for row, own in enumerate(values):
        largest = float(np.abs(own).max()) or 1.0  # its square might overflow
        scaled = own / largest
        means = np.bincount(pool.segment_of, scaled, minlength=pool.segments) / counts
        deviations[row] = largest * np.sqrt(np.mean((scaled - means[pool.segment_of]) ** 2))
    return deviations
