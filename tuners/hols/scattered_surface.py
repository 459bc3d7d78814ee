"""The error surface of candidates in parts: lines are cut where the candidates are, and merged here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from hopefear.metrics import Metric

from ..pool import REACH, Optimum, check_few, highest, units_of
from .pool_part import Place, Stretch
from .scattered_pool import ScatteredPool
from .sparse_line import Reduced


class ScatteredSurface:
    """The weights of reduced features as a space, such as `ErrorSurface` is one.

    Where parts are in other processes, each message costs: lines that may be asked for next are cut with the
    one that is, twice as many each time, until a move makes others of them.

    Parameters
    ----------
    pool : ScatteredPool
        With at least one candidate.
    weights : mapping
        Those of the beginning; the features are in the order of its names.
    names : sequence of str, optional
        The features that may change; all if not given.

    Attributes
    ----------
    features : list of str
        Those of them that differ between the candidates of some segment.
    z : array of float64, shape (m,)
        The place from which lines begin.

    Raises
    ------
    TuningError
        There are too many features, or the score of a candidate is not finite.
    """

    def __init__(self, pool: ScatteredPool, weights: Reduced, names: Sequence[str] | None = None) -> None:
        self._pool, self._weights = pool, weights
        features = [name for name in weights if names is None or name in names]
        check_few(len(features))
        deviations, largest = pool.measure(features, weights)
        self._units, varies = units_of(deviations, largest[:-1])
        self.features = [name for name, varied in zip(features, varies, strict=True) if varied]
        pool.load(self.features, weights, self._units)
        self._climbs = count(1)
        self._ahead: list[tuple[NDArray[np.float64], tuple[float, Optimum]]] = []
        self._width = 1
        self.go_to(self.position())

    def position(self) -> NDArray[np.float64]:
        """Give the z of the weights of the beginning, shape (m,)."""
        return np.array([self._weights[name] for name in self.features]) / self._units

    def weights(self, z: NDArray[np.float64]) -> dict[str, float]:
        """Give all weights at a place z."""
        return {**self._weights, **dict(zip(self.features, (z * self._units).tolist(), strict=True))}

    def go_to(self, z: NDArray[np.float64]) -> None:
        """Set the place from which lines begin."""
        self.z = z
        self._place = Place(next(self._climbs), z, [])
        self._forget()

    def move(self, direction: NDArray[np.float64], step: float) -> None:
        """Go a step along a line."""
        self.z = self.z + step * direction
        self._place = Place(self._place.number, self._place.begin, [*self._place.moves, (direction, step)])
        self._forget()

    def look(
        self, direction: NDArray[np.float64], then: Sequence[NDArray[np.float64]] = ()
    ) -> tuple[float, Optimum]:
        """Give the objective at z, and its optimum along a line, as `ErrorSurface.look` does."""
        if not self._ahead or not np.array_equal(self._ahead[0][0], direction):
            directions = [direction, *then[: self._width - 1]]
            self._ahead = list(zip(directions, self._looks(np.stack(directions)), strict=True))
            self._width = 1 if self._pool.near else 2 * self._width
        return self._ahead.pop(0)[1]

    def _looks(self, directions: NDArray[np.float64]) -> list[tuple[float, Optimum]]:
        most = max(self._pool.scattering.block // len(self._pool), 1)
        cuts = self._pool.cut(self._place, directions, most)
        return [
            peak(parts, partial(self._pool.stretch, number, most), self._pool.metric)
            for number, parts in enumerate(cuts)
        ]

    def _forget(self) -> None:
        self._ahead, self._width = [], 1


def peak(
    parts: Sequence[Stretch], further: Callable[[float], Sequence[Stretch]], metric: Metric
) -> tuple[float, Optimum]:
    """Give a metric's quality at step 0 of a line, on a boundary the lower one, and its optimum.

    Parameters
    ----------
    parts : sequence of Stretch
        The first stretch in each part.
    further : callable
        Gives the stretches of all parts behind a step.
    """
    now, best, widest = math.inf, Optimum(0.0, -math.inf, 0), -math.inf
    begin, passed = -math.inf, 0
    while True:
        end = min((float(part.boundaries[-1]) for part in parts if part.more), default=math.inf)
        boundaries, sums = merged(parts, end)
        left = np.append(begin, boundaries)
        right = np.append(boundaries, math.inf)
        if end < math.inf:  # the last interval goes on
            left, right, sums = left[:-1], right[:-1], sums[:-1]
        values = metric.quality(sums)
        now = min(now, float(values[(left <= 0) & (right >= 0)].min(initial=math.inf)))
        found, room = highest(left, right, values, REACH)
        if (found.value, room) > (best.value, widest):
            best, widest = Optimum(found.step, found.value, passed + found.interval), room
        if end == math.inf:
            return now, best
        begin, passed = end, passed + len(values)
        parts = further(end)


def merged(parts: Sequence[Stretch], end: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Merge stretches, at least one, up to a step, that included; gives boundaries and sums."""
    if len(parts) == 1 and not parts[0].more:
        return parts[0].boundaries, parts[0].sums
    ends = [int(np.searchsorted(part.boundaries, end, side="right")) for part in parts]
    edges = np.concatenate([part.boundaries[:stop] for part, stop in zip(parts, ends, strict=True)])
    changes = np.concatenate(
        [np.diff(part.sums[: stop + 1], axis=0) for part, stop in zip(parts, ends, strict=True)]
    )
    order = np.argsort(edges, kind="stable")
    first = sum(part.sums[0] for part in parts)
    sums = np.cumsum(np.vstack((first, changes[order])), axis=0)
    boundaries = edges[order]
    last = np.append(boundaries[1:] > boundaries[:-1], True)[: len(boundaries)]
    return boundaries[last], np.vstack((first, sums[1:][last]))
