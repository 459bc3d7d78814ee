"""The average of all weight vectors of a run, at the cost of what an update touches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class WeightAverage:
    """The mean of the weight vectors after each of T updates.

    With w_t the weights after update t and Δ_t its change, the mean is w_T - Σ_t (t - 1) Δ_t / T, so that
    an update only adds to what it changes.

    Attributes
    ----------
    updates : int
        T.
    moment : ndarray, float64
        Σ_t (t - 1) Δ_t by feature number.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all updates."""
        self.updates = 0
        self.moment: NDArray[np.float64] = np.zeros(0)

    def add(self, features: NDArray[np.int64], change: NDArray[np.float64]) -> None:
        """Take note of an update: features that are all different, and their changes."""
        needed = int(features.max(initial=-1)) + 1
        if needed > len(self.moment):
            longer = np.zeros(max(needed, 2 * len(self.moment)))
            longer[: len(self.moment)] = self.moment
            self.moment = longer
        self.moment[features] += self.updates * change
        self.updates += 1

    def mean(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the mean, a new array, for the weights after the last update."""
        mean = weights.copy()
        if self.updates:
            known = min(len(self.moment), len(mean))
            mean[:known] -= self.moment[:known] / self.updates
        return mean
