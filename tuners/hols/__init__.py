"""HOLS and HILS: conditioned gradients, then a line search (Flanigan et al. 2013)."""

from __future__ import annotations

from .folds import Fold
from .hols import Hils, Hols, HolsRecord, free_before_last
