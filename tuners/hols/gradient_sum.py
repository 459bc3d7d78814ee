"""Sums of gradients over training data of any size (Flanigan et al. 2013, sections 4 and 5.2)."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Weights
from hopefear.parallel import Named

from ..contract import array, check_translated, fact


@dataclass(frozen=True, slots=True)
class ListGradient:
    """What a k-best list says of the sparse features."""

    features: Ints
    gradient: Floats
    loss: float


@dataclass(frozen=True, slots=True)
class PartialSum:
    """The gradients of some k-best lists added up; pickled with the features' names."""

    weights: Weights
    features: Ints
    gradient: Floats
    lists: Ints
    loss: float
    sentences: int
    skipped: int
    seconds: float

    @classmethod
    def of(cls, weights: Weights, found: Sequence[ListGradient | None], since: float) -> PartialSum:
        """Add up what was found in sentences, None where no derivation covers one."""
        covered = [own for own in found if own is not None]
        sums = _summed(
            [own.features for own in covered],
            [own.gradient for own in covered],
            [np.ones(len(own.features), np.int64) for own in covered],
        )
        loss, skipped = sum(own.loss for own in covered), len(found) - len(covered)
        return cls(weights, *sums, loss, len(found), skipped, time.thread_time() - since)

    @staticmethod
    def merged(parts: Sequence[PartialSum]) -> PartialSum:
        """Add up sums, at least one."""
        clock = time.thread_time()
        sums = _summed(
            *([getattr(part, name) for part in parts] for name in ("features", "gradient", "lists"))
        )
        loss, sentences, skipped, seconds = (
            sum(getattr(part, name) for part in parts) for name in ("loss", "sentences", "skipped", "seconds")
        )
        seconds += time.thread_time() - clock
        return PartialSum(parts[0].weights, *sums, loss, sentences, skipped, seconds)

    def __reduce__(self) -> tuple[Callable[..., PartialSum], tuple[Any, ...]]:
        """Return names in place of numbers."""
        named = Named.of(self.weights, self.features.astype(np.int32))
        sums = (self.gradient, self.lists, self.loss, self.sentences, self.skipped, self.seconds)
        return _renumbered, (self.weights, named, *sums)


def _renumbered(weights: Weights, named: Named, *sums: Any) -> PartialSum:
    return PartialSum(weights, named.numbers(weights).astype(np.int64), *sums)


def _summed(
    features: Sequence[Ints],
    gradients: Sequence[Floats],
    lists: Sequence[Ints],
) -> tuple[Ints, Floats, Ints]:
    """Add up sparse vectors, those of each feature in their order, whatever its number is."""
    none = np.zeros(0, np.int64)
    together, place = np.unique(np.concatenate([none, *features]), return_inverse=True)
    gradient = np.bincount(place, np.concatenate([np.zeros(0), *gradients]), minlength=len(together))
    count = np.zeros(len(together), np.int64)
    np.add.at(count, place, np.concatenate([none, *lists]))
    return together, gradient.astype(np.float64, copy=False), count


@dataclass(eq=False)
class GradientSum:
    """The gradients of all k-best lists so far, and in how many each feature is not 0."""

    gradient: Floats = array(by_feature=True)
    lists: Ints = array("i8", by_feature=True, least=0)
    loss: float = fact(0.0)
    sentences: int = fact(0, least=0)
    skipped: int = fact(0, least=0)
    seconds: float = fact(0.0)

    def add(self, found: PartialSum) -> None:
        """Add the sum over some sentences."""
        self.loss += found.loss
        self.seconds += found.seconds
        self.sentences += found.sentences
        self.skipped += found.skipped
        size = int(found.features.max(initial=-1)) + 1
        if size > len(self.lists):
            more = max(size, 2 * len(self.lists)) - len(self.lists)
            self.gradient, self.lists = np.pad(self.gradient, (0, more)), np.pad(self.lists, (0, more))
        self.gradient[found.features] += found.gradient
        self.lists[found.features] += found.lists

    def check(self) -> None:
        """Refuse what no direction comes of."""
        check_translated(self.skipped, self.sentences)
        if not self.lists.any():
            raise InputError(
                "expected sparse features, but all features are dense: add feature functions such as "
                "RuleIndicators, name the dense features, or choose a tuner for few features, such as Mert"
            )

    def direction(self, *, conditioning: bool, min_count: int = 1) -> Floats:
        """Return the way downhill, by feature number."""
        fires = np.flatnonzero(self.lists >= max(min_count, 1))
        if not len(fires):
            raise InputError(
                f"expected a sparse feature that is not 0 in {min_count} k-best lists, got none: "
                "lower min_count"
            )
        direction = np.zeros(int(fires[-1]) + 1)
        direction[fires] = -self.gradient[fires] / (self.lists[fires] if conditioning else 1)
        return direction

    def restored(self) -> None:
        """Raise ValueError where a feature has a gradient, but is in no list."""
        if len(self.gradient) > len(self.lists):
            raise ValueError("counts of all features that have a gradient")
        self.gradient = np.pad(self.gradient, (0, len(self.lists) - len(self.gradient)))
