"""Running a learner in a folder: lock, log, checkpoint, record and signals."""

from __future__ import annotations

from .folder import RunFolder
from .learning import learn, naming
