"""Run the cells of a plan."""

from __future__ import annotations

from .decoders import make_decoder
from .experiment import Experiment
from .tuning import CELLS, DONE, LOG, WEIGHTS, tested_corpus

__all__ = ["CELLS", "DONE", "LOG", "WEIGHTS", "Experiment", "make_decoder", "tested_corpus"]
