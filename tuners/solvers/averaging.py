"""The average of all weight vectors of a run, at the cost of what an update touches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopefear.base.arrays import Floats, Ints

from ..contract import array, fact

_FEW = 1 << 16
"""Changes that are not worth adding up."""


@dataclass(init=False, eq=False)
class WeightAverage:
    """The mean of the weight vectors after each of T updates.

    With w_t the weights after update t and Δ_t its change, the mean is w_T - Σ_t (t - 1) Δ_t / T, so that
    an update only adds to what it changes.
    """

    updates: int = fact(0, least=0)
    moment: Floats = array(by_feature=True)

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all updates."""
        self.updates, self.moment = 0, np.zeros(0)
        # Σ_t (t - 1) Δ_t in parts that are added up now and then: time and memory go with what was changed.
        self._features: list[Ints] = []
        self._moments: list[Floats] = []
        self._added = self._distinct = 0

    def add(self, features: Ints, change: Floats) -> None:
        """Take note of an update: features that are all different, and their changes."""
        self._features.append(features)
        self._moments.append(self.updates * change)
        self._added += len(features)
        self.updates += 1
        if self._added > max(self._distinct, _FEW):
            self._add_up()

    def saving(self) -> None:
        """Spread the sums by feature number."""
        features, moments = self._add_up()
        self.moment = np.zeros(int(features.max(initial=-1)) + 1)
        self.moment[features] = moments

    def restored(self) -> None:
        """Go on with the saved sums."""
        features = np.flatnonzero(self.moment)
        self._features, self._moments = [features], [self.moment[features]]
        self._added, self._distinct = 0, len(features)
        self.moment = np.zeros(0)

    def mean(self, weights: Floats) -> Floats:
        """Return the mean, a new array, for the weights after the last update."""
        mean = weights.copy()
        if self.updates:
            features, moments = self._add_up()
            mean[features] -= moments / self.updates
        return mean

    def _add_up(self) -> tuple[Ints, Floats]:
        """Return the features changed, each once, and their moments."""
        if len(self._features) != 1:
            numbers = np.concatenate([np.zeros(0, np.int64), *self._features])
            features, place = np.unique(numbers, return_inverse=True)
            # In the order of the updates, so that the sums do not depend on when it is done.
            moments = np.zeros(len(features))
            np.add.at(moments, place, np.concatenate([np.zeros(0), *self._moments]))
            self._features, self._moments = [features], [moments]
            self._added, self._distinct = 0, len(features)
        return self._features[0], self._moments[0]
