"""How far an update of MIRA goes: C, measured by what a run has seen, and the trust region of a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hopefear.base.arrays import Floats

from ..contract import Step, fact
from .margin import Constraints
from .row_sums import row_sums


@dataclass(eq=False)
class StepLength:
    """C of each update, so that a run is the same for features, losses and weights of any scale.

    The hinge of a batch has the subgradient -g, g = Σ_i Δh_ij with the hypothesis j that violates its margin
    most. The step by which the hinge, as far as it is linear, becomes 0 is hinge / ‖g‖² long (Polyak 1987).
    C is that step, of all batches so far, times rate / n^¾ after n sentences, and never longer than the step
    itself: beyond it the hinge grows again. Between n^½ and n, steps shrink fast enough for the weights to
    settle, and slowly enough for their average to be the best (Polyak & Juditsky 1992).
    """

    rate: float
    most: float
    hinge: float = fact(0.0, least=0)
    square: float = fact(0.0, least=0)
    sentences: int = fact(0, least=0)

    def of(self, batch: Sequence[Constraints], weights: Floats) -> float:
        """Return C of the next update, the batch of which, at least one sentence, counts."""
        if not self.rate:
            return self.most
        hinge, g = _hinge(batch, weights)
        square = float(row_sums(np.zeros(len(g), np.int64), g * g, 1)[0])
        if math.isfinite(hinge) and math.isfinite(square):  # else `Step.apply` says so
            self.hinge += hinge
            self.square += square
            self.sentences += len(batch)
        if not self.square:
            return self.most  # nothing to learn from so far: any C gives the same weights
        longer = min(1.0, self.rate / self.sentences**0.75)
        most = longer * self.hinge / self.square
        return min(self.most, most) if most else self.most


def _hinge(batch: Sequence[Constraints], weights: Floats) -> tuple[float, Floats]:
    """Return Σ_i max_j (l_ij - Δh_ij·w) and the components of g that may differ from 0."""
    total, features, values = 0.0, [], []
    for each in batch:
        violations = each.loss - each.margins(weights)
        worst = int(np.argmax(violations))
        total += float(violations[worst])
        for row, sign in ((each.oracle, 1.0), (worst, -1.0)):
            entries = slice(each.indptr[row], each.indptr[row + 1])
            features.append(each.features[entries])
            values.append(sign * each.values[entries])
    _, place = np.unique(np.concatenate(features), return_inverse=True)
    return total, np.bincount(place.ravel(), np.concatenate(values)).astype(np.float64, copy=False)


def within_trust_region(step: Step, batch: Sequence[Constraints], weights: Floats, radius: float) -> Step:
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
