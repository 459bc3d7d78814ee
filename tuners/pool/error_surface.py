"""A metric of a pool's best candidates as a function of some of the weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic

import numpy as np

from hopefear.base.arrays import Floats, Ints
from hopefear.metrics import Statistics

from ..contract import TuningError
from .line_search import Optimum, WindowKind, peak, smooth
from .pool import LinesOf, Pool

Extend = Callable[[Floats, Floats], bool]

MOST_FEATURES = 500
"""That a line search for each makes sense for."""


class ErrorSurface(Generic[LinesOf]):
    """The weights of some features as a space; those of all others stay as they are.

    A coordinate z is a weight in units in which every feature makes as much difference within a sentence as
    the scores of the weights at the beginning do. What happens here is then the same whatever scale the
    features have.

    Parameters
    ----------
    pool : Pool
        With at least one candidate.
    weights : array of float64
        Those of the beginning, by feature number.
    names : sequence of str, optional
        The features that may change; all if not given.
    window, window_kind : int and str
        What `look` calls the objective: see `smooth`. A window needs a pool that cuts lines in one part.
    extend : callable, optional
        Called before a line is cut, with weights and a direction by feature number; may add candidates to the
        pool, and tells whether it has.

    Attributes
    ----------
    pool : Pool
        As given.
    features : array of int64, shape (m,)
        Those of the features that differ between the candidates of some segment.
    units : array of float64, shape (m,)
        Weights are ``z * units``.
    lines : Lines
        Those from the place of the surface, which is that of the weights of the beginning at first.

    Raises
    ------
    TuningError
        There are too many features, or one of `names` is not known; the score of a candidate is not finite.
    """

    def __init__(
        self,
        pool: Pool[LinesOf],
        weights: Floats,
        names: Sequence[str] | None = None,
        *,
        window: int = 0,
        window_kind: WindowKind = "average",
        extend: Extend | None = None,
    ) -> None:
        self.pool, self._weights = pool, weights
        self._window, self._window_kind, self._extend = window, window_kind, extend
        features = pool.active if names is None else _named(pool, names)
        if len(features) > MOST_FEATURES:
            raise TuningError(
                f"expected at most {MOST_FEATURES} features for line searches, got {len(features)}: "
                "name the features to tune, or choose a tuner for many features, such as Pro"
            )
        deviations, largest = pool.measure(features, weights)
        varies = deviations[:-1] > 1e-12 * largest[:-1]
        self.features = features[varies]
        self.units = (float(deviations[-1]) or 1.0) / deviations[:-1][varies]
        self._load(self.position())

    def _load(self, z: Floats) -> None:
        self.lines = self.pool.lines(self.features, self._weights, self.units)
        self.lines.go_to(z)

    @property
    def z(self) -> Floats:
        """The place from which lines begin, shape (m,)."""
        return self.lines.z

    def position(self) -> Floats:
        """Return the z of the weights of the beginning, shape (m,)."""
        return np.asarray(self._weights[self.features] / self.units)

    def weights(self, z: Floats) -> Floats:
        """Return all weights, by feature number, at a place z."""
        weights = self._weights.copy()
        weights[self.features] = z * self.units
        return weights

    def direction(self, d: Floats) -> Floats:
        """Return a change of z as a change of all weights, by feature number."""
        change = np.zeros(len(self._weights))
        change[self.features] = d * self.units
        return change

    def look(self, direction: Floats, then: Sequence[Floats] = ()) -> tuple[float, Optimum]:
        """Return the objective at z, and its optimum along a line.

        On a boundary, as weights of zero are, candidates are equal: nobody should rely on the better, and the
        objective is that of the worse side.

        Parameters
        ----------
        then : sequence of arrays
            See `Lines.cut`.
        """
        if self._extend is not None and self._extend(self.weights(self.z), self.direction(direction)):
            self._load(self.z)
        return peak(self.lines.cut(direction, then), self._objective)

    def _objective(self, sums: Statistics) -> Floats:
        return smooth(self.pool.metric.quality(sums), self._window, self._window_kind)


def _named(pool: Pool[LinesOf], names: Sequence[str]) -> Ints:
    unknown = [name for name in names if name not in pool.weights]
    if unknown:
        raise TuningError(f"features to tune: no candidate has the feature {unknown[0]}")
    return pool.active[np.isin(pool.active, [pool.weights.id(name) for name in names])]
