"""HOLS and HILS: conditioned gradients, then a line search (Flanigan et al. 2013)."""

from __future__ import annotations

from .folds import Fold
from .hils import Hils
from .hols import Hols, free_before_last
from .run import HolsRecord
