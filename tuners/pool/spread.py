"""How much candidates differ within their segments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopefear.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Squares:
    """Sums of squared deviations from segments' means: those of parts of a corpus add up to those of all.

    Sums are exact, so that they are the same however a corpus is parted.
    """

    candidates: int
    exponents: list[int]
    terms: list[list[float]]

    @classmethod
    def of(cls, values: Floats, counts: Ints) -> Squares:
        """Take values (m, n), all finite, of segments with so many candidates each."""
        segment_of = np.repeat(np.arange(len(counts)), counts)
        exponents, terms = [], []
        for own in values:
            exponent = math.frexp(float(np.abs(own).max(initial=0.0)))[1]
            scaled = np.ldexp(own, -exponent)
            means = np.bincount(segment_of, scaled, minlength=len(counts)) / np.maximum(counts, 1)
            squares = (scaled - means[segment_of]) ** 2
            exponents.append(exponent)
            terms.append(_condensed(np.bincount(segment_of, squares, minlength=1).tolist()))
        return cls(values.shape[1], exponents, terms)

    @classmethod
    def merged(cls, parts: Sequence[Squares]) -> Squares:
        """Add up those of at least one part, of the same values."""
        exponents = [max(own) for own in zip(*(part.exponents for part in parts), strict=True)]
        terms = [
            _condensed(
                [math.ldexp(x, 2 * (part.exponents[i] - exponent)) for part in parts for x in part.terms[i]]
            )
            for i, exponent in enumerate(exponents)
        ]
        return cls(sum(part.candidates for part in parts), exponents, terms)

    def deviations(self) -> Floats:
        """Return the standard deviations within segments, shape (m,)."""
        roots = [math.sqrt(math.fsum(terms) / max(self.candidates, 1)) for terms in self.terms]
        return np.ldexp(np.array(roots, np.float64), np.array(self.exponents, np.int32))


def spread(values: Floats, counts: Ints) -> Floats:
    """Return the deviations that `Squares` does, shape (m,), as numpy adds them up."""
    segment_of = np.repeat(np.arange(len(counts)), counts)
    deviations = np.empty(len(values))
    for row, own in enumerate(values):
        largest = float(np.abs(own).max()) or 1.0  # its square might overflow
        scaled = own / largest
        means = np.bincount(segment_of, scaled, minlength=len(counts)) / np.maximum(counts, 1)
        deviations[row] = largest * np.sqrt(np.mean((scaled - means[segment_of]) ** 2))
    return deviations


def _condensed(values: list[float]) -> list[float]:
    """Return few numbers with the same exact sum."""
    few: list[float] = []
    while rest := math.fsum([*values, *(-x for x in few)]):
        few.append(rest)
    return few
