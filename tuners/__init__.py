"""The tuning algorithms, one module each, and their contract."""

from __future__ import annotations

from .averaging import WeightAverage
from .base import PassRecord, State, TuningError, UpdateRecord, read_checkpoint, write_checkpoint
from .hypotheses import Hypotheses, ScoredList
from .margin import Constraints, Solution, solve
from .mira import Mira

__all__ = [
    "Constraints",
    "Hypotheses",
    "Mira",
    "PassRecord",
    "ScoredList",
    "Solution",
    "State",
    "TuningError",
    "UpdateRecord",
    "WeightAverage",
    "read_checkpoint",
    "solve",
    "write_checkpoint",
]
