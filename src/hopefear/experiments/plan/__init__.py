"""What an experiment compares: the plan file, its cells and inputs."""

from __future__ import annotations

from .cells import Cell, cells_of
from .inputs import check_inputs
from .plan import (
    ALL,
    NONE,
    OF_A_RUN,
    SENTENCE,
    Claim,
    CorpusTable,
    Curve,
    Part,
    Plan,
    PlanSystem,
    Preparation,
    Runs,
    ScoreTable,
    SentenceSet,
    TunerChoice,
)
from .plan_file import PREPARED, START, find_plan, read_plan, settings_text
from .tuner_choice import Untuned, make_cell_tuner
