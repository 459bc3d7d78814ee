"""Run the cells of a plan."""

from __future__ import annotations

from .decoders import make_decoder
from .experiment import Experiment
from .scoring import AS_WRITTEN, CELLS
from .tuning import WEIGHTS, tested_corpus
