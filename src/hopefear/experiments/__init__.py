"""Experiments: feature sets, tuners and seeds from a plan, their results and their report."""

from __future__ import annotations

from hopefear.base.signatures import check_exports
from hopefear.tuners.catalogue import make_tuner

from .archive import export, opened, take_over
from .plan import (
    Cell,
    Claim,
    CorpusTable,
    Curve,
    Plan,
    PlanSystem,
    Runs,
    ScoreTable,
    SentenceSet,
    TunerChoice,
    cells_of,
    find_plan,
    read_plan,
)
from .render import write_page
from .report import ExperimentReport
from .results import FailedRun, Result, read_failures, read_runs, read_statistics, write_runs
from .runs import Experiment

check_exports(__name__)
