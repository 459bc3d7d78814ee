"""Features on their way to a process that numbers them in another way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .weights import Weights


@dataclass(frozen=True, slots=True)
class Named:
    """Feature numbers with the names that they stand for.

    Attributes
    ----------
    names : bytes
        The different features' names in UTF-8, line breaks between them.
    places : array of int32, shape (n,)
        Which of the names each number stands for, from 0.
    """

    names: bytes
    places: NDArray[np.int32]

    @classmethod
    def of(cls, weights: Weights, numbers: NDArray[np.int32]) -> Named:
        """Take feature numbers of some weights.

        Raises
        ------
        ValueError
            There is a line break in a name.
        """
        different, places = np.unique(numbers, return_inverse=True)
        names = [weights.name(number) for number in different.tolist()]
        joined = "\n".join(names)
        if joined.count("\n") != max(len(names) - 1, 0):
            raise ValueError("expected names of features without line breaks")
        return cls(joined.encode("utf-8", "surrogateescape"), places.astype(np.int32).reshape(-1))

    def numbers(self, weights: Weights) -> NDArray[np.int32]:
        """Give the features' numbers in other weights, int32, shape (n,); new features get weight 0."""
        if not self.places.size:
            return np.zeros(0, np.int32)
        names = self.names.decode("utf-8", "surrogateescape").split("\n")
        return weights.native.intern_all(names)[self.places]
