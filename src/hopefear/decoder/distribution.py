"""A forest as a distribution over its derivations, p(d) ∝ exp(scale · score).

Posteriors, expectations and covariances of what derivations sum over their edges (the first- and second-order
expectation semirings, Li & Eisner 2009), and derivatives of what a forest defines by the weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hopefear import _native
from hopefear.base.signatures import Finite

from .forest_arrays import Edges, Nodes
from .weights import Weights

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Quantity(float):
    """A number that a forest defines, with its derivatives by the weights.

    Scores of edges are taken to be w·f, plus what no weight changes.
    """

    _derivatives: _Derivatives

    @classmethod
    def _of(cls, value: float, derivatives: _Derivatives) -> Quantity:
        quantity = cls(value)
        quantity._derivatives = derivatives
        return quantity

    def gradient(self) -> NDArray[np.float64]:
        """Return the derivatives by the weights: float64, by feature number."""
        return np.asarray(self._derivatives.features.T @ self.by_scores())

    def by_scores(self) -> NDArray[np.float64]:
        """Return the derivatives by the scores of edges: float64, shape (E,)."""
        return self._derivatives.by_scores()

    def hessian_product(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product of the second derivatives by the weights and a vector, as `gradient`.

        Parameters
        ----------
        direction : array of float64, by feature number
        """
        features = self._derivatives.features
        return np.asarray(features.T @ self._derivatives.along(np.asarray(features @ direction)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the number."""
        return float, (float(self),)


@dataclass(frozen=True)
class _Derivatives:
    """Of partition · log Z + E[values], where a value moves with its edge's score at the rate `slope`."""

    moments: _native.Moments
    edges: Edges
    scale: float
    values: NDArray[np.float64]
    partition: float = 0.0
    slope: float = 0.0

    @cached_property
    def features(self) -> csr_array:
        return self.edges.features

    def by_scores(self) -> NDArray[np.float64]:
        direct = self.partition * self.scale + self.slope
        return direct * self.moments.edges() + self.scale * self.moments.edge_covariances(self.values)

    def along(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """How `by_scores` moves as the scores move in a direction."""
        direct = self.scale * (self.partition * self.scale + 2 * self.slope)
        third = self.moments.edge_third_moments(self.values, direction)
        return direct * self.moments.edge_covariances(direction) + self.scale**2 * third


class Distribution:
    """The derivations of a forest, each with a probability in proportion to exp(scale · score).

    Arrays have float64. Values of edges are an array of shape (E,) or (E, k), which may be sparse. A
    derivation has the sum over its edges; an edge counts as often as it is used.
    """

    native: _native.Forest
    weights: Weights

    @property
    def nodes(self) -> Nodes:
        """The nodes as arrays."""
        return Nodes(self.native)

    @property
    def edges(self) -> Edges:
        """The edges as arrays."""
        return Edges(self.native, self.weights)

    def inside(self, *, scale: Finite = 1.0) -> NDArray[np.float64]:
        """Return by node log Σ exp(scale · score) over its derivations, shape (N,)."""
        return _native.inside(self.native, _native.Semiring.LOG, scale)

    def outside(self, *, scale: Finite = 1.0) -> NDArray[np.float64]:
        """Return by node log Σ exp(scale · score) over the rests of derivations around it, shape (N,)."""
        return _native.outside(self.native, _native.Semiring.LOG, scale)

    def node_posteriors(self, *, scale: Finite = 1.0) -> NDArray[np.float64]:
        """Return how often a derivation is expected to have each node, shape (N,)."""
        return _native.Moments(self.native, scale).nodes()

    def edge_posteriors(self, *, scale: Finite = 1.0) -> NDArray[np.float64]:
        """Return how often a derivation is expected to have each edge, shape (E,)."""
        return _native.Moments(self.native, scale).edges()

    def rule_posteriors(self, *, scale: Finite = 1.0) -> NDArray[np.float64]:
        """Return how often a derivation is expected to have each rule, by `Edges.local_rule`, shape (R,)."""
        posteriors = self.edge_posteriors(scale=scale)
        sums = np.bincount(self.native.edge_local_rule, posteriors, len(self.native.rules))
        return sums.astype(np.float64, copy=False)

    def log_partition(self, *, scale: Finite = 1.0) -> Quantity:
        """Return log Σ exp(scale · score) over all derivations."""
        moments = self._moments(scale)
        nothing = np.zeros(len(self.native.edge_head))
        return self._quantity(moments.log_partition, moments, scale, nothing, partition=1.0)

    def entropy(self, *, scale: Finite = 1.0) -> Quantity:
        """Return the entropy -Σ p log p over derivations, in nats."""
        moments = self._moments(scale)
        values = -scale * self.native.edge_score
        entropy = moments.log_partition + _mean(moments, values)
        return self._quantity(entropy, moments, scale, values, partition=1.0, slope=-scale)

    def expected_length(self, *, scale: Finite = 1.0) -> Quantity:
        """Return the expected number of target words."""
        length: Quantity = self.expectations(self.native.edge_words(), scale=scale)
        return length

    @overload
    def expectations(self, values: None = None, *, scale: Finite = 1.0) -> dict[str, float]: ...
    @overload
    def expectations(self, values: ArrayLike | csr_array, *, scale: Finite = 1.0) -> Any: ...

    def expectations(self, values: ArrayLike | csr_array | None = None, *, scale: Finite = 1.0) -> Any:
        """Return the expected sums of values of edges, by default of all features.

        Returns
        -------
        dict of str to float, Quantity, or array of shape (k,)
            Of the features, by name; of values of shape (E,), with derivatives; or of (E, k).
        """
        if values is None:
            features, sums = _native.feature_expectations(self.native, scale)
            name = self.weights.native.name
            return dict(sorted(zip(map(name, features.tolist()), sums.tolist(), strict=True)))
        moments = self._moments(scale)
        columns, many = _columns(values)
        if many:
            return moments.means(columns)[-1]
        single = columns[:, 0]
        return self._quantity(_mean(moments, single), moments, scale, single)

    def covariance(
        self,
        values: ArrayLike | csr_array,
        others: ArrayLike | csr_array | None = None,
        *,
        scale: Finite = 1.0,
    ) -> Any:
        """Return the covariance of sums of values of edges, by default of each with each.

        Returns
        -------
        float, or array of shape (k, l)
            Of values of shape (E,) with others of shape (E,); of (E, k) with (E, l).
        """
        moments = self._moments(scale)
        left, many = _columns(values)
        right, more = (left, many) if others is None else _columns(others)
        found = moments.covariances(left, right)
        return found if many or more else float(found[0, 0])

    def _moments(self, scale: float) -> _native.Moments:
        if not len(self.native.node_category):
            raise ValueError("expected a forest with derivations, got an empty one")
        return _native.Moments(self.native, scale)

    def _quantity(
        self,
        value: float,
        moments: _native.Moments,
        scale: float,
        values: NDArray[np.float64],
        **rates: float,
    ) -> Quantity:
        return Quantity._of(value, _Derivatives(moments, self.edges, scale, values, **rates))


def _mean(moments: _native.Moments, values: NDArray[np.float64]) -> float:
    return float(moments.means(values[:, None])[-1, 0])


def _columns(values: Any) -> tuple[NDArray[np.float64], bool]:
    """Return values of edges as columns, and whether they were."""
    dense = np.asarray(values.toarray() if hasattr(values, "toarray") else values, np.float64)
    if dense.ndim not in (1, 2) or not np.isfinite(dense).all():
        raise ValueError(f"expected finite values of shape (E,) or (E, k), got shape {dense.shape}")
    return np.ascontiguousarray(dense.reshape(len(dense), -1)), dense.ndim == 2
