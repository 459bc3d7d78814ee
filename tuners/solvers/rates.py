"""Learning rates of features, kept for those that have been learned from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hopefear.base.arrays import Floats, Ints

from ..contract import array


@dataclass(eq=False)
class FeatureRates:
    """A learning rate for each feature: 1 in the beginning, 1 / (1 + what was added) later."""

    features: Ints = array("i8", of_features=True)
    added: Floats = array(least=0)

    def __len__(self) -> int:
        """Count the features whose rate is not 1."""
        return len(self.features)

    def of(self, features: Ints) -> Floats:
        """Return the rates of some features."""
        added = np.zeros(len(features))
        if len(self):
            place = np.minimum(np.searchsorted(self.features, features), len(self) - 1)
            known = self.features[place] == features
            added[known] = self.added[place[known]]
        return 1.0 / (1.0 + added)

    def add(self, features: Ints, amounts: Floats) -> None:
        """Lower the rates of some features, all different, by amounts of at least 0 below the line."""
        fired = amounts > 0
        both = np.concatenate((self.features, features[fired]))
        self.features, place = np.unique(both, return_inverse=True)
        self.added = np.bincount(
            place, np.concatenate((self.added, amounts[fired])), len(self.features)
        ).astype(np.float64, copy=False)

    def restored(self) -> None:
        """Sort the features by the numbers that they have now."""
        features, added = self.features, self.added
        if added.shape != features.shape:
            raise ValueError("the number of rates")
        self.features, self.added = np.zeros(0, np.int64), np.zeros(0)
        self.add(features, added)
