"""The dual of a structural SVM of few features, by an interior point method.

SMO takes a pair of variables at a time, and very many steps where features are of different scales or the
regulariser is weak. Here a step costs as much as a least squares problem in the features, and there are few.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from hopefear.base.arrays import Floats, Ints

MAX_STEPS = 100
GAP = 1e-10
"""Of the duality gap, in units of the largest loss and the number of groups."""


def solve_interior(margins: Floats, losses: Floats, begin: Ints, C: float) -> tuple[Floats, Floats]:
    """Minimise ½ ‖w‖² + C Σ_g ξ_g with ⟨w, δh_j⟩ ≥ Δ_j - ξ_g for all constraints j of each group g.

    The dual is to minimise ½ ‖Σ_j α_j δh_j‖² - Σ_j α_j Δ_j over α ≥ 0 with Σ_j α_j = C in each group; w is
    Σ_j α_j δh_j. The method is Mehrotra's predictor-corrector, from a point that is feasible in both on.
    """
    sizes = np.diff(np.append(begin, len(losses)))
    group = np.repeat(np.arange(len(begin)), sizes)
    unit = float(np.abs(losses).max()) or 1.0
    # In units in which C is 1, and the largest loss too.
    h, b = margins * np.sqrt(C / unit), losses / unit
    alpha = 1 / sizes[group]
    violation = b - h @ (alpha @ h)
    slack = np.maximum.reduceat(violation, begin) + 1
    z = slack[group] - violation
    for _ in range(MAX_STEPS):
        gap = float(alpha @ z)
        if not gap > GAP * len(begin):
            break
        try:
            newton = _Newton(h, begin, group, alpha, z)
        except np.linalg.LinAlgError:  # rounding: the gap cannot become smaller
            break
        toward, away = newton.step(-alpha * z)
        reach = min(_reach(alpha, toward), _reach(z, away))
        ahead = float((alpha + reach * toward) @ (z + reach * away))
        centring = gap / len(b) * (ahead / gap) ** 3
        da, dz = newton.step(centring - alpha * z - toward * away)
        reach = 0.99 * min(_reach(alpha, da), _reach(z, dz))
        alpha, z = alpha + reach * da, z + reach * dz
    alpha *= C
    return alpha @ margins, alpha


class _Newton:
    """The linear system of a step, reduced to one of as many unknowns as there are features."""

    def __init__(
        self,
        h: Floats,
        begin: Ints,
        group: Ints,
        alpha: Floats,
        z: Floats,
    ) -> None:
        from scipy import linalg  # its import takes long, and most tuners have no use for it

        self.h, self.begin, self.group, self.alpha, self.z = h, begin, group, alpha, z
        self.scale = alpha / z
        self.total = np.add.reduceat(self.scale, begin)
        centres = np.add.reduceat(self.scale[:, np.newaxis] * h, begin) / self.total[:, np.newaxis]
        self.around = h - centres[group]
        covariance = self.around.T @ (self.scale[:, np.newaxis] * self.around)
        factor = linalg.cho_factor(np.eye(h.shape[1]) + covariance, check_finite=False)
        self.solve = partial(linalg.cho_solve, factor, check_finite=False)

    def step(self, target: Floats) -> tuple[Floats, Floats]:
        """Return the changes of α and z that make α z, but for their product, larger by `target`."""
        q = target / self.alpha
        dw = self.solve(self.around.T @ (self.scale * q))
        free = q - self.h @ dw
        slack = np.add.reduceat(self.scale * free, self.begin) / self.total
        change = self.scale * (free - slack[self.group])
        return change, (target - self.z * change) / self.alpha


def _reach(values: Floats, change: Floats) -> float:
    """Return how much of a change, at most all, leaves the values at least 0."""
    falls = change < 0
    return min(1.0, float(np.min(-values[falls] / change[falls], initial=np.inf)))
