"""Live learning from a translator's corrections: weights, rules and an n-gram model."""

from .adapting_decoder import POST_EDIT_MODEL, AdaptingDecoder, adapting
from .aligner import align_pair
from .corrections import Correction, Forget, RuleSides
from .session import Change, LiveSession
from .stored_session import StoredSession

__all__ = [
    "POST_EDIT_MODEL",
    "AdaptingDecoder",
    "Change",
    "Correction",
    "Forget",
    "LiveSession",
    "RuleSides",
    "StoredSession",
    "adapting",
    "align_pair",
]
