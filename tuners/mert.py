"""Minimum error rate training (Och 2003) with what others added to it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from hopefear.metrics import Metric

from .batch import BatchTuner
from .candidates import Candidates
from .error_surface import ErrorSurface
from .line_search import WindowKind, smooth
from .settings import check_at_least, check_finite
from .softmax_objective import SoftmaxObjective

Start = Literal["walk", "uniform"]

MIN_GAIN = 1e-4
"""Of the metric, in per cent: less is no reason to move."""
REACH = 0.1
"""How far behind the last boundary a step goes at least, in units of the error surface."""


class Mert(BatchTuner):
    """MERT: the metric itself is optimised on the candidates found so far, by exact line search.

    From each starting point the search goes along one feature after another, in random order, each time to
    the best of all steps, until no direction helps (Och 2003, section 5). The weights keep their length.

    Parameters
    ----------
    passes : int
        At most so many.
    k : int
        Translations of each sentence that a pass finds.
    metric : Metric, optional
        BLEU if not given. Error rates are made as small as can be.
    restarts : int
        Starting points beside the weights of before.
    start : str
        ``"walk"``: each starting point is a random step from the best place so far; ``"uniform"``: anywhere
        (Moore & Quirk 2008 compare ways of restarting).
    directions : int
        Random directions beside the features in each round (Cer, Jurafsky & Manning 2008).
    window, window_kind : int and str
        Where the window is above 0, an interval's value is the ``"average"`` or the ``"minimum"`` of it and
        so many neighbours on either side (Cer et al. 2008).
    softmax : float
        Where above 0: α of the smoothed objective (Och 2003, section 3), the metric of the expected
        statistics under p ∝ exp(α h·w). It is optimised by its gradient, so that directions and windows play
        no part.
    features : sequence of str, optional
        The features to be tuned; all if not given.
    seed : int
        Of starting points and directions.
    tolerance : float
        A run ends when the weights change by no more than this times their length.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    threads : int
        Sentences that are translated at the same time.
    """

    REMEDY: ClassVar[str] = "scale the features down"

    def __init__(
        self,
        *,
        passes: int = 10,
        k: int = 100,
        metric: Metric | None = None,
        restarts: int = 20,
        start: Start = "walk",
        directions: int = 0,
        window: int = 0,
        window_kind: WindowKind = "average",
        softmax: float = 0.0,
        features: Sequence[str] | None = None,
        seed: int = 0,
        tolerance: float = 1e-5,
        patience: int = 2,
        threads: int = 1,
    ) -> None:
        super().__init__()
        self.passes = passes
        self.k = k
        self.metric = metric
        self.restarts = restarts
        self.start = start
        self.directions = directions
        self.window = window
        self.window_kind = window_kind
        self.softmax = softmax
        self.features = features
        self.seed = seed
        self.tolerance = tolerance
        self.patience = patience
        self.threads = threads

    def _check_settings(self) -> None:
        super()._check_settings()
        check_at_least(self, restarts=0, directions=0, window=0)
        check_finite("softmax", self.softmax)
        for name, known in {"start": Start, "window_kind": WindowKind}.items():
            if getattr(self, name) not in get_args(known):
                raise ValueError(f"{name} must be one of {get_args(known)}, got {getattr(self, name)!r}")
        if isinstance(self.features, str):
            raise ValueError(f"features must be a sequence of names, got the one string {self.features!r}")

    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        return self._search(ErrorSurface(pool, weights, self.features), weights, rng)

    def _search(
        self, surface: ErrorSurface, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Climb from all starting points."""
        if not len(surface.features):
            return weights
        begin = surface.position()
        best, highest = self._climb(surface, begin, rng)
        for _ in range(self.restarts):
            place, value = self._climb(surface, self._draw(begin, best, rng), rng)
            if value > highest + MIN_GAIN:
                best, highest = place, value
        if np.array_equal(best, begin):
            return weights
        learned = surface.weights(best)
        before = float(np.linalg.norm(weights[surface.features]))
        if self.features is None and self.softmax == 0 and before > 0 and best.any():
            # Only directions count, and lengths should not grow from pass to pass.
            learned[surface.features] *= before / float(np.linalg.norm(learned[surface.features]))
        return learned

    def _draw(
        self, begin: NDArray[np.float64], best: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Draw a starting point; steps are as long as the way from the origin."""
        if self.start == "walk":
            length = float(np.linalg.norm(best)) or 1.0
            return best + rng.normal(size=len(best)) * length / math.sqrt(len(best))
        length = float(np.linalg.norm(begin)) or 1.0
        return rng.uniform(-1, 1, len(begin)) * length * math.sqrt(3 / len(begin))

    def _climb(
        self, surface: ErrorSurface, z: NDArray[np.float64], rng: np.random.Generator
    ) -> tuple[NDArray[np.float64], float]:
        """Go uphill from z; give where that ends, and the objective there."""
        if self.softmax > 0:
            return self._climb_smoothly(SoftmaxObjective(surface, self.softmax), z)
        here: list[float] = []  # the objective at z along each direction since the last move
        level = -math.inf  # what a move must exceed: with a window each direction sees another objective
        order = rng.permutation(len(z) + self.directions)
        surface.go_to(z)
        for place in itertools.cycle(order):
            intervals = surface.cut(
                np.eye(1, len(z), place)[0] if place < len(z) else rng.normal(size=len(z))
            )
            quality = surface.pool.metric.quality(intervals.sums)
            values = smooth(quality, self.window, self.window_kind)
            # On a boundary, as weights of zero are, candidates are equal: nobody should rely on the better.
            now, found = float(values[intervals.touching(0.0)].min()), intervals.best(values, REACH)
            if found.value > max(now, level) + MIN_GAIN:
                surface.move(found.step)
                here, level = [found.value], found.value
            else:
                here.append(now)
            if len(here) == len(order):
                break
        return surface.z, float(np.mean(here))

    @staticmethod
    def _climb_smoothly(
        objective: SoftmaxObjective, z: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        found = optimize.minimize(objective.descent, z, jac=True, method="L-BFGS-B")
        start = objective(z)[0]
        return (found.x, -float(found.fun)) if -found.fun > start + MIN_GAIN else (z, start)
