"""The scores of candidates as some weights change, and the lines through the space of these weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopefear.base.arrays import Floats, Ints
from hopefear.metrics import Statistics

from .line_search import Intervals, cut_line


class PoolLines:
    """Lines through the space of some features' weights; all other weights stay: see `Lines`."""

    def __init__(
        self,
        h: Floats,
        fixed: Floats,
        offsets: Ints,
        statistics: Statistics,
    ) -> None:
        self.h, self.fixed = h, fixed
        self.offsets, self.statistics = offsets, statistics

    def scores(self, z: Floats) -> Floats:
        """Return the scores of all candidates, shape (n,)."""
        return self.fixed + _combine(z, self.h)

    def go_to(self, z: Floats) -> None:
        """Set the place from which lines begin."""
        self.z, self._scores = z, self.scores(z)

    def move(self, direction: Floats, step: float) -> None:
        """Go a step along a line."""
        self.z = self.z + step * direction
        self._scores = self._scores + step * self._slopes(direction)

    def cut(self, direction: Floats, then: Sequence[Floats] = ()) -> tuple[Intervals]:
        """Cut the line ``self.z + γ direction``, which comes in one part."""
        return (cut_line(self._slopes(direction), self._scores, self),)

    def _slopes(self, direction: Floats) -> Floats:
        moved = np.flatnonzero(direction)
        if len(moved) == 1 and direction[moved[0]] == 1.0:
            return np.asarray(self.h[moved[0]])
        return _combine(direction, self.h)


def _combine(z: Floats, h: Floats) -> Floats:
    """Return z h, without BLAS: for a product this small its threads wait for longer than they work."""
    return np.asarray(np.einsum("i,ij->j", z, h))
