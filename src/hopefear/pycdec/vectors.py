"""Feature and weight vectors by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from hopefear.base.signatures import refusing
from hopefear.decoder import Weights
from hopefear.pycdec.text import as_text

Values = Mapping[str, float] | Mapping[bytes, float]


class DenseVector:
    """A decoder's weights, for all features that the decoder knows; or a vector without a decoder."""

    def __init__(self, weights: Weights | None = None) -> None:
        self.native = weights if weights is not None else Weights()

    def __len__(self) -> int:
        """Count the features."""
        return len(self.native)

    def __getitem__(self, name: str | bytes) -> float:
        """Return a weight; KeyError for an unknown feature."""
        name = as_text(name)
        if name not in self.native:
            raise KeyError(name)
        return self.native[name]

    def __setitem__(self, name: str | bytes, value: float) -> None:
        """Set a weight."""
        self.native[as_text(name)] = float(value)

    def __contains__(self, name: str | bytes) -> bool:
        """Tell whether the feature is known."""
        return as_text(name) in self.native

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Iterate over (name, weight), so that ``dict(vector)`` works."""
        return iter(self.native)

    def dot(self, other: SparseVector) -> float:
        """Return the dot product with a sparse vector."""
        return other.dot(self)

    def tosparse(self) -> SparseVector:
        """Return the weights that are not 0."""
        return SparseVector(self.native.nonzero())

    @refusing("cannot initialize weights with {}")
    def assign(self, values: Values | SparseVector | DenseVector) -> None:
        """Copy the values of another vector; all other weights become 0.

        Raises
        ------
        TypeError
            `values` is not a vector.
        """
        named = values.items() if isinstance(values, Mapping) else values
        pairs = {as_text(name): value for name, value in named}
        self.native.clear()
        self.native.update(pairs)


class SparseVector:
    """A feature vector with entries for some features; the value of all others is 0."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Values | Iterable[tuple[str | bytes, float]] = ()) -> None:
        self._values = {as_text(name): float(value) for name, value in dict(values).items()}

    def copy(self) -> SparseVector:
        """Return a copy."""
        return SparseVector(self._values)

    def todense(self) -> DenseVector:
        """Return a new dense vector with the same values."""
        return DenseVector(Weights(self._values))

    def __len__(self) -> int:
        """Count the entries."""
        return len(self._values)

    def __getitem__(self, name: str | bytes) -> float:
        """Return a value, 0 if there is no entry."""
        return self._values.get(as_text(name), 0.0)

    def __setitem__(self, name: str | bytes, value: float) -> None:
        """Set a value."""
        self._values[as_text(name)] = float(value)

    def __contains__(self, name: str | bytes) -> bool:
        """Tell whether the value is not 0."""
        return self[name] != 0

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Iterate over (name, value), so that ``dict(vector)`` works."""
        return iter(self._values.items())

    def __repr__(self) -> str:
        return f"SparseVector({self._values!r})"

    @refusing("cannot take the dot product of {} and SparseVector")
    def dot(self, other: SparseVector | DenseVector) -> float:
        """Return the dot product with a sparse or dense vector."""
        weights = other.native if isinstance(other, DenseVector) else other
        return sum(value * weights[name] for name, value in self)

    def __eq__(self, other: object) -> bool:
        """Compare the values that are not 0."""
        if not isinstance(other, SparseVector):
            return NotImplemented
        return self._nonzero() == other._nonzero()

    def _nonzero(self) -> dict[str, float]:
        return {name: value for name, value in self if value}

    def _add(self, other: SparseVector, sign: float) -> SparseVector:
        """Add another vector to this one; `NotImplemented` for what is none."""
        if not isinstance(other, SparseVector):
            return NotImplemented
        for name, value in other._values.copy().items():
            self[name] += sign * value
        return self

    def _map(self, function: Callable[[float], float]) -> SparseVector:
        return SparseVector({name: function(value) for name, value in self})

    def __neg__(self) -> SparseVector:
        return self._map(lambda value: -value)

    def __iadd__(self, other: SparseVector) -> SparseVector:
        return self._add(other, 1.0)

    def __isub__(self, other: SparseVector) -> SparseVector:
        return self._add(other, -1.0)

    def __add__(self, other: SparseVector) -> SparseVector:
        return self.copy()._add(other, 1.0)

    def __sub__(self, other: SparseVector) -> SparseVector:
        return self.copy()._add(other, -1.0)

    def __imul__(self, scalar: float) -> SparseVector:
        self._values = self._map(lambda value: value * scalar)._values
        return self

    def __itruediv__(self, scalar: float) -> SparseVector:
        self._values = self._map(lambda value: value / scalar)._values
        return self

    def __mul__(self, scalar: float) -> SparseVector:
        if not isinstance(scalar, (int, float)):
            return NotImplemented
        return self._map(lambda value: value * scalar)

    __rmul__ = __mul__

    def __truediv__(self, scalar: float) -> SparseVector:
        if not isinstance(scalar, (int, float)):
            return NotImplemented
        return self._map(lambda value: value / scalar)
