"""Minimum error rate training (Och 2003) with extensions of later papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, get_args

import numpy as np

from hopefear.base.arrays import Floats

from ..contract import setting
from ..pool import MIN_GAIN, Climber, ErrorSurface, Extend, Pool, SoftmaxObjective, Start, WindowKind
from .batch import BatchTuner


@dataclass(kw_only=True, eq=False, repr=False)
class Mert(BatchTuner):
    """MERT: the metric itself is optimised on the candidates found so far, by exact line search.

    From each starting point the search goes along one feature after another, in random order, each time to
    the best of all steps, until no direction helps (Och 2003, section 5). The weights keep their length.
    Error rates are minimised.

    Parameters
    ----------
    restarts : int
        Starting points in addition to the weights before the pass.
    start : str
        ``"walk"``: each starting point is a random step from the best place so far; ``"uniform"``: anywhere
        (Moore & Quirk 2008 compare ways of restarting).
    directions : int
        Random directions in addition to the features in each round (Cer, Jurafsky & Manning 2008).
    window, window_kind : int and str
        If the window is above 0, the value of an interval is the ``"average"`` or the ``"minimum"`` of the
        interval and this many neighbours on either side (Cer et al. 2008).
    softmax : float
        If above 0: α of the smoothed objective (Och 2003, section 3), the metric of the expected statistics
        under p ∝ exp(α h·w). The objective is optimised by its gradient, without directions and windows.
    features : sequence of str, optional
        The features to be tuned; all if not given.
    passes, k, metric, seed, tolerance, patience, threads
        See `BatchTuner`; the seed is that of starting points and directions.
    """

    REMEDY: ClassVar[str] = "scale the features down"

    restarts: int = setting(20, least=0)
    start: Start = setting("walk", choices=get_args(Start))
    directions: int = setting(0, least=0)
    window: int = setting(0, least=0)
    window_kind: WindowKind = setting("average", choices=get_args(WindowKind))
    softmax: float = setting(0.0, least=0, finite=True)
    features: Sequence[str] | None = None
    patience: int = 2

    def _check_settings(self) -> None:
        super()._check_settings()
        if isinstance(self.features, str):
            raise ValueError(f"features must be a sequence of names, got a single string: {self.features!r}")

    def optimize(self, pool: Pool[Any], weights: Floats, rng: np.random.Generator) -> Floats:
        """Climb on the error surface of the candidates."""
        return self._search(pool, weights, rng)

    def _search(
        self,
        pool: Pool[Any],
        weights: Floats,
        rng: np.random.Generator,
        extend: Extend | None = None,
    ) -> Floats:
        """Climb from all starting points on the error surface, which `extend` may change."""
        surface = ErrorSurface(
            pool,
            weights,
            self.features,
            window=self.window,
            window_kind=self.window_kind,
            extend=extend,
        )
        if not len(surface.features):
            return weights
        climb = None
        if self.softmax > 0:
            climb = partial(self._climb_smoothly, SoftmaxObjective(surface, self.softmax))
        begin = surface.position()
        best = Climber(self.restarts, self.start, self.directions).search(surface, begin, rng, climb)
        if np.array_equal(best, begin):
            return weights
        learned = surface.weights(best)
        before = float(np.linalg.norm(weights[surface.features]))
        if self.features is None and self.softmax == 0 and before > 0 and best.any():
            # Only directions count, and lengths should not grow from pass to pass.
            learned[surface.features] *= before / float(np.linalg.norm(learned[surface.features]))
        return learned

    @staticmethod
    def _climb_smoothly(objective: SoftmaxObjective, z: Floats) -> tuple[Floats, float]:
        from scipy import optimize  # its import takes long, and plain MERT does without

        found = optimize.minimize(objective.descent, z, jac=True, method="L-BFGS-B")
        start = objective(z)[0]
        return (found.x, -float(found.fun)) if -found.fun > start + MIN_GAIN else (z, start)
