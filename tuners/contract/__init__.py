"""What all tuners share: records, settings, checkpoints, evaluation."""

from __future__ import annotations

from hopefear.base.signatures import check_exports
from hopefear.base.state import (
    array,
    by_feature,
    declared,
    fact,
    kept,
    load,
    part,
    save,
)
from hopefear.base.typed import from_json

from .base import (
    Interval,
    OnUpdate,
    PassRecord,
    Record,
    Step,
    TuningError,
    UpdateRecord,
    authors_code,
    check_references,
    check_step,
    check_translated,
    check_weights,
    measuring,
    no_finite_score,
    skip_dead,
)
from .checkpoint import (
    State,
    check_resumed,
    read_checkpoint,
    resuming,
    state_to_resume,
    write_checkpoint,
)
from .evaluation import BestStatistics, Scored, best_statistics, corpus_score
from .families import PENALTIES, ByFamily, Families, FamilySettings, FeatureFamilies, warn_of_unmatched
from .learning_curves import Chosen, LearningCurves, LearningLog, LearningPoint, Series
from .now import NOW, Now, NowFile, NowSentence, read_now
from .pass_tuner import PassTuner, executor_for
from .run import Hooks, Run, Training
from .run_files import RunFiles
from .saved_features import check_same_features, load_features, load_lines, save_features, save_lines
from .settings import Constraint, Settings, check_settings, constraints, excluded, setting, shared_settings
from .tuner import (
    AnyTuner,
    Can,
    ListLearner,
    OnlineLearner,
    ParallelLearner,
    Tuner,
    can,
    learns_from_lists,
    learns_in_parallel,
    learns_online,
)

check_exports(__name__)
