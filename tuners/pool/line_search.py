"""Exact line search: a corpus metric as a function of the step along a direction (Och 2003, section 4).

Along a line through the weights the score of a candidate is a line itself, so that in each segment the best
candidate changes at finitely many steps only. Between them the metric does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from hopefear.decoder import sweep_lines
from hopefear.metrics import Statistics

from ..contract import TuningError
from .candidates import Candidates

WindowKind = Literal["average", "minimum"]


@dataclass(frozen=True, slots=True)
class Optimum:
    """Where an objective is highest along a line.

    Attributes
    ----------
    step : float
        γ: the weights are weights + γ direction.
    value : float
        Of the objective.
    interval : int
        The interval of `step`.
    """

    step: float
    value: float
    interval: int


@dataclass(frozen=True, slots=True)
class Intervals:
    """The steps γ along a line, cut where the statistics of the best candidates change.

    Attributes
    ----------
    boundaries : array of float64, shape (b,)
        Ascending. The b + 1 intervals are before the first, between each two, and behind the last.
    sums : array of float64, shape (b + 1, size)
        In each interval, the sum of the statistics of all segments' best candidates.
    """

    boundaries: NDArray[np.float64]
    sums: Statistics

    def __len__(self) -> int:
        """Count the intervals."""
        return len(self.sums)

    def at(self, step: float) -> int:
        """Give the interval of a step."""
        return int(np.searchsorted(self.boundaries, step, side="right"))

    def touching(self, step: float) -> slice:
        """Give the interval of a step, or both where it is a boundary."""
        begin, end = (np.searchsorted(self.boundaries, step, side=side) for side in ("left", "right"))
        return slice(int(begin), int(end) + 1)

    def middles(self, reach: float = 1.0) -> NDArray[np.float64]:
        """Give a step well inside each interval, shape (b + 1,).

        That is the middle, and in the first and the last interval, which have no end, as far behind the
        boundary as that is from step 0, at least `reach`. Where there is one interval only it is 0.
        """
        return _middles(*self._edges(), reach)

    def best(self, values: NDArray[np.float64], reach: float = 1.0) -> Optimum:
        """Find the interval of the highest value, of equal ones the widest, and a step well inside it.

        Parameters
        ----------
        values : array of float64, shape (b + 1,)
            Of each interval.
        reach : float
            See `middles`; the ends count as wide as twice the way to that step.
        """
        return highest(*self._edges(), values, reach)[0]

    def _edges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.append(-np.inf, self.boundaries), np.append(self.boundaries, np.inf)


def highest(
    left: NDArray[np.float64], right: NDArray[np.float64], values: NDArray[np.float64], reach: float
) -> tuple[Optimum, float]:
    """Find the best of some intervals, as `Intervals.best` does, and how far its step is from its edges.

    Parameters
    ----------
    left, right : arrays of float64, shape (n,)
        The edges of the intervals, which may be infinite.
    values : array of float64, shape (n,)
    reach : float
    """
    top = np.flatnonzero(values == values.max())
    steps = _middles(left[top], right[top], reach)
    room = np.minimum(steps - left[top], right[top] - steps)
    best = int(np.argmax(room))
    interval = int(top[best])
    return Optimum(float(steps[best]), float(values[interval]), interval), float(room[best])


def _middles(left: NDArray[np.float64], right: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    first, last = np.isinf(left), np.isinf(right)
    middles: NDArray[np.float64] = np.zeros(len(left))
    inner = ~(first | last)
    middles[inner] = left[inner] / 2 + right[inner] / 2  # halves, since the sum of two may overflow
    first, last = first & ~last, last & ~first
    middles[first] = right[first] - np.maximum(np.abs(right[first]), reach)
    middles[last] = left[last] + np.maximum(np.abs(left[last]), reach)
    return middles


def search_line(pool: Candidates, weights: NDArray[np.float64], direction: NDArray[np.float64]) -> Intervals:
    """Cut the line weights + γ direction where the statistics of the pool's best candidates change.

    Parameters
    ----------
    weights, direction : arrays of float64
        By feature number.

    Raises
    ------
    TuningError
        The score of a candidate is not finite.
    """
    return cut_line(pool.scores(direction), pool.scores(weights), pool)


def cut_line(slopes: NDArray[np.float64], scores: NDArray[np.float64], pool: Candidates) -> Intervals:
    """Do the same for the scores ``scores + γ slopes`` of the pool's candidates, each of shape (n,)."""
    try:
        return Intervals(*sweep_lines(slopes, scores, pool.offsets, pool.statistics))
    except ValueError as error:
        raise TuningError(f"the line search over the candidates failed: {error}") from None


def smooth(values: NDArray[np.float64], window: int, kind: WindowKind) -> NDArray[np.float64]:
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
        lowest: NDArray[np.float64] = sliding_window_view(padded, 2 * window + 1).min(axis=1)
        return lowest
    total = np.concatenate(([0.0], np.cumsum(values)))
    places = np.arange(len(values))
    begin, end = np.maximum(places - window, 0), np.minimum(places + window + 1, len(values))
    average: NDArray[np.float64] = (total[end] - total[begin]) / (end - begin)
    return average
