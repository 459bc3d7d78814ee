"""Learning rates of features, kept for those that have been learned from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Weights

from ..contract import State, load_features, save_features


class FeatureRates:
    """A learning rate for each feature: 1 in the beginning, 1 / (1 + what was added) later."""

    def __init__(self) -> None:
        self._features = np.zeros(0, np.int64)  # ascending
        self._added = np.zeros(0)

    def __len__(self) -> int:
        """Count the features whose rate is not 1."""
        return len(self._features)

    def of(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the rates of some features."""
        added = np.zeros(len(features))
        if len(self):
            place = np.minimum(np.searchsorted(self._features, features), len(self) - 1)
            known = self._features[place] == features
            added[known] = self._added[place[known]]
        return 1.0 / (1.0 + added)

    def add(self, features: NDArray[np.int64], amounts: NDArray[np.float64]) -> None:
        """Lower the rates of some features, all different, by amounts of at least 0 below the line."""
        fired = amounts > 0
        both = np.concatenate((self._features, features[fired]))
        self._features, place = np.unique(both, return_inverse=True)
        self._added = np.bincount(
            place, np.concatenate((self._added, amounts[fired])), len(self._features)
        ).astype(np.float64, copy=False)

    def get_state(self, weights: Weights) -> State:
        """Give the state, with the features' names."""
        arrays = {"rate_names": save_features(self._features, weights), "rate_added": self._added}
        return {"facts": {}, "arrays": arrays}

    def set_state(self, state: State, weights: Weights) -> None:
        """Go back to a state.

        Raises
        ------
        InputError
            It has no rates, or damaged ones.
        """
        try:
            features = load_features(state["arrays"]["rate_names"], weights)
            added = np.asarray(state["arrays"]["rate_added"], np.float64)
            if added.shape != features.shape:
                raise ValueError("the number of rates")
            if (added < 0).any():
                raise ValueError("expected rates of at least 0")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"expected the state of an adaptive tuner; missing or wrong: {error}") from None
        self._features, self._added = np.zeros(0, np.int64), np.zeros(0)
        self.add(features, added)
