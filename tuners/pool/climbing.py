"""The search of MERT: uphill along line after line, from several starting points (Och 2003, section 5)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hopefear.base.arrays import Floats

from .error_surface import ErrorSurface

Start = Literal["walk", "uniform"]
Climb = Callable[[Floats], tuple[Floats, float]]

MIN_GAIN = 1e-4
"""Of the metric, in per cent: less is no reason to move."""


@dataclass(frozen=True)
class Climber:
    """Goes uphill along the axes of a surface in random order, to the best of all steps each time."""

    restarts: int
    start: Start = "walk"
    directions: int = 0

    def search(
        self,
        surface: ErrorSurface[Any],
        begin: Floats,
        rng: np.random.Generator,
        climb: Climb | None = None,
    ) -> Floats:
        """Return the best place that is found from all starting points, `begin` where none is better."""
        if climb is None:

            def climb(z: Floats) -> tuple[Floats, float]:
                return self._climb(surface, z, rng)

        best, highest = climb(begin)
        for _ in range(self.restarts):
            place, value = climb(self._draw(begin, best, rng))
            if value > highest + MIN_GAIN:
                best, highest = place, value
        return best

    def _draw(self, begin: Floats, best: Floats, rng: np.random.Generator) -> Floats:
        """Draw a starting point; steps are as long as the way from the origin."""
        if self.start == "walk":
            length = float(np.linalg.norm(best)) or 1.0
            return best + rng.normal(size=len(best)) * length / math.sqrt(len(best))
        length = float(np.linalg.norm(begin)) or 1.0
        return rng.uniform(-1, 1, len(begin)) * length * math.sqrt(3 / len(begin))

    def _climb(self, surface: ErrorSurface[Any], z: Floats, rng: np.random.Generator) -> tuple[Floats, float]:
        """Go uphill from z; give where that ends, and the objective there."""
        here: list[float] = []  # the objective at z along each direction since the last move
        level = -math.inf  # what a move must exceed: with a window each direction sees another objective
        axes = np.eye(len(z))
        order = rng.permutation(len(z) + self.directions)
        surface.lines.go_to(z)
        for turn in itertools.count():
            place, *others = np.roll(order, -turn)
            direction = axes[place] if place < len(z) else rng.normal(size=len(z))
            now, found = surface.look(direction, [axes[other] for other in others if other < len(z)])
            if found.value > max(now, level) + MIN_GAIN:
                surface.lines.move(direction, found.step)
                here, level = [found.value], found.value
            else:
                here.append(now)
            if len(here) == len(order):
                break
        return surface.z, float(np.mean(here))
