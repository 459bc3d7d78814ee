"""Neural joint models (Devlin et al. 2014): learned from the text of a system, used in the search.

Only `training` needs PyTorch. The command `train-joint` uses this package, and `hopefear.live` its
affiliations.
"""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .examples import Examples, Pair, Vocabulary, affiliations
from .network_file import JointNetwork
from .settings import JointSettings

check_exports(__name__)
