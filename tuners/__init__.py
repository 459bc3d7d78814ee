"""The tuning algorithms, one module each, their oracles, and their contract."""

from __future__ import annotations

from hopefear.decoder import Hypotheses, ScoredList

from .adaptive_mira import AdaptiveMira
from .averaging import WeightAverage
from .base import PassRecord, Step, TuningError, UpdateRecord
from .batch import BatchTuner
from .batch_mira import BatchMira
from .batch_progress import BatchRecord
from .candidates import Candidates
from .checking import check_tuner
from .checkpoint import State, read_checkpoint, write_checkpoint
from .cross_validation import CrossValidation, choose_by_cross_validation
from .cutting_plane import Trained, train_one_slack, train_sentence_slack
from .error_surface import ErrorSurface
from .exchange import Exchange, Mailboxes
from .folds import Fold
from .forest_mert import ForestMert
from .gradient import GradientTuner
from .hils import Hils
from .hols import Hols
from .hols_progress import HolsRecord
from .kbest_files import read_candidates, read_kbest
from .large_margin import OnlineLargeMargin
from .line_search import Intervals, Optimum, cut_line, search_line, smooth
from .margin import Constraints, Solution, solve
from .mert import Mert
from .minimum_risk import MinimumRisk
from .mira import Mira
from .online import OnlineTuner
from .oracle_configuration import greedy_configuration, oracle_configuration
from .oracles import Forced, ForestHopeFear, KBestLocal, MaxBleu
from .parallel_mira import ParallelMira
from .pro import Pro
from .rampion import Rampion
from .search_space import Oracle, SearchSpace
from .sentence_scores import sentence_scores
from .soft_ramp import SoftRamp
from .softmax_objective import SoftmaxObjective
from .step_rules import AdaGrad, Rda, Sgd, StepRule
from .structural_svm import StructuralSvm
from .svm_objective import OneSlack, SentenceSlack, SvmObjective

__all__ = [
    "AdaGrad",
    "AdaptiveMira",
    "BatchMira",
    "BatchRecord",
    "BatchTuner",
    "Candidates",
    "Constraints",
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
    "OneSlack",
    "OnlineLargeMargin",
    "OnlineTuner",
    "Optimum",
    "Oracle",
    "ParallelMira",
    "PassRecord",
    "Pro",
    "Rampion",
    "Rda",
    "ScoredList",
    "SearchSpace",
    "SentenceSlack",
    "Sgd",
    "SoftRamp",
    "SoftmaxObjective",
    "Solution",
    "State",
    "Step",
    "StepRule",
    "StructuralSvm",
    "SvmObjective",
    "Trained",
    "TuningError",
    "UpdateRecord",
    "WeightAverage",
    "check_tuner",
    "choose_by_cross_validation",
    "cut_line",
    "greedy_configuration",
    "oracle_configuration",
    "read_candidates",
    "read_checkpoint",
    "read_kbest",
    "search_line",
    "sentence_scores",
    "smooth",
    "solve",
    "train_one_slack",
    "train_sentence_slack",
    "write_checkpoint",
]
