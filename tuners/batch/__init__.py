"""Tuners that learn from a pool of k-best candidates after each pass."""

from __future__ import annotations

from .batch import BatchRecord, BatchTuner, PoolLoop
from .batch_mira import BatchMira
from .forest_mert import ForestMert
from .mert import Mert
from .minimum_risk import MinimumRisk
from .pro import Pro
from .rampion import Rampion
from .structural_svm import StructuralSvm
from .svm_objective import OneSlack
