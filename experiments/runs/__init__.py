"""Run the cells of a plan."""

from __future__ import annotations

from .decoders import make_decoder
from .experiment import Experiment
from .tuning import CELLS, LOG, WEIGHTS, tested_corpus

__all__ = ["CELLS", "LOG", "WEIGHTS", "Experiment", "make_decoder", "tested_corpus"]
