"""Minimum error rate training (Och 2003) with what others added to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from hopefear.metrics import Metric

from ..contract import check_at_least, check_finite
from ..pool import MIN_GAIN, Candidates, Climber, ErrorSurface, SoftmaxObjective, Start, WindowKind
from .batch import BatchTuner


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
            raise ValueError(f"features must be a sequence of names, got a single string: {self.features!r}")

    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        surface = ErrorSurface(pool, weights, self.features, window=self.window, window_kind=self.window_kind)
        return self._search(surface, weights, rng)

    def _search(
        self, surface: ErrorSurface, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Climb from all starting points."""
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
    def _climb_smoothly(
        objective: SoftmaxObjective, z: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float]:
        from scipy import optimize  # its import takes long, and plain MERT does without

        found = optimize.minimize(objective.descent, z, jac=True, method="L-BFGS-B")
        start = objective(z)[0]
        return (found.x, -float(found.fun)) if -found.fun > start + MIN_GAIN else (z, start)
