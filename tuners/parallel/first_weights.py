"""What the workers of parallel training begin with, in whatever process they are."""

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

    All workers number them in this order, and further ones as they come up in their own sentences and
    messages, so that what a worker computes depends on what it was sent only, to the bit.

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
    def of(cls, weights: Weights) -> FirstWeights:
        """Take weights as they are."""
        return cls(save_features(np.arange(len(weights)), weights), weights.array.copy())

    @classmethod
    def load(cls, arrays: dict[str, NDArray[Any]]) -> FirstWeights:
        """Take what `save` has saved.

        Raises
        ------
        InputError
            There is nothing.
        """
        if "first" not in arrays:
            raise InputError(
                "expected the state of several workers, got a state without their initial weights"
            )
        names, first = load_lines(arrays["names"]), arrays["first"]
        if len(first) and not 0 <= first.min() <= first.max() < len(names):
            raise InputError("expected the initial weights of features that the state names, got others")
        return cls(save_lines(names[i] for i in first.tolist()), arrays["weights"][first])

    def save(self, arrays: dict[str, NDArray[Any]], weights: Weights) -> None:
        """Add them to the arrays of a state that has the names of `weights`."""
        arrays["first"] = load_features(self.names, weights)
        arrays["weights"][arrays["first"]] = self.values

    def make_weights(self) -> Weights:
        """Give weights with these features, all 0."""
        weights = Weights()
        weights.native.intern_all(load_lines(self.names))
        return weights

    def extended(self, size: int) -> NDArray[np.float64]:
        """Give the weights, with 0 for features that have come up since."""
        values = np.zeros(size)
        values[: len(self.values)] = self.values
        return values
