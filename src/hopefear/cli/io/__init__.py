"""Runs and their folders, streams of answers, signals."""

from __future__ import annotations

from hopefear.base.signals import Stopped, StopSignals, closing_on_sigterm

from .output import Output
