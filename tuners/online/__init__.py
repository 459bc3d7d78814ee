"""Tuners that learn after each batch of sentences."""

from __future__ import annotations

from .adaptive_mira import AdaptiveMira
from .gradient import GradientTuner
from .large_margin import OnlineLargeMargin
from .mira import Mira
from .online import OnlineTuner
from .run import Example, OnlineRun, Progress
from .soft_ramp import SoftRamp
from .summary_mira import SummaryMira
from .update_rule import UpdateRule
