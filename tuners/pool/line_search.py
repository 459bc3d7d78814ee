"""Exact line search: a corpus metric as a function of the step along a direction (Och 2003, section 4).

Along a line through the weights the score of a candidate is a line itself, so that in each segment the best
candidate changes at finitely many steps only. Between them the metric does not change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import sweep_lines
from hopefear.metrics import Statistics

from ..contract import TuningError

WindowKind = Literal["average", "minimum"]

REACH = 0.1
"""How far behind the last boundary a step goes at least, in units of the error surface."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where an objective is highest along a line."""

    step: float
    value: float
    interval: int


@dataclass(frozen=True, slots=True)
class Intervals:
    """The steps γ along a line or a part of it, cut where the statistics of the best candidates change.

    Attributes
    ----------
    boundaries : array of float64, shape (b,)
        Ascending. The b + 1 intervals are before the first, between each two, and behind the last.
    sums : array of float64, shape (b + 1, size)
        In each interval, the sum of the statistics of all segments' best candidates.
    begin, end : float
        Where the first interval begins and the last one ends.
    """

    boundaries: Floats
    sums: Statistics
    begin: float = -math.inf
    end: float = math.inf

    def __len__(self) -> int:
        """Count the intervals."""
        return len(self.sums)

    def at(self, step: float) -> int:
        """Return the interval of a step."""
        return int(np.searchsorted(self.boundaries, step, side="right"))

    def touching(self, step: float) -> slice:
        """Return the interval of a step, both where it is a boundary, none where it is outside."""
        left, right = self.edges()
        return slice(int(np.searchsorted(right, step)), int(np.searchsorted(left, step, side="right")))

    def edges(self) -> tuple[Floats, Floats]:
        """Return the left and the right edges of the intervals, each of shape (b + 1,)."""
        return np.append(self.begin, self.boundaries), np.append(self.boundaries, self.end)

    def middles(self, reach: float = 1.0) -> Floats:
        """Return a step well inside each interval, shape (b + 1,).

        That is the middle, and in an interval which has no end, as far behind the boundary as that is from
        step 0, at least `reach`. Where there is one interval only it is 0.
        """
        return _middles(*self.edges(), reach)

    def best(self, values: Floats, reach: float = 1.0) -> Optimum:
        """Find the interval of the highest value, of equal ones the widest, and a step well inside it.

        Parameters
        ----------
        values : array of float64, shape (b + 1,)
            Of each interval.
        reach : float
            See `middles`; the ends count as wide as twice the way to that step.
        """
        return self.highest(values, reach)[0]

    def highest(self, values: Floats, reach: float) -> tuple[Optimum, float]:
        """Find the same as `best`, and how far its step is from the edges of its interval."""
        left, right = self.edges()
        top = np.flatnonzero(values == values.max())
        steps = _middles(left[top], right[top], reach)
        room = np.minimum(steps - left[top], right[top] - steps)
        best = int(np.argmax(room))
        interval = int(top[best])
        return Optimum(float(steps[best]), float(values[interval]), interval), float(room[best])

    def part(self, after: float, most: int) -> Intervals:
        """Return what comes after a step: at most so many boundaries, and the intervals around them."""
        begin = self.at(after)
        stop = min(begin + most, len(self.boundaries))
        end = float(self.boundaries[stop]) if stop < len(self.boundaries) else self.end
        return Intervals(self.boundaries[begin:stop], self.sums[begin : stop + 1], after, end)


def _middles(left: Floats, right: Floats, reach: float) -> Floats:
    first, last = np.isinf(left), np.isinf(right)
    middles: Floats = np.zeros(len(left))
    inner = ~(first | last)
    middles[inner] = left[inner] / 2 + right[inner] / 2  # halves, since the sum of two may overflow
    first, last = first & ~last, last & ~first
    middles[first] = right[first] - np.maximum(np.abs(right[first]), reach)
    middles[last] = left[last] + np.maximum(np.abs(left[last]), reach)
    return middles


class Rows(Protocol):
    """What a line is cut through, such as `Candidates`."""

    offsets: Ints
    statistics: Statistics


def cut_line(slopes: Floats, scores: Floats, pool: Rows) -> Intervals:
    """Cut the line of the scores ``scores + γ slopes`` of a pool's candidates, each of shape (n,).

    Raises
    ------
    TuningError
        The score of a candidate is not finite.
    """
    try:
        return Intervals(*sweep_lines(slopes, scores, pool.offsets, pool.statistics))
    except ValueError as error:
        raise TuningError(f"the line search over the candidates failed: {error}") from None


def peak(parts: Iterable[Intervals], objective: Callable[[Statistics], Floats]) -> tuple[float, Optimum]:
    """Return an objective at step 0 of a line, on a boundary the lower one, and its optimum."""
    now, best, widest, passed = math.inf, Optimum(0.0, -math.inf, 0), -math.inf, 0
    for part in parts:
        values = objective(part.sums)
        now = min(now, float(values[part.touching(0.0)].min(initial=math.inf)))
        found, room = part.highest(values, REACH)
        if (found.value, room) > (best.value, widest):
            best, widest = Optimum(found.step, found.value, passed + found.interval), room
        passed += len(part)
    return now, best


def smooth(values: Floats, window: int, kind: WindowKind) -> Floats:
    """Replace each interval's value by the average or the minimum of it and its neighbours (Cer et al. 2008).

    An optimum counts then only if it is no narrow peak between bad values.

    Parameters
    ----------
    values : array of float64, shape (b + 1,)
        More is better.
    window : int
        How many neighbours count on either side; at the ends there are fewer.
    """
    if window == 0:
        return values
    if kind == "minimum":
        padded = np.pad(values, window, mode="edge")
        lowest: Floats = sliding_window_view(padded, 2 * window + 1).min(axis=1)
        return lowest
    total = np.concatenate(([0.0], np.cumsum(values)))
    places = np.arange(len(values))
    begin, end = np.maximum(places - window, 0), np.minimum(places + window + 1, len(values))
    average: Floats = (total[end] - total[begin]) / (end - begin)
    return average
