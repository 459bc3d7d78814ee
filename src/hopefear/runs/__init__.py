"""Running a learner in a folder: lock, log, checkpoint, record and signals."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .folder import RunFolder
from .learning import learn, naming

check_exports(__name__)
