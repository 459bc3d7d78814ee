"""Whose turn it is in parallel training: whose sentence counts as the next that is done."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterable, Sequence
from queue import SimpleQueue
from typing import Protocol

from hopefear.decoder import InputError

from .remote_learner import RemoteLearner


class Schedule(Protocol):
    """Decides which of the workers that are at a sentence is the next to be done with it.

    All else follows from this, so that a run in which the same workers come in the same order learns the
    same, to the bit, wherever its workers are.
    """

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins a sentence of so many tokens."""

    def left(self, worker: int) -> int:
        """Give what is left of the length of the sentence that a worker is at."""

    def next(self) -> int:
        """Wait until it is clear who is the next, and give its number."""

    def take(self, worker: int) -> None:
        """Note that a worker is the next, whose turn it may be."""


class VirtualTime:
    """A sentence takes as many units of time as it has tokens; of equal workers the first comes first."""

    def __init__(self) -> None:
        self._now = 0
        self._running: list[tuple[int, int]] = []

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins a sentence."""
        heapq.heappush(self._running, (self._now + length, worker))

    def left(self, worker: int) -> int:
        """Give the time until a worker is done."""
        return max(next(end for end, other in self._running if other == worker) - self._now, 0)

    def next(self) -> int:
        """Give the worker whose time is up."""
        end, worker = heapq.heappop(self._running)
        self._now = max(self._now, end)
        return worker

    def take(self, worker: int) -> None:
        """Let a worker's time be up."""
        self._now += self.left(worker)
        self._running = [(end, other) for end, other in self._running if other != worker]
        heapq.heapify(self._running)


class Arrival:
    """Who is done first comes first.

    Parameters
    ----------
    learners : sequence of RemoteLearner
        The workers, by number.
    """

    def __init__(self, learners: Sequence[RemoteLearner]) -> None:
        self._learners = learners
        self._running: set[int] = set()
        self._arrived: SimpleQueue[int] = SimpleQueue()
        for learner in learners:
            learner.arrived = self._arrived.put

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins a sentence."""
        self._running.add(worker)

    def left(self, worker: int) -> int:
        """Give 0: nobody knows."""
        return 0

    def next(self) -> int:
        """Wait for the next."""
        while True:
            worker = self._arrived.get()
            if worker in self._running and self._learners[worker].is_ready():
                self._running.discard(worker)
                return worker

    def take(self, worker: int) -> None:
        """Note that a worker is done."""
        self._running.discard(worker)


class Replay:
    """The order of another run, and then, where there is one, another schedule.

    Parameters
    ----------
    recorded : iterable of int
        The workers' numbers.
    then : Schedule or None
        Goes on after them.
    path : str or Path
        Where they stand, for messages.
    line : int
        Lines before the first.
    """

    def __init__(
        self,
        recorded: Iterable[int],
        then: Schedule | None,
        path: str | os.PathLike[str],
        line: int = 0,
    ) -> None:
        self._left = iter(recorded)
        self._then, self._path, self._line = then, path, line
        self._running: set[int] = set()

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins a sentence."""
        self._running.add(worker)
        if self._then is not None:
            self._then.begin(worker, length)

    def left(self, worker: int) -> int:
        """Give what the other schedule says."""
        return 0 if self._then is None else self._then.left(worker)

    def next(self) -> int:
        """Give the worker that came next in the other run.

        Raises
        ------
        InputError
            The worker is at no sentence, or the other run was shorter.
        """
        worker, self._line = next(self._left, None), self._line + 1
        if worker is None:
            if self._then is None:
                raise InputError("expected a line for each sentence, got the end", path=self._path)
            return self._then.next()
        self.take(worker)
        return worker

    def take(self, worker: int) -> None:
        """Note that a worker is the next."""
        if worker not in self._running:
            raise InputError(
                f"expected a worker that is at a sentence, one of {sorted(self._running)}, got {worker}",
                path=self._path,
                line=self._line,
            )
        self._running.discard(worker)
        if self._then is not None:
            self._then.take(worker)
