"""The parts of a session: each applies the session's events, and adds to the context of translations."""

from __future__ import annotations

from abc import ABC, abstractmethod

from hopefear.decoder import Context

from .active_corrections import ActiveCorrections, Effect
from .corrections import Correction


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


class CorrectionsPart(SessionPart):
    """What follows from the active corrections."""

    def __init__(self, active: ActiveCorrections) -> None:
        self._active = active
        self.reset()

    @abstractmethod
    def clear(self) -> None:
        """Begin without corrections."""

    @abstractmethod
    def add(self, correction: Correction) -> None:
        """Add a correction."""

    @abstractmethod
    def remove(self, correction: Correction) -> None:
        """Remove a correction: all is then as if it had never been there."""

    def apply(self, effect: Effect) -> None:
        """Add what is new, and remove what is gone."""
        for correction in effect.new:
            self.add(correction)
        for correction in effect.gone:
            self.remove(correction)

    def reset(self) -> None:
        """Begin again with the active corrections."""
        self.clear()
        for correction in self._active.corrections.values():
            self.add(correction)
