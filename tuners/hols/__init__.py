"""HOLS and HILS: conditioned gradients, then a line search (Flanigan et al. 2013)."""

from __future__ import annotations

from .folds import Fold
from .hils import Hils
from .hols import Hols
from .progress import HolsRecord
from .settings import free_before_last

__all__ = ["Fold", "Hils", "Hols", "HolsRecord", "free_before_last"]
