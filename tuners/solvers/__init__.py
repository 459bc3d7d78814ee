"""Solvers of one update: margins, pairs, an interior point, step rules, averages of weights."""

from __future__ import annotations

from .averaging import WeightAverage
from .interior_point import solve_interior
from .margin import TOLERANCE, Constraints, Solution, solve
from .rates import FeatureRates
from .row_sums import row_sums
from .step_rules import AdaGrad, Rda, Sgd, Sparse, StepRule, summed

__all__ = [
    "TOLERANCE",
    "AdaGrad",
    "Constraints",
    "FeatureRates",
    "Rda",
    "Sgd",
    "Solution",
    "Sparse",
    "StepRule",
    "WeightAverage",
    "row_sums",
    "solve",
    "solve_interior",
    "summed",
]
