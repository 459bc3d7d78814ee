"""The parts of a session: each applies the session's events, and adds to the context of translations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from hopefear.decoder import Context

from .corrections import Correction
from .events import Event


@dataclass(frozen=True, slots=True)
class Effect:
    """An event, with the corrections that are active by it, and those that are active no more."""

    event: Event
    new: Sequence[Correction] = ()
    gone: Sequence[Correction] = ()


class SessionPart(ABC):
    """What one session has of one kind."""

    @abstractmethod
    def apply(self, effect: Effect) -> None:
        """Take in an event."""

    def recall(self, effect: Effect) -> None:  # noqa: B027  may stay empty
        """Take in an event from before the saved state; what `reset` makes takes none."""

    def reset(self) -> None:  # noqa: B027  may stay empty
        """Begin again with what is active now."""

    def add_to(self, context: Context, document: int | None) -> Context:
        """Return a context with what this part adds to a translation in a document."""
        return context
