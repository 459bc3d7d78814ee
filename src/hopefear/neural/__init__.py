"""Neural translation models as folders of CTranslate2: ours and those that users bring."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .model_folder import Subwords, TranslationModel
from .packages import neural_packages

check_exports(__name__)
