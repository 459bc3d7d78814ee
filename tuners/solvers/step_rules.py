"""How far online tuners go along a gradient: plain steps with L2, AdaGrad, and L1 by dual averaging.

==========  ==============================================================================================
rule        weights after t gradients g_1 … g_t, per feature
==========  ==============================================================================================
`Sgd`       w ← (1 - η·l2) w - η g_t
`AdaGrad`   w ← w - η g_t / (δ + √Σ g²)  (Duchi, Hazan & Singer 2011; Green et al. 2013)
`Rda`       argmin over w of w Σ g + t·l1·|w| + (δ + √Σ g²)(w - w_start)² / 2η  (Duchi et al. 2011, section 5)
==========  ==============================================================================================

The cost of an update depends on the number of features in its gradient. L2 and L1 shrink the other weights,
too: this is done later, when a gradient has the feature again, and for all weights together after the
gradients have had as many features as there are weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints

from ..contract import Settings, array, by_feature, fact, setting

Sparse = tuple[Ints, Floats]
"""Features, all different, and values."""


@dataclass(kw_only=True, eq=False, repr=False)
class StepRule(Settings, ABC):
    """Turns gradients into changes of the weights, and keeps sums over past gradients.

    A rule declares what it keeps for each feature as arrays by feature.

    Parameters
    ----------
    rate : float
        η, above 0.

    Attributes
    ----------
    updates : int
        t.
    """

    LAZY: ClassVar[bool] = False
    """Whether weights change without a gradient by their features."""

    rate: float = setting(0.01, above=0, finite=True)

    updates: int = fact(0, least=0)
    _touched: int = fact(0, least=0)

    def __post_init__(self) -> None:
        self.check()

    def step(self, features: Ints, gradient: Floats, weights: Floats) -> Sparse:
        """Return the change of the weights by a gradient; sometimes with the shrinking that is due.

        Parameters
        ----------
        features, gradient : arrays of int64 and float64, shape (m,)
            Gradient of the loss; features all different.
        weights : array of float64
            By feature number, after all earlier changes; not changed here.

        Returns
        -------
        features, change : arrays of int64 and float64
        """
        self._grow(len(weights))
        self.updates += 1
        moved = np.flatnonzero(gradient)
        features, gradient = features[moved], gradient[moved]
        found = features, self._learn(features, gradient, weights[features]) - weights[features]
        self._touched += len(features)
        if not self.LAZY or self._touched < len(weights):
            return found
        self._touched = 0
        others, change = self._settle(weights)
        fresh = ~np.isin(others, features)
        return np.append(features, others[fresh]), np.append(found[1], change[fresh])

    def settle(self, weights: Floats) -> Sparse:
        """Return the change of weights whose shrinking is still due."""
        self._grow(len(weights))
        self._touched = 0
        return self._settle(weights)

    @abstractmethod
    def _learn(self, features: Ints, gradient: Floats, weights: Floats) -> Floats:
        """Return the new weights of some features whose gradient is not 0."""

    def _settle(self, weights: Floats) -> Sparse:
        return np.zeros(0, np.int64), np.zeros(0)

    def _grow(self, size: int) -> None:
        for name in by_feature(type(self)):
            column = getattr(self, name)
            if len(column) < size:
                grown = np.zeros(max(size, 2 * len(column)))
                grown[: len(column)] = column
                setattr(self, name, grown)


@dataclass(kw_only=True, eq=False, repr=False)
class Sgd(StepRule):
    """Stochastic gradient descent, with L2 regularisation of all weights.

    Parameters
    ----------
    rate : float
        η.
    l2 : float
        Half of it times ‖w‖² is added to the loss of each update.
    """

    LAZY: ClassVar[bool] = True

    l2: float = setting(0.0, least=0, finite=True)

    settled: Floats = array(by_feature=True)

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.rate * self.l2 >= 1:
            raise ValueError(f"rate times l2 must be below 1, got {self.rate} and {self.l2}")

    def _learn(self, features: Ints, gradient: Floats, weights: Floats) -> Floats:
        return self._shrunk(features, weights) - self.rate * gradient

    def _settle(self, weights: Floats) -> Sparse:
        if not self.l2:
            return super()._settle(weights)
        features = np.flatnonzero(weights)
        return features, self._shrunk(features, weights[features]) - weights[features]

    def _shrunk(self, features: Ints, weights: Floats) -> Floats:
        """Shrink weights for all updates since they were shrunk last, this one included."""
        settled = self.settled
        missed = self.updates - settled[features]
        settled[features] = self.updates
        return np.asarray(weights * (1 - self.rate * self.l2) ** missed)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaGrad(StepRule):
    """A rate for each feature, which falls as the squares of its gradients add up.

    Parameters
    ----------
    rate : float
        η: how far the first step of each feature goes.
    delta : float
        δ: added to the root of the sum of squares.
    """

    delta: float = setting(1e-6, above=0, finite=True)

    squares: Floats = array(by_feature=True)

    def _learn(self, features: Ints, gradient: Floats, weights: Floats) -> Floats:
        self.squares[features] += gradient**2
        return weights - self.rate * gradient / self._curvature(features)

    def _curvature(self, features: Ints) -> Floats:
        return np.asarray(self.delta + np.sqrt(self.squares[features]))


@dataclass(kw_only=True, eq=False, repr=False)
class Rda(AdaGrad):
    """Regularised dual averaging with the rates of AdaGrad: L1 makes weights that do not matter exactly 0.

    A weight stays as it was at the start until the first gradient of its feature.

    Parameters
    ----------
    rate : float
        η.
    l1 : float
        A weight differs from its start only if the mean gradient of its feature is larger than this.
    delta : float
        δ.
    """

    LAZY: ClassVar[bool] = True

    l1: float = setting(0.0, least=0, finite=True)

    sums: Floats = array(by_feature=True)
    starts: Floats = array(by_feature=True)

    def _learn(self, features: Ints, gradient: Floats, weights: Floats) -> Floats:
        squares, sums, starts = self.squares, self.sums, self.starts
        new = squares[features] == 0
        starts[features[new]] = weights[new]
        squares[features] += gradient**2
        sums[features] += gradient
        return self._minimum(features)

    def _settle(self, weights: Floats) -> Sparse:
        if not self.l1:
            return super()._settle(weights)
        features = np.flatnonzero(weights)
        features = features[self.squares[features] > 0]
        return features, self._minimum(features) - weights[features]

    def _minimum(self, features: Ints) -> Floats:
        pace = self.rate / self._curvature(features)
        free = self.starts[features] - pace * self.sums[features]
        return np.asarray(np.sign(free) * np.maximum(np.abs(free) - self.updates * self.l1 * pace, 0.0))


STEP_RULES: dict[str, type[StepRule]] = {"sgd": Sgd, "adagrad": AdaGrad, "rda": Rda}
"""By the value of the setting `rule`."""


def summed(features: Sequence[NDArray[Any]], values: Sequence[Floats]) -> Sparse:
    """Add up sparse vectors, at least one."""
    together, place = np.unique(np.concatenate(features), return_inverse=True)
    sums = np.bincount(place, np.concatenate(values), minlength=len(together))
    return together.astype(np.int64), sums.astype(np.float64, copy=False)
