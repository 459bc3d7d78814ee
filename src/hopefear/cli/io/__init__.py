"""Runs and their folders, streams of answers, signals."""

from __future__ import annotations

from .output import Output
from .signals import Stopped, StopSignals, closing_on_sigterm
