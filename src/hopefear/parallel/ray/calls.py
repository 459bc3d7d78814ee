"""Calls to workers: which items a call holds, and how many."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

CALL_SECONDS = 0.075
LARGEST_CALL = 32


class CallSize:
    """Measures how long the items of a task take, and chooses the number of items per call."""

    def __init__(self) -> None:
        self._seconds: float | None = None

    def record(self, seconds: float, items: int) -> None:
        """Record the time of a call."""
        mean = seconds / items
        self._seconds = mean if self._seconds is None else 0.7 * self._seconds + 0.3 * mean

    @property
    def items(self) -> int:
        """The number of items for the next call."""
        if self._seconds is None:
            return 1
        return max(1, min(LARGEST_CALL, int(CALL_SECONDS / max(self._seconds, 1e-6))))


@dataclass(frozen=True)
class RayTask:
    """A pickled task in the object store."""

    key: bytes
    stored: Any
    size: CallSize = field(default_factory=CallSize)


@dataclass(eq=False)
class LogEntry:
    """A pickled item of a call, with a function that names it in messages."""

    item: bytes
    name: Callable[[], str]
    future: Future[Any] = field(default_factory=Future)
    deaths: int = 0


@dataclass(eq=False)
class Death:
    """A death of a worker, while it is not known which of the calls that it had is to blame."""

    behind: list[TaskCall]
    suspects: int = 0


@dataclass(eq=False)
class TaskCall:
    """A call of a task in a worker, with one or several items."""

    task: RayTask
    entries: list[LogEntry]
    death: Death | None = None

    def fail(self, error: BaseException) -> None:
        """Let all unfinished futures raise an error."""
        for entry in self.entries:
            future = entry.future
            if not future.done() and (future.running() or future.set_running_or_notify_cancel()):
                future.set_exception(error)
