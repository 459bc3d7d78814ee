"""Live learning from a translator's corrections: weights, rules and an n-gram model."""

from __future__ import annotations

from .adapting_decoder import POST_EDIT_MODEL, AdaptingDecoder, adapting
from .aligner import align_pair
from .corrections import Correction, Forget, RuleSides
from .events import (
    Corrected,
    DocumentRemoved,
    DocumentRenamed,
    Drafted,
    Event,
    Measured,
    RuleRestored,
    RuleWithdrawn,
    Shown,
    TermAdded,
    TermRemoved,
    Translated,
    TranslatedByHand,
    Withdrawn,
)
from .memory import CLOSE, MEMORY, TranslationMemory
from .memory_index import Entry, MemoryIndex
from .session import Change, LiveSession
from .stored_session import StoredSession

__all__ = [
    "CLOSE",
    "MEMORY",
    "POST_EDIT_MODEL",
    "AdaptingDecoder",
    "Change",
    "Corrected",
    "Correction",
    "DocumentRemoved",
    "DocumentRenamed",
    "Drafted",
    "Entry",
    "Event",
    "Forget",
    "LiveSession",
    "Measured",
    "MemoryIndex",
    "RuleRestored",
    "RuleSides",
    "RuleWithdrawn",
    "Shown",
    "StoredSession",
    "TermAdded",
    "TermRemoved",
    "Translated",
    "TranslatedByHand",
    "TranslationMemory",
    "Withdrawn",
    "adapting",
    "align_pair",
]
