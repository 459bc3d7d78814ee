"""What all tuners share: records, settings, checkpoints, evaluation."""

from __future__ import annotations

from .base import (
    Interval,
    OnPass,
    OnUpdate,
    PassRecord,
    Step,
    TuningError,
    UpdateRecord,
    check_references,
    check_weights,
    measuring,
    with_development,
)
from .checkpoint import (
    State,
    check_resumed,
    load_record,
    read_checkpoint,
    resuming,
    saved_counts,
    state_to_resume,
    write_checkpoint,
)
from .evaluation import BestStatistics, Scored, corpus_score
from .executors import executor_for
from .saved_features import check_same_features, load_features, load_lines, save_features, save_lines
from .settings import Settings, check_at_least, check_finite

__all__ = [
    "BestStatistics",
    "Interval",
    "OnPass",
    "OnUpdate",
    "PassRecord",
    "Scored",
    "Settings",
    "State",
    "Step",
    "TuningError",
    "UpdateRecord",
    "check_at_least",
    "check_finite",
    "check_references",
    "check_resumed",
    "check_same_features",
    "check_weights",
    "corpus_score",
    "executor_for",
    "load_features",
    "load_lines",
    "load_record",
    "measuring",
    "read_checkpoint",
    "resuming",
    "save_features",
    "save_lines",
    "saved_counts",
    "state_to_resume",
    "with_development",
    "write_checkpoint",
]
