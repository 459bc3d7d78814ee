"""Everything that talks to a real cdec: process, protocol, live weights, bridge."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .forests import read_forest, write_forest
from .live_weights import LiveWeights
from .process import CdecProcess, weights_of
from .translation import CdecCannot, CdecTranslation

__all__ = [
    "CdecCannot",
    "CdecProcess",
    "CdecTranslation",
    "LiveWeights",
    "read_forest",
    "weights_of",
    "write_forest",
]

check_exports(__name__)
