"""A metric of a pool's best candidates as a function of some of the weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..contract import TuningError
from .candidates import Candidates
from .line_search import Intervals, Optimum, WindowKind, cut_line, smooth
from .spread import spread

MOST_FEATURES = 500
"""That a line search for each makes sense for."""
REACH = 0.1
"""How far behind the last boundary a step goes at least, in units of the error surface."""


class Lines:
    """The candidates' scores as the weights of some features change; those of all others stay as they are.

    Parameters
    ----------
    pool : Candidates
        With at least one candidate.
    weights : array of float64
        Those of the beginning, by feature number.
    features : array of int64, shape (m,)
        Those that change.
    units : array of float64, shape (m,)
        Weights are ``z * units``.
    columns : array of float64, shape (m, n), optional
        The features' values, to be taken over.

    Attributes
    ----------
    h : array of float64, shape (m, n)
        A row a feature, a column a candidate, times the unit.
    fixed : array of float64, shape (n,)
        What all other weights add to the scores.
    z : array of float64, shape (m,)
        The place from which lines begin, once `go_to` has been called.
    """

    def __init__(
        self,
        pool: Candidates,
        weights: NDArray[np.float64],
        features: NDArray[np.int64],
        units: NDArray[np.float64],
        columns: NDArray[np.float64] | None = None,
    ) -> None:
        self.pool = pool
        self._weights = weights
        self.features, self.units = features, units
        self._load(feature_columns(pool, features) if columns is None else columns)

    def _load(self, columns: NDArray[np.float64]) -> None:
        self.h = columns
        self.h *= self.units[:, np.newaxis]
        others = self._weights.copy()
        others[self.features] = 0.0
        self.fixed = self.pool.scores(others)

    def reload(self) -> None:
        """Take in what was merged into the pool; features and units stay as they are."""
        self._load(feature_columns(self.pool, self.features))

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
        return cut_line(self._slopes(direction), self._scores, self.pool)

    def move(self, direction: NDArray[np.float64], step: float) -> None:
        """Go a step along a line."""
        self.z = self.z + step * direction
        self._scores = self._scores + step * self._slopes(direction)

    def _slopes(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        moved = np.flatnonzero(direction)
        if len(moved) == 1 and direction[moved[0]] == 1.0:
            return np.asarray(self.h[moved[0]])
        return _combine(direction, self.h)


class ErrorSurface(Lines):
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
    window, window_kind : int and str
        What `look` calls the objective: see `smooth`.

    Attributes
    ----------
    pool : Candidates
        As given.
    features : array of int64, shape (m,)
        Those of the features that differ between the candidates of some segment.
    units, h, fixed, z
        See `Lines`; z is that of the weights of the beginning at first.

    Raises
    ------
    TuningError
        There are too many features, or one of `names` is not known; the score of a candidate is not finite.
    """

    def __init__(
        self,
        pool: Candidates,
        weights: NDArray[np.float64],
        names: Sequence[str] | None = None,
        *,
        window: int = 0,
        window_kind: WindowKind = "average",
    ) -> None:
        self._window, self._window_kind = window, window_kind
        features = pool.active if names is None else _numbers(pool, names)
        check_few(len(features))
        scores = pool.scores(weights)
        check_scores(scores)
        h = feature_columns(pool, features)
        deviations = np.append(spread(pool, h), spread(pool, scores[np.newaxis]))
        units, varies = units_of(deviations, np.abs(h).max(axis=1, initial=0.0))
        super().__init__(pool, weights, features[varies], units, h[varies])
        self.go_to(self.position())

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

    def look(
        self, direction: NDArray[np.float64], then: Sequence[NDArray[np.float64]] = ()
    ) -> tuple[float, Optimum]:
        """Give the objective at z, and its optimum along a line.

        On a boundary, as weights of zero are, candidates are equal: nobody should rely on the better, and the
        objective is that of the worse side.

        Parameters
        ----------
        then : sequence of arrays
            Lines that will be asked for if there is no move: a surface that is far away may look ahead.
        """
        intervals = self.cut(direction)
        values = smooth(self.pool.metric.quality(intervals.sums), self._window, self._window_kind)
        return float(values[intervals.touching(0.0)].min()), intervals.best(values, REACH)


def check_few(features: int) -> None:
    """Raise TuningError where there are too many features for a line search along each."""
    if features > MOST_FEATURES:
        raise TuningError(
            f"expected at most {MOST_FEATURES} features for line searches, got {features}: "
            "name the features to tune, or choose a tuner for many features, such as Pro"
        )


def check_scores(scores: NDArray[np.float64]) -> None:
    """Raise TuningError where a score is not finite."""
    if not np.all(np.isfinite(scores)):
        raise TuningError(
            "the score of a candidate is not finite: a weight or a feature value is too large; scale it down"
        )


def units_of(
    deviations: NDArray[np.float64], largest: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Tell which features vary within segments, and in which units they count.

    Parameters
    ----------
    deviations : array of float64, shape (m + 1,)
        Of the features' values, and, last, of the scores of the weights at the beginning.
    largest : array of float64, shape (m,)
        The features' largest absolute values.

    Returns
    -------
    units : array of float64, shape (v,)
        Of those that vary.
    varies : array of bool, shape (m,)
    """
    varies = deviations[:-1] > 1e-12 * largest
    return (float(deviations[-1]) or 1.0) / deviations[:-1][varies], varies


def _numbers(pool: Candidates, names: Sequence[str]) -> NDArray[np.int64]:
    unknown = [name for name in names if name not in pool.weights]
    if unknown:
        raise TuningError(f"features to tune: no candidate has the feature {unknown[0]}")
    numbers = np.array(sorted({pool.weights.id(name) for name in names}), np.int64)
    return numbers[np.isin(numbers, pool.active)]


def feature_columns(pool: Candidates, features: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the values of some features, shape (m, n), as one block of memory."""
    known = features < pool.matrix.shape[1]
    columns: NDArray[np.float64] = pool.matrix[:, features[known]].toarray(order="F").T
    if known.all():
        return columns
    padded = np.zeros((len(features), len(pool)))
    padded[known] = columns
    return padded


def _combine(z: NDArray[np.float64], h: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give z h, without BLAS: for a product this small its threads wait for longer than they work."""
    return np.asarray(np.einsum("i,ij->j", z, h))
