"""A metric of expected statistics: the smoothed objective of MERT (Och 2003, section 3)."""

from __future__ import annotations

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.metrics import Metric, Statistics

from .error_surface import ErrorSurface
from .lines import PoolLines


class SoftmaxObjective:
    """The metric of the expected statistics, each segment's candidate drawn with p ∝ exp(α h·w)."""

    def __init__(self, surface: ErrorSurface[PoolLines], scale: float) -> None:
        self._lines, self._metric = surface.lines, surface.pool.metric
        self._scale = scale
        counts = np.diff(self._lines.offsets)
        self._begin = self._lines.offsets[:-1][counts > 0]
        self._counts = counts[counts > 0]

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """Return the objective, more is better, and its gradient by z, shape (m,)."""
        statistics = self._lines.statistics
        p = self._probabilities(z)
        expected = p @ statistics
        worth = statistics @ gradient(self._metric, expected)
        covariance = p * (worth - self._spread(np.add.reduceat(p * worth, self._begin)))
        return float(self._metric.quality(expected)), self._scale * (self._lines.h @ covariance)

    def descent(self, z: Floats) -> tuple[float, Floats]:
        """Return the negative of both, for what minimises."""
        value, slope = self(z)
        return -value, -slope

    def _probabilities(self, z: Floats) -> Floats:
        scores = self._scale * self._lines.scores(z)
        p = np.exp(scores - self._spread(np.maximum.reduceat(scores, self._begin)))
        return np.asarray(p / self._spread(np.add.reduceat(p, self._begin)))

    def _spread(self, values: Floats) -> Floats:
        """Repeat a value of each segment for its candidates."""
        return np.repeat(values, self._counts)


def gradient(metric: Metric, sums: Statistics) -> Statistics:
    """Return the gradient of a metric's quality by the sums, shape (size,), by central differences."""
    width = 1e-5 * np.maximum(1.0, np.abs(sums))
    steps = np.diag(width)
    # One-sided where a sum would become negative, which no metric knows.
    below = np.maximum(sums - steps, 0.0) if np.all(sums >= 0) else sums - steps
    upper, lower = metric.quality(sums + steps), metric.quality(below)
    return np.asarray((upper - lower) / np.diag(sums + steps - below))
