"""The initial weights of the learners of parallel training."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Weights

from ..contract import array, load_lines, save_features


@dataclass(eq=False)
class FirstWeights:
    """Features in the order of their numbers, and their weights."""

    # Each learner numbers features in this order: its results depend on what it was sent only, to the bit.
    features: Ints = array("i8", of_features=True, init=True)
    values: Floats = array(init=True)
    names: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))

    @classmethod
    def of(cls, weights: Weights, count: int) -> FirstWeights:
        """Copy the weights of the features with the lowest `count` numbers."""
        features = np.arange(count)
        return cls(features, weights.array[:count].copy(), save_features(features, weights))

    def restored(self) -> None:
        """Refuse arrays that contradict each other."""
        if self.features.shape != self.values.shape:
            raise ValueError("the number of initial weights")

    def install(self, weights: Weights) -> None:
        """Set the weights of the coordinator's decoder, and remember the features by name."""
        weights.clear()
        weights.array[self.features] = self.values
        self.names = save_features(self.features, weights)

    def make_weights(self) -> Weights:
        """Return weights with these features, all 0."""
        weights = Weights()
        weights.native.intern_all(load_lines(self.names))
        return weights

    def extended(self, size: int) -> Floats:
        """Return the initial weights, with 0 for new features."""
        values = np.zeros(size)
        values[: len(self.values)] = self.values
        return values
