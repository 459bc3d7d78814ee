"""MIRA with learners in other processes (Chiang et al. 2008)."""

from __future__ import annotations

from .exchange import Exchange, Mailboxes
from .parallel_mira import ParallelMira
