"""The tuning algorithms, one module each, their oracles, and their contract."""

from __future__ import annotations

from hopefear.decoder import Hypotheses, ScoredList

from .averaging import WeightAverage
from .base import PassRecord, State, Step, TuningError, UpdateRecord, read_checkpoint, write_checkpoint
from .margin import Constraints, Solution, solve
from .mira import Mira
from .online import OnlineTuner
from .oracles import Forced, ForestHopeFear, KBestLocal, MaxBleu
from .search_space import Oracle, SearchSpace

__all__ = [
    "Constraints",
    "Forced",
    "ForestHopeFear",
    "Hypotheses",
    "KBestLocal",
    "MaxBleu",
    "Mira",
    "OnlineTuner",
    "Oracle",
    "PassRecord",
    "ScoredList",
    "SearchSpace",
    "Solution",
    "State",
    "Step",
    "TuningError",
    "UpdateRecord",
    "WeightAverage",
    "read_checkpoint",
    "solve",
    "write_checkpoint",
]
