"""Run the cells of a plan."""

from __future__ import annotations

from .decoders import make_decoder
from .experiment import Experiment
from .tuning import CELLS, DONE, WEIGHTS, tested_corpus

__all__ = ["CELLS", "DONE", "WEIGHTS", "Experiment", "make_decoder", "tested_corpus"]
