"""Transformers (Vaswani et al. 2017): learned from the text of a system, exported for CTranslate2.

The command `train-transformer` uses this package. Only `network` and `training` need PyTorch.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .settings import TransformerSettings

check_exports(__name__)
