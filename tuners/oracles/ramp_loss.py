"""Soft ramp 3 of a sentence and its gradient (Gimpel 2012; Flanigan, Dyer & Carbonell 2013, section 6).

The loss is ::

    log Σ_y exp(h(y)·w + cost(y)) - log Σ_y exp(h(y)·w - cost(y)),    cost(y) = a (1 - BLEU(y)),

whose gradient is what is expected of h under the first sum, a soft fear, less what is expected of it under
the second, a soft hope. The sums go over a k-best list, where all is exact, or over all derivations of the
forest by inside-outside, where the cost of each edge is an approximation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hopefear import _native
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import BleuOracle, Hypergraph, Hypotheses
from hopefear.metrics import Metric

from ..solvers import summed
from .search_space import Oracle, SearchSpace


@dataclass(frozen=True, slots=True)
class SoftHypotheses(Hypotheses):
    """The hypotheses of a sentence with its soft ramp loss and the gradient."""

    features: Ints
    gradient: Floats
    ramp: float


def soft_ramp(model: Floats, cost: Floats) -> tuple[float, Floats, Floats]:
    """Return the soft ramp 3 loss of a sentence."""
    hope, fear = model - cost, model + cost
    low, high = _log_sum_exp(hope), _log_sum_exp(fear)
    return high - low, np.exp(hope - low), np.exp(fear - high)


def _log_sum_exp(values: Floats) -> float:
    """Return log Σ exp(values); scipy's function takes ten times as long for a k-best list."""
    top = float(values.max())
    return top + math.log(float(np.exp(values - top).sum())) if math.isfinite(top) else top


@dataclass(frozen=True)
class KBestRamp(Oracle):
    """Sums over the k best translations."""

    cost_scale: float
    k: int
    metric: Metric

    def find(self, space: SearchSpace, /) -> SoftHypotheses:
        """Return the loss of a sentence and its gradient."""
        best = space.best(self.k)
        cost = self.cost_scale * (1 - self.metric.quality(best.statistics) / 100)
        loss, hope, fear = soft_ramp(best.model, cost)
        h = best.translations
        gradient = summed([h.features], [np.repeat(fear - hope, np.diff(h.indptr)) * h.values])
        first, last = (best.take([int(np.argmax(p))]) for p in (hope, fear))
        return SoftHypotheses(space.segment, best, first, last, *gradient, loss)


@dataclass(frozen=True)
class ForestRamp(Oracle):
    """Sums over all derivations of the forest."""

    cost_scale: float
    pop_limit: int = 0

    def find(self, space: SearchSpace, /) -> SoftHypotheses:
        """Return the loss of a sentence and its gradient."""
        best = space.best(1)
        document, length = space.document, max(space.forest.source_length, 1)
        # B is (O_f + |f|) BLEU(O + c), less that of no translation: this O_f makes it a / |f| times as much.
        costs = BleuOracle(
            space.segment.references,
            document.statistics,
            self.cost_scale * (document.source_length + length) / length - space.forest.source_length,
            reference_length=float(best.statistics[0, 1]),
        )
        hope = costs.rescore(space.forest, 0.5, pop_limit=self.pop_limit)  # (h·w - cost) / 2
        fear = costs.rescore(space.forest, math.inf, pop_limit=self.pop_limit)
        (good, hoped), (bad, feared) = (
            _native.feature_expectations(forest.native, scale) for forest, scale in ((hope, 2.0), (fear, 1.0))
        )
        first, last = (space.scored(forest.best_translations(1)) for forest in (hope, fear))
        gradient = summed([bad, good], [feared, -hoped])
        return SoftHypotheses(
            space.segment, best, first, last, *gradient, _log_sum(fear, 1.0) - _log_sum(hope, 2.0)
        )


def _log_sum(forest: Hypergraph, scale: float) -> float:
    """Return log Σ exp(scale · score) over all derivations."""
    return float(_native.inside(forest.native, _native.Semiring.LOG, scale)[-1])
