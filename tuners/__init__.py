"""The tuning algorithms, one module each, their oracles, and their contract."""

from __future__ import annotations

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
from .checking import check_tuner
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
    Forced,
    ForestHopeFear,
    KBestLocal,
    MaxBleu,
    Oracle,
    SearchSpace,
)
from .parallel import Exchange, Mailboxes, Parallel, ParallelAdaptiveMira, ParallelMira, ParallelSoftRamp
from .pool import (
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
    "BatchTuner",
    "Candidates",
    "CrossValidated",
    "CrossValidation",
    "ErrorSurface",
    "Exchange",
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
    "Mailboxes",
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
