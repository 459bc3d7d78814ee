"""The error surface of a sharded pool: lines are cut in the shards, and their intervals merged here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from hopefear.metrics import Metric

from ..pool import REACH, Optimum, check_few, highest, units_of
from .pool_shard import ClimbPosition, IntervalChunk
from .sharded_pool import ShardedPool
from .sparse_line import Reduced


class ShardedSurface:
    """The weights of reduced features as a space, such as `ErrorSurface` is one.

    If shards are in other processes, each message costs time: lines that may be needed next are cut together
    with the line that is needed, twice as many each time, until a move changes them.

    Parameters
    ----------
    pool : ShardedPool
        With at least one candidate.
    weights : mapping
        The initial weights; the features are in the order of its names.
    names : sequence of str, optional
        The features that may change; all if not given.

    Attributes
    ----------
    features : list of str
        The features that differ between the candidates of some segment.
    z : array of float64, shape (m,)
        The position from which lines begin.

    Raises
    ------
    TuningError
        There are too many features, or the score of a candidate is not finite.
    """

    def __init__(self, pool: ShardedPool, weights: Reduced, names: Sequence[str] | None = None) -> None:
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
        """Return the z of the initial weights, shape (m,)."""
        return np.array([self._weights[name] for name in self.features]) / self._units

    def weights(self, z: NDArray[np.float64]) -> dict[str, float]:
        """Return all weights at a position z."""
        return {**self._weights, **dict(zip(self.features, (z * self._units).tolist(), strict=True))}

    def go_to(self, z: NDArray[np.float64]) -> None:
        """Set the position from which lines begin."""
        self.z = z
        self._position = ClimbPosition(next(self._climbs), z, [])
        self._forget()

    def move(self, direction: NDArray[np.float64], step: float) -> None:
        """Go a step along a line."""
        self.z = self.z + step * direction
        before = self._position
        self._position = ClimbPosition(before.climb, before.begin, [*before.moves, (direction, step)])
        self._forget()

    def look(
        self, direction: NDArray[np.float64], then: Sequence[NDArray[np.float64]] = ()
    ) -> tuple[float, Optimum]:
        """Return the objective at z, and its optimum along a line, as `ErrorSurface.look` does."""
        if not self._ahead or not np.array_equal(self._ahead[0][0], direction):
            directions = [direction, *then[: self._width - 1]]
            self._ahead = list(zip(directions, self._looks(np.stack(directions)), strict=True))
            self._width = 1 if self._pool.near else 2 * self._width
        return self._ahead.pop(0)[1]

    def _looks(self, directions: NDArray[np.float64]) -> list[tuple[float, Optimum]]:
        most = max(self._pool.sharding.block // len(self._pool), 1)
        cuts = self._pool.cut(self._position, directions, most)
        return [
            peak(chunks, partial(self._pool.intervals, number, most), self._pool.metric)
            for number, chunks in enumerate(cuts)
        ]

    def _forget(self) -> None:
        self._ahead, self._width = [], 1


def peak(
    chunks: Sequence[IntervalChunk], further: Callable[[float], Sequence[IntervalChunk]], metric: Metric
) -> tuple[float, Optimum]:
    """Return a metric's quality at step 0 of a line, on a boundary the lower one, and its optimum.

    Parameters
    ----------
    chunks : sequence of IntervalChunk
        The first intervals in each shard.
    further : callable
        Returns the next intervals of all shards after a step.
    """
    now, best, widest = math.inf, Optimum(0.0, -math.inf, 0), -math.inf
    begin, passed = -math.inf, 0
    while True:
        end = min((float(chunk.boundaries[-1]) for chunk in chunks if chunk.more), default=math.inf)
        boundaries, sums = merged(chunks, end)
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
        chunks = further(end)


def merged(chunks: Sequence[IntervalChunk], end: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Merge the intervals of at least one shard up to and including a step; return boundaries and sums."""
    if len(chunks) == 1 and not chunks[0].more:
        return chunks[0].boundaries, chunks[0].sums
    ends = [int(np.searchsorted(chunk.boundaries, end, side="right")) for chunk in chunks]
    edges = np.concatenate([chunk.boundaries[:stop] for chunk, stop in zip(chunks, ends, strict=True)])
    changes = np.concatenate(
        [np.diff(chunk.sums[: stop + 1], axis=0) for chunk, stop in zip(chunks, ends, strict=True)]
    )
    order = np.argsort(edges, kind="stable")
    first = sum(chunk.sums[0] for chunk in chunks)
    sums = np.cumsum(np.vstack((first, changes[order])), axis=0)
    boundaries = edges[order]
    last = np.append(boundaries[1:] > boundaries[:-1], True)[: len(boundaries)]
    return boundaries[last], np.vstack((first, sums[1:][last]))
