"""Experiments: feature sets, tuners and seeds from a plan, their results and their report."""

from __future__ import annotations

from .cells import Cell, cells_of
from .experiment import Experiment
from .plan import Curve, Plan, Runs, SentenceSet, Surface, System, Table, TunerChoice
from .plan_file import find_plan, read_plan
from .report import write_report
from .results import Failure, Run, read_failures, read_runs, read_statistics, write_runs
from .tuner_lines import make_tuner

__all__ = [
    "Cell",
    "Curve",
    "Experiment",
    "Failure",
    "Plan",
    "Run",
    "Runs",
    "SentenceSet",
    "Surface",
    "System",
    "Table",
    "TunerChoice",
    "cells_of",
    "find_plan",
    "make_tuner",
    "read_failures",
    "read_plan",
    "read_runs",
    "read_statistics",
    "write_report",
    "write_runs",
]
