"""The tuning algorithms, one module each, their oracles, and their contract."""

from __future__ import annotations

from hopefear.base.signatures import check_exports
from hopefear.decoder import Hypotheses, ScoredList

from .batch import (
    BatchMira,
    BatchRecord,
    BatchTuner,
    ForestMert,
    Mert,
    MinimumRisk,
    Pro,
    Rampion,
    StructuralSvm,
)
from .checking import check_oracle, check_tuner
from .choice import CrossValidated, CrossValidation, choose_by_cross_validation
from .contract import (
    PassRecord,
    Record,
    State,
    Step,
    TuningError,
    UpdateRecord,
    array,
    fact,
    part,
    read_checkpoint,
    setting,
    write_checkpoint,
)
from .hols import Fold, Hils, Hols, HolsRecord
from .online import AdaptiveMira, GradientTuner, Mira, OnlineLargeMargin, OnlineTuner, SoftRamp, SummaryMira
from .oracles import (
    ConsensusHope,
    Forced,
    ForestHopeFear,
    KBestLocal,
    LeastWork,
    MaxBleu,
    Oracle,
    SearchSpace,
)
from .parallel import Parallel, ParallelAdaptiveMira, ParallelMira, ParallelSoftRamp
from .pool import (
    BatchScorer,
    Candidates,
    ErrorSurface,
    Intervals,
    cut_line,
    read_candidates,
    search_line,
    smooth,
)
from .solvers import AdaGrad, Rda, Sgd, StepRule

__all__ = [
    "AdaGrad",
    "AdaptiveMira",
    "BatchMira",
    "BatchRecord",
    "BatchScorer",
    "BatchTuner",
    "Candidates",
    "ConsensusHope",
    "CrossValidated",
    "CrossValidation",
    "ErrorSurface",
    "Fold",
    "Forced",
    "ForestHopeFear",
    "ForestMert",
    "GradientTuner",
    "Hils",
    "Hols",
    "HolsRecord",
    "Hypotheses",
    "Intervals",
    "KBestLocal",
    "LeastWork",
    "MaxBleu",
    "Mert",
    "MinimumRisk",
    "Mira",
    "OnlineLargeMargin",
    "OnlineTuner",
    "Oracle",
    "Parallel",
    "ParallelAdaptiveMira",
    "ParallelMira",
    "ParallelSoftRamp",
    "PassRecord",
    "Pro",
    "Rampion",
    "Rda",
    "Record",
    "ScoredList",
    "SearchSpace",
    "Sgd",
    "SoftRamp",
    "State",
    "Step",
    "StepRule",
    "StructuralSvm",
    "SummaryMira",
    "TuningError",
    "UpdateRecord",
    "array",
    "check_oracle",
    "check_tuner",
    "choose_by_cross_validation",
    "cut_line",
    "fact",
    "part",
    "read_candidates",
    "read_checkpoint",
    "search_line",
    "setting",
    "smooth",
    "write_checkpoint",
]

check_exports(__name__)
