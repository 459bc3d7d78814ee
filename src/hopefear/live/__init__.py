"""Live learning from a translator's corrections: weights, rules and an n-gram model."""

from __future__ import annotations

from hopefear.base.signatures import check_exports

from .active_corrections import ActiveCorrections
from .adapting_decoder import AdaptingDecoder, adapting
from .aligner import align_pair
from .corrections import Correction, Forget, RuleSides
from .corrections_model import POST_EDIT_MODEL
from .events import (
    Corrected,
    DocumentRemoved,
    DocumentRenamed,
    Drafted,
    Event,
    Measured,
    MemoryAdded,
    MemoryRemoved,
    Reopened,
    RuleRestored,
    RuleWithdrawn,
    Shown,
    TermAdded,
    TermRemoved,
    TermsAdded,
    Translated,
    TranslatedByHand,
    Withdrawn,
)
from .memory import CLOSE, MEMORY, TranslationMemory
from .memory_index import MemoryEntry, MemoryIndex
from .session import CorrectionChange, LiveSession
from .stored_session import StoredSession

__all__ = [
    "CLOSE",
    "MEMORY",
    "POST_EDIT_MODEL",
    "ActiveCorrections",
    "AdaptingDecoder",
    "Corrected",
    "Correction",
    "CorrectionChange",
    "DocumentRemoved",
    "DocumentRenamed",
    "Drafted",
    "Event",
    "Forget",
    "LiveSession",
    "Measured",
    "MemoryAdded",
    "MemoryEntry",
    "MemoryIndex",
    "MemoryRemoved",
    "Reopened",
    "RuleRestored",
    "RuleSides",
    "RuleWithdrawn",
    "Shown",
    "StoredSession",
    "TermAdded",
    "TermRemoved",
    "TermsAdded",
    "Translated",
    "TranslatedByHand",
    "TranslationMemory",
    "Withdrawn",
    "adapting",
    "align_pair",
]

check_exports(__name__)
