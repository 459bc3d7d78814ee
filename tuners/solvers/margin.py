"""The optimisation problem of MIRA for a batch of sentences (Chiang, Marton & Resnik 2008, section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Hypotheses, ScoredList

from ..contract import array, fact
from .row_sums import row_scores

TOLERANCE = 1e-5
"""Of a margin: what SMO leaves of a violation."""
MAX_STEPS = 100_000
"""Of SMO in one batch."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """The hypotheses of one sentence, the oracle among them."""

    indptr: Ints = array("i8", least=0, init=True)
    features: NDArray[np.int32] = array("i4", of_features=True, init=True)
    values: Floats = array(init=True)
    loss: Floats = array(init=True)
    oracle: int = fact(0, least=0, init=True)

    def restored(self) -> None:
        """Refuse arrays that contradict each other."""
        ends, entries = self.indptr, len(self.features)
        ascends = len(ends) > 0 and ends[0] == 0 and ends[-1] == entries and (np.diff(ends) >= 0).all()
        if not ascends or len(self.values) != entries or not self.oracle < len(self.loss) == len(ends) - 1:
            raise ValueError("expected hypotheses, got arrays that contradict each other")

    def margins(self, weights: Floats) -> Floats:
        """Return Δh_ij·w = (h(e*) - h(e_ij))·w of all hypotheses, an array of shape (n,)."""
        scores = row_scores(self.indptr, self.features, self.values, weights)
        margins: Floats = scores[self.oracle] - scores
        return margins

    @staticmethod
    def of(found: Hypotheses) -> Constraints:
        """Return the hypotheses of all roles as constraints, the loss of each as equation 9 has it."""
        lists = [found.hope, found.best]
        if found.fear is not found.best:  # else its hypotheses are constraints already
            lists.append(found.fear)
        together = ScoredList.concatenate(lists)
        h, B = together.translations, together.B
        return Constraints(h.indptr, h.features, h.values, B[0] - B, 0)


@dataclass(frozen=True, slots=True)
class Solution:
    """The change that minimises equation 1."""

    features: Ints
    change: Floats
    alpha: Floats
    hinge: float
    steps: int
    gap: float


def solve(
    batch: Sequence[Constraints], weights: Floats, C: float, *, tolerance: float = TOLERANCE
) -> Solution:
    """Minimise ½‖w' - w‖² + C Σ_i max_j (l_ij - Δh_ij·w') over w' (equation 1) by SMO (equations 2 to 5)."""
    features, change, alpha, hinges, steps, gap = _native.margin_update(
        [(each.indptr, each.features, each.values, each.loss, each.oracle) for each in batch],
        weights,
        C=C,
        tolerance=tolerance,
        max_steps=MAX_STEPS,
    )
    return Solution(features, change, alpha, float(hinges.sum()), steps, gap)
