"""Online training with learners in other processes (Chiang et al. 2008)."""

from __future__ import annotations

from .loop import ParallelLoop
from .parallel import BY_SEVERAL, Parallel
from .parallel_mira import ParallelAdaptiveMira, ParallelMira, ParallelSoftRamp
