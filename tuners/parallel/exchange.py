"""How the workers of parallel training share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

from typing import Protocol


class Exchange(Protocol):
    """Brings messages, hypotheses of a sentence with their losses, from each worker to all others."""

    def send(self, worker: int, message: bytes) -> None:
        """Send what a worker has found to all others."""

    def receive(self, worker: int) -> list[bytes]:
        """Take what waits for a worker, in the order in which it was sent."""


class Mailboxes:
    """An exchange in the memory of the process that hands out the sentences.

    Parameters
    ----------
    workers : int
        They are numbered from 0.
    """

    def __init__(self, workers: int) -> None:
        self._waiting: list[list[bytes]] = [[] for _ in range(workers)]

    def send(self, worker: int, message: bytes) -> None:
        """Put what a worker has found into the boxes of the others."""
        for other, waiting in enumerate(self._waiting):
            if other != worker:
                waiting.append(message)

    def receive(self, worker: int) -> list[bytes]:
        """Empty a worker's box."""
        waiting, self._waiting[worker] = self._waiting[worker], []
        return waiting
