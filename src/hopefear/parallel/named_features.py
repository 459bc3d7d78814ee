"""Features by name, for a process that numbers features differently."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .replicas import Published


@dataclass(frozen=True, slots=True)
class Named:
    """Feature numbers with the names that they stand for."""

    names: bytes
    indices: NDArray[np.int32]

    @classmethod
    def of(cls, weights: Published, numbers: NDArray[np.int32]) -> Named:
        """Name the features that these numbers have in `weights`."""
        different, indices = np.unique(numbers, return_inverse=True)
        names = [weights.name(number) for number in different.tolist()]
        return cls("\n".join(names).encode(), indices.astype(np.int32).reshape(-1))

    def numbers(self, weights: Published) -> NDArray[np.int32]:
        """Return the features' numbers in `weights`, int32, shape (n,); new features get weight 0."""
        if not self.indices.size:
            return np.zeros(0, np.int32)
        names = self.names.decode().split("\n")
        return weights.intern_all(names)[self.indices]
