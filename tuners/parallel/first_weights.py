"""The initial weights of the learners of parallel MIRA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Weights

from ..contract import load_features, load_lines, save_features, save_lines


@dataclass(frozen=True)
class FirstWeights:
    """Features in the order of their numbers, and their weights.

    Each learner numbers these features in this order, and new features in the order of its sentences and
    messages, so that its results depend only on what it was sent, to the bit.

    Attributes
    ----------
    names : array of uint8
        See `saved_features`.
    values : array of float64, shape (features,)
        The weights.
    """

    names: NDArray[np.uint8]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, weights: Weights, count: int) -> FirstWeights:
        """Copy the weights of the features with the lowest `count` numbers."""
        return cls(save_features(np.arange(count), weights), weights.array[:count].copy())

    @classmethod
    def load(cls, arrays: dict[str, NDArray[Any]]) -> FirstWeights:
        """Read the arrays of `save`.

        Raises
        ------
        InputError
            The arrays have no initial weights, or other features.
        """
        if "first" not in arrays:
            raise InputError(
                "expected the state of several workers, got a state without their initial weights"
            )
        names, first = load_lines(arrays["names"]), arrays["first"]
        if len(first) and not 0 <= first.min() <= first.max() < len(names):
            raise InputError("expected the initial weights of features that the state names, got others")
        values = np.zeros(len(names))
        values[: len(arrays["weights"])] = arrays["weights"]
        return cls(save_lines(names[i] for i in first.tolist()), values[first])

    def save(self, arrays: dict[str, NDArray[Any]], weights: Weights) -> None:
        """Add the initial weights to the arrays of a state that has the names of `weights`."""
        arrays["first"] = load_features(self.names, weights)
        values = np.zeros(len(weights))
        values[: len(arrays["weights"])] = arrays["weights"]
        values[arrays["first"]] = self.values
        arrays["weights"] = values

    def make_weights(self) -> Weights:
        """Return weights with these features, all 0."""
        weights = Weights()
        weights.native.intern_all(load_lines(self.names))
        return weights

    def extended(self, size: int) -> NDArray[np.float64]:
        """Return the initial weights, with 0 for new features."""
        values = np.zeros(size)
        values[: len(self.values)] = self.values
        return values
