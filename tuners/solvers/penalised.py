"""The minimum of a smooth function of weights and of the penalties of their families."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hopefear.base.arrays import Floats, Ints

from ..contract import FeatureFamilies

_TOLERANCE = 1e-8


def minimise(
    loss: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    families: FeatureFamilies | None,
    features: Ints,
    *,
    iterations: int,
) -> Floats:
    """Return the weights of features that minimise loss + Ω: L-BFGS, or FISTA where a family has a penalty.

    `loss` returns its value and its gradient. Fixed weights stay as they are. FISTA (Beck & Teboulle 2009)
    halves its steps until they do not overshoot, and forgets its momentum where the objective grows.
    """
    from scipy import optimize  # its import takes long

    if families is None:
        found: Floats = optimize.minimize(
            loss, start, jac=True, method="L-BFGS-B", options={"maxiter": iterations}
        ).x
        return found
    free = families.rates(features) > 0
    own, best = features[free], start.copy()

    def of_free(z: Floats) -> tuple[float, Floats]:
        w = start.copy()
        w[free] = z
        value, gradient = loss(w)
        return value, gradient[free]

    if not free.any():
        return best
    if families.penalty(own, np.ones(len(own))):
        best[free] = _fista(of_free, start[free], families, own, iterations)
    else:
        best[free] = minimise(of_free, start[free], None, own, iterations=iterations)
    return best


def _fista(
    loss: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    families: FeatureFamilies,
    features: Ints,
    iterations: int,
) -> Floats:
    z = ahead = start
    momentum, step = 1.0, 1.0
    before = loss(start)[0] + families.penalty(features, start)
    for _ in range(iterations):
        value, gradient = loss(ahead)
        while True:
            after = families.shrunk(features, ahead - step * gradient, step)
            moved = after - ahead
            reached = loss(after)[0]
            bound = value + float(gradient @ moved) + float(moved @ moved) / (2 * step)
            if reached <= bound + _TOLERANCE * abs(value) or step < 1e-12:
                break
            step /= 2
        total = reached + families.penalty(features, after)
        if total > before and momentum > 1.0:
            ahead, momentum = z, 1.0
            continue
        faster = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead, momentum = after + (momentum - 1) / faster * (after - z), faster
        done = abs(before - total) <= _TOLERANCE * max(1.0, abs(total))
        z, before = after, total
        if done and np.linalg.norm(moved) <= np.sqrt(_TOLERANCE) * max(1.0, float(np.linalg.norm(z))):
            break
    return z
