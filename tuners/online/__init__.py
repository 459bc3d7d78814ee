"""Tuners that learn after each batch of sentences."""

from __future__ import annotations

from .adaptive_mira import AdaptiveMira
from .algorithm import OnlineAlgorithm
from .gradient import GradientTuner
from .large_margin import OnlineLargeMargin
from .loop import Example, OnlineLoop
from .mira import Mira
from .online import OnlineTuner
from .run import OnlineRun, Progress
from .soft_ramp import SoftRamp
from .summary_mira import SummaryMira
