"""Runs and their folders, streams of answers, plots, signals."""

from __future__ import annotations

from .output import Output
from .pipes import ending_quietly
from .plots import plot_hypotheses, plot_learning
from .signals import Stopped, StopSignals, closing_on_sigterm
