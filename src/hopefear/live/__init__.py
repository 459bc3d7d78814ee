"""Live learning from a translator's corrections: weights, rules and an n-gram model."""

from __future__ import annotations

from .adapting_decoder import POST_EDIT_MODEL, AdaptingDecoder, adapting
from .aligner import align_pair
from .corrections import Correction, Forget, RuleSides
from .events import Corrected, Event, Measured, RuleRestored, RuleWithdrawn, Shown, Withdrawn
from .session import Change, LiveSession
from .stored_session import StoredSession

__all__ = [
    "POST_EDIT_MODEL",
    "AdaptingDecoder",
    "Change",
    "Corrected",
    "Correction",
    "Event",
    "Forget",
    "LiveSession",
    "Measured",
    "RuleRestored",
    "RuleSides",
    "RuleWithdrawn",
    "Shown",
    "StoredSession",
    "Withdrawn",
    "adapting",
    "align_pair",
]
