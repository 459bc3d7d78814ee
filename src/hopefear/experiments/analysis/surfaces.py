"""Error surfaces: the metric over two weights, all others fixed (Hayashi et al. 2009, figure 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.reports import MeasuredSurface
from hopefear.tuners import Candidates, ErrorSurface, TuningError

from ..plan import Surface

_SLICE = 401
"""Number of points of a slice through the learned weights."""


@dataclass(frozen=True, slots=True)
class ScoreGrid:
    """The metric of a pool's best candidates as a function of two weights."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    scores: NDArray[np.float64]
    learned: tuple[float, float]
    score: float


class PlaneOfWeights:
    """The plane of two weights around the learned weights, which are the pool's weights."""

    def __init__(self, pool: Candidates, features: tuple[str, str], width: float) -> None:
        self.pool = pool
        try:
            pool.check()
            surface = ErrorSurface(pool, pool.weights.array, features)
        except TuningError as error:
            raise InputError(f"error surface: {error}") from None
        numbers = [pool.weights.id(name) for name in features]
        places = [np.flatnonzero(surface.features == number) for number in numbers]
        for name, place in zip(features, places, strict=True):
            if not len(place):
                raise InputError(f"error surface: {name} is the same in all candidates of each sentence")
        first, second = (int(place[0]) for place in places)
        units = surface.units[[first, second]]
        self.learned = pool.weights.array[numbers]
        self._low, self._high = self.learned - width * units, self.learned + width * units
        h = surface.lines.h[[first, second]] / units[:, np.newaxis]
        self._h: NDArray[np.float64] = h
        self._fixed = pool.scores(pool.weights.array) - self.learned[0] * h[0] - self.learned[1] * h[1]

    def axis(self, which: int, steps: int) -> NDArray[np.float64]:
        """Return the values of a weight, shape (steps,)."""
        return np.linspace(self._low[which], self._high[which], steps)

    def score(self, x: float, y: float) -> float:
        """Return the metric for the weights x and y."""
        return self.pool.score_of(self.pool.best(self._fixed + x * self._h[0] + y * self._h[1]))

    def grid(self, steps: int) -> ScoreGrid:
        """Compute the metric on a grid."""
        x, y = self.axis(0, steps), self.axis(1, steps)
        scores = np.array([[self.score(a, b) for a in x] for b in y])
        learned = float(self.learned[0]), float(self.learned[1])
        return ScoreGrid(x, y, scores, learned, self.score(*learned))


def measure_surface(surface: Surface, pool: Candidates) -> MeasuredSurface:
    """Measure an error surface, and the two slices through the learned weights."""
    plane = PlaneOfWeights(pool, surface.features, surface.width)
    grid, metric = plane.grid(surface.steps), pool.metric
    first, second = (plane.axis(which, _SLICE).tolist() for which in (0, 1))
    slices = [
        (first, [plane.score(x, grid.learned[1]) for x in first]),
        (second, [plane.score(grid.learned[0], y) for y in second]),
    ]
    caption = (
        f"{metric.name} of the best candidates of {surface.tested_on} ({pool.segments:,} sentences, "
        f"{len(pool):,} candidates) against the two weights; all other weights are as learned. Right: "
        f"against one of the two. Star: the learned weights, {metric.name} {grid.score:.2f}."
    )
    return MeasuredSurface(
        features=surface.features,
        x=grid.x.tolist(),
        y=grid.y.tolist(),
        scores=grid.scores.tolist(),
        learned=grid.learned,
        score=grid.score,
        slices=slices,
        metric=metric.name,
        higher_is_better=metric.higher_is_better,
        caption=caption,
    )
