"""The number of items per call."""

from __future__ import annotations

CALL_SECONDS = 0.075
LARGEST_CALL = 32


class Pace:
    """Measures how long the items of a task take, and chooses the number of items per call."""

    def __init__(self) -> None:
        self._seconds: float | None = None

    def note(self, seconds: float, items: int) -> None:
        """Record the time of a call."""
        mean = seconds / items
        self._seconds = mean if self._seconds is None else 0.7 * self._seconds + 0.3 * mean

    @property
    def items(self) -> int:
        """The number of items for the next call."""
        if self._seconds is None:
            return 1
        return max(1, min(LARGEST_CALL, int(CALL_SECONDS / max(self._seconds, 1e-6))))
