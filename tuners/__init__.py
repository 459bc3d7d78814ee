"""The tuning algorithms, one module each, their oracles, and their contract."""

from __future__ import annotations

from hopefear.decoder import Hypotheses, ScoredList

from .averaging import WeightAverage
from .base import PassRecord, State, Step, TuningError, UpdateRecord, read_checkpoint, write_checkpoint
from .batch import BatchTuner
from .batch_mira import BatchMira
from .batch_progress import BatchRecord
from .candidates import Candidates
from .error_surface import ErrorSurface
from .forest_mert import ForestMert
from .line_search import Intervals, Optimum, cut_line, search_line, smooth
from .margin import Constraints, Solution, solve
from .mert import Mert
from .mira import Mira
from .online import OnlineTuner
from .oracles import Forced, ForestHopeFear, KBestLocal, MaxBleu
from .pro import Pro
from .search_space import Oracle, SearchSpace
from .sentence_scores import sentence_scores
from .softmax_objective import SoftmaxObjective

__all__ = [
    "BatchMira",
    "BatchRecord",
    "BatchTuner",
    "Candidates",
    "Constraints",
    "ErrorSurface",
    "Forced",
    "ForestHopeFear",
    "ForestMert",
    "Hypotheses",
    "Intervals",
    "KBestLocal",
    "MaxBleu",
    "Mert",
    "Mira",
    "OnlineTuner",
    "Optimum",
    "Oracle",
    "PassRecord",
    "Pro",
    "ScoredList",
    "SearchSpace",
    "SoftmaxObjective",
    "Solution",
    "State",
    "Step",
    "TuningError",
    "UpdateRecord",
    "WeightAverage",
    "cut_line",
    "read_checkpoint",
    "search_line",
    "sentence_scores",
    "smooth",
    "solve",
    "write_checkpoint",
]
