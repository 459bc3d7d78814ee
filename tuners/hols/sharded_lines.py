"""Lines through a sharded pool: they are cut in the shards, and their intervals merged here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from hopefear.base.arrays import Floats

from ..pool import Intervals


@dataclass(frozen=True, slots=True)
class ClimbPosition:
    """A position on an error surface, and the steps to it, which are the same in all shards."""

    climb: int
    begin: Floats
    moves: Sequence[tuple[Floats, float]] = ()


class ShardedLines:
    """Lines through all shards: see `Lines`."""

    def __init__(
        self,
        cut: Callable[[ClimbPosition, Floats], Sequence[Sequence[Intervals]]],
        intervals: Callable[[int, float], Sequence[Intervals]],
        *,
        near: bool,
    ) -> None:
        self._cut, self._intervals, self._near = cut, intervals, near
        self._climbs = count(1)
        self._ahead: list[_Line] = []
        self._width = 1

    def go_to(self, z: Floats) -> None:
        """Set the place from which lines begin."""
        self._begin(z, ClimbPosition(next(self._climbs), z))

    def move(self, direction: Floats, step: float) -> None:
        """Go a step along a line."""
        before = self._position
        position = ClimbPosition(before.climb, before.begin, [*before.moves, (direction, step)])
        self._begin(self.z + step * direction, position)

    def cut(self, direction: Floats, then: Sequence[Floats] = ()) -> Iterator[Intervals]:
        """Cut a line; yield its parts, before another line is cut."""
        # Each message costs time: lines that may be needed next are cut together, twice as many each time.
        if not self._ahead or not np.array_equal(self._ahead[0].direction, direction):
            directions = [direction, *then[: self._width - 1]]
            cuts = self._cut(self._position, np.stack(directions))
            self._ahead = [_Line(*own) for own in zip(directions, count(), cuts)]
            self._width = 1 if self._near else 2 * self._width
        line = self._ahead.pop(0)
        return merged(line.first, partial(self._intervals, line.number))

    def _begin(self, z: Floats, position: ClimbPosition) -> None:
        self.z, self._position = z, position
        self._ahead, self._width = [], 1


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that was cut: its number in the cut, and its first intervals in each shard."""

    direction: Floats
    number: int
    first: Sequence[Intervals]


def merged(
    parts: Sequence[Intervals], further: Callable[[float], Sequence[Intervals]]
) -> Iterator[Intervals]:
    """Merge the intervals of at least one shard; yield a line's parts."""
    while True:
        end = min(part.end for part in parts)
        yield _joined(parts, end)
        if end == math.inf:
            return
        parts = further(end)


def _joined(parts: Sequence[Intervals], end: float) -> Intervals:
    """Merge the intervals that begin before `end`."""
    if len(parts) == 1:
        return parts[0]
    stops = [int(np.searchsorted(part.boundaries, end)) for part in parts]
    edges = np.concatenate([part.boundaries[:stop] for part, stop in zip(parts, stops, strict=True)])
    changes = np.concatenate(
        [np.diff(part.sums[: stop + 1], axis=0) for part, stop in zip(parts, stops, strict=True)]
    )
    order = np.argsort(edges, kind="stable")
    first = sum(part.sums[0] for part in parts)
    sums = np.cumsum(np.vstack((first, changes[order])), axis=0)
    boundaries = edges[order]
    last = np.append(boundaries[1:] > boundaries[:-1], True)[: len(boundaries)]
    return Intervals(boundaries[last], np.vstack((first, sums[1:][last])), parts[0].begin, end)
