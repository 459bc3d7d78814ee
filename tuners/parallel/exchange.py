"""The exchange of messages between learners (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

from typing import Protocol


class Exchange(Protocol):
    """Carries messages, hypotheses of a sentence with their losses, from each learner to all others."""

    def send(self, worker: int, message: bytes) -> None:
        """Send a learner's message to all others."""

    def receive(self, worker: int) -> list[bytes]:
        """Take the messages for a learner, in the order in which they were sent."""


class Mailboxes:
    """An exchange in the memory of the coordinating process.

    Parameters
    ----------
    workers : int
        Number of learners; they are numbered from 0.
    """

    def __init__(self, workers: int) -> None:
        self._waiting: list[list[bytes]] = [[] for _ in range(workers)]

    def send(self, worker: int, message: bytes) -> None:
        """Put a learner's message into the mailboxes of the others."""
        for other, waiting in enumerate(self._waiting):
            if other != worker:
                waiting.append(message)

    def receive(self, worker: int) -> list[bytes]:
        """Empty a learner's mailbox."""
        waiting, self._waiting[worker] = self._waiting[worker], []
        return waiting
