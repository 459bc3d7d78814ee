"""How far an update may move the margins: the trust region of a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..contract import Step
from .margin import Constraints


def within_trust_region(
    step: Step, batch: Sequence[Constraints], weights: NDArray[np.float64], radius: float
) -> Step:
    """Scale a step down to √Σ_ij (Δh_ij·Δw)² ≤ `radius` √Σ_ij (Δh_ij·w)², the sums over the batch.

    The objective of an update counts on the hypotheses that were found with w. Where all that w says of them
    is turned round, others would have been found. Both sides have the same features, so that the bound has no
    scale. A part of the way to the minimum of a convex objective lowers it, too.
    """
    if radius == math.inf:
        return step
    change = np.zeros(len(weights))
    change[step.features] = step.change
    known, moved = (
        math.hypot(*(float(np.linalg.norm(each.margins(vector))) for each in batch))
        for vector in (weights, change)
    )
    if not moved > radius * known > 0:
        return step
    return replace(step, change=step.change * (radius * known / moved))
