"""What clients are told they did wrong, beside an `InputError`."""

from __future__ import annotations


class Conflict(Exception):
    """Somebody else corrected the sentence in the meantime."""


class NotFound(LookupError):
    """There is no such session, document, sentence or correction."""
