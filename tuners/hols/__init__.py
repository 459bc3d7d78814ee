"""HOLS and HILS: conditioned gradients, then a line search (Flanigan et al. 2013)."""

from __future__ import annotations

from .folds import Fold
from .hils import Hils
from .hols import Hols
from .loop import HolsRecord, free_before_last
