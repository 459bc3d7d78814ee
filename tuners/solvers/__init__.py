"""Solvers of one update: margins, pairs, an interior point, step rules, averages of weights."""

from __future__ import annotations

from .averaging import WeightAverage
from .interior_point import solve_interior
from .margin import TOLERANCE, Constraints, Solution, solve
from .pairs import PAIR_UPDATES, Pairs, pair_update
from .penalised import minimise
from .rates import FeatureRates
from .rescaled import Rates, Rescaled, columns_of
from .row_sums import list_of_entries, row_scores, row_sums
from .step_length import StepLength, within_trust_region
from .step_rules import STEP_RULES, AdaGrad, Rda, Sgd, Sparse, StepRule, summed
