"""How the workers of parallel training share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopefear.decoder import Hypotheses


class Exchange(Protocol):
    """Carries hypotheses, with their scores by the metric, from each worker to all others."""

    def send(self, worker: int, found: Sequence[Hypotheses]) -> None:
        """Send what a worker has found to all others."""

    def receive(self, worker: int) -> list[Hypotheses]:
        """Take what waits for a worker, in the order in which it was sent."""


class Mailboxes:
    """An exchange within one process, for one thread at a time.

    Parameters
    ----------
    workers : int
        They are numbered from 0.
    """

    def __init__(self, workers: int) -> None:
        self._waiting: list[list[Hypotheses]] = [[] for _ in range(workers)]

    def send(self, worker: int, found: Sequence[Hypotheses]) -> None:
        """Put what a worker has found into the boxes of the others."""
        for other, waiting in enumerate(self._waiting):
            if other != worker:
                waiting += found

    def receive(self, worker: int) -> list[Hypotheses]:
        """Empty a worker's box."""
        waiting, self._waiting[worker] = self._waiting[worker], []
        return waiting


class Nothing:
    """No exchange: each worker learns from its own sentences alone (line 5 of the paper's table 2).

    Parameters
    ----------
    workers : int
        Their number.
    """

    def __init__(self, workers: int) -> None:
        pass

    def send(self, worker: int, found: Sequence[Hypotheses]) -> None:
        """Do nothing."""

    def receive(self, worker: int) -> list[Hypotheses]:
        """Give nothing."""
        return []
