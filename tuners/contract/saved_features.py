"""Features in checkpoints: by name, since their numbers are of one process only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.arrays import Ints
from hopefear.decoder import Weights


def save_lines(lines: Iterable[str]) -> NDArray[np.uint8]:
    """Return lines, without line ends, as an array that a checkpoint can hold."""
    return np.frombuffer("\n".join(lines).encode("utf-8", "surrogateescape"), np.uint8)


def load_lines(array: NDArray[np.uint8]) -> list[str]:
    """Return the lines that `save_lines` saved; none where it was one empty line."""
    text = array.tobytes().decode("utf-8", "surrogateescape")
    return text.split("\n") if text else []


def save_features(features: Ints | NDArray[np.int32], weights: Weights) -> NDArray[np.uint8]:
    """Return the names of feature numbers."""
    return save_lines(weights.name(feature) for feature in features.tolist())


def load_features(array: NDArray[np.uint8], weights: Weights) -> Ints:
    """Return the numbers that saved names have now."""
    numbers = np.array(weights.native.intern_all(load_lines(array)), np.int64)
    if len(np.unique(numbers)) != len(numbers):
        raise ValueError("expected different names of features")
    return numbers


def check_same_features(array: NDArray[np.uint8], weights: Weights) -> None:
    """Refuse weights that have other numbers than before for the names that were saved, all there were."""
    numbers = load_features(array, weights)
    if not np.array_equal(numbers, np.arange(len(numbers))):
        raise InputError("expected the decoder of the checkpoint, got a decoder with other features")
