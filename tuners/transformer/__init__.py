"""Transformers (Vaswani et al. 2017): learned from the text of a system, exported for CTranslate2.

The command `train-transformer` uses this package. Only the settings do without PyTorch.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .settings import FineTuningSettings, TransformerSettings

check_exports(__name__)
