"""Run the cells of a plan."""

from __future__ import annotations

from .decoders import make_decoder
from .experiment import Experiment
from .tuning import AS_WRITTEN, CELLS, WEIGHTS, tested_corpus
