"""Schedules of parallel MIRA: the order in which learners count as done with their sentences."""

from __future__ import annotations

import heapq
import os
from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, Protocol

from hopefear.base import InputError

from .remote_learner import RemoteLearner

CALL_SECONDS = 0.04
"""Work in a call to a learner in another process; the transport of a call takes about 0.003 seconds."""

MOST_SENTENCES = 8
"""Sentences in the calls of all learners together: messages wait for the end of a call."""


class Turn(NamedTuple):
    """The turn of a learner that is done with its sentences."""

    worker: int
    sentences: int = 1


class Schedule(Protocol):
    """Decides which of the running learners is the next to be done, and the number of its next sentences.

    Runs with the same turns learn the same weights, to the bit, wherever the learners are.
    """

    def begin(self, worker: int, length: int) -> None:
        """Record that a learner begins sentences with `length` tokens in total."""

    def left(self, worker: int) -> int:
        """Return the length that remains of a learner's sentences."""

    def next(self) -> Turn:
        """Wait for the next turn."""

    def take(self, worker: int) -> None:
        """Record that the next turn is that of a given learner."""


class VirtualTime:
    """A sentence takes as many units of time as it has tokens; of equal learners the first comes first."""

    def __init__(self, sentences: int = 1) -> None:
        self._sentences = sentences
        self._now = 0
        self._running: list[tuple[int, int]] = []

    def begin(self, worker: int, length: int) -> None:
        """Record that a learner begins sentences."""
        heapq.heappush(self._running, (self._now + length, worker))

    def left(self, worker: int) -> int:
        """Return the time until a learner is done."""
        return max(next(end for end, other in self._running if other == worker) - self._now, 0)

    def next(self) -> Turn:
        """Return the turn of the learner whose time ends first."""
        end, worker = heapq.heappop(self._running)
        self._now = max(self._now, end)
        return Turn(worker, self._sentences)

    def take(self, worker: int) -> None:
        """End a learner's time."""
        self._now += self.left(worker)
        self._running = [(end, other) for end, other in self._running if other != worker]
        heapq.heapify(self._running)


class Arrival:
    """The order in which learners are really done."""

    def __init__(self, learners: Sequence[RemoteLearner], sentences: int = 1) -> None:
        self._learners, self._sentences = learners, sentences
        self._running: set[int] = set()
        self._arrived: SimpleQueue[int] = SimpleQueue()
        for number, learner in enumerate(learners):
            learner.on_reply = partial(self._arrived.put, number)

    def begin(self, worker: int, length: int) -> None:
        """Record that a learner begins sentences."""
        self._running.add(worker)

    def left(self, worker: int) -> int:
        """Return 0: the length is unknown."""
        return 0

    def next(self) -> Turn:
        """Wait for the next learner."""
        while True:
            worker = self._arrived.get()
            if worker in self._running and self._learners[worker].is_ready():
                self._running.discard(worker)
                return Turn(worker, self._sentences or self._by_time(worker))

    def take(self, worker: int) -> None:
        """Record that a learner is done."""
        self._running.discard(worker)

    def _by_time(self, worker: int) -> int:
        seconds = self._learners[worker].seconds_per_sentence
        most = MOST_SENTENCES // len(self._learners)
        return max(1, min(most, round(CALL_SECONDS / seconds))) if seconds else 1


class Replay:
    """The order of another run, followed by another schedule if there is one."""

    def __init__(
        self,
        recorded: Iterable[Turn],
        then: Schedule | None,
        path: str | os.PathLike[str],
        line: int = 0,
    ) -> None:
        self._left = deque(recorded)
        self.path = path
        self._then, self._line = then, line
        self._running: set[int] = set()

    @property
    def at_end(self) -> bool:
        """Whether all turns were taken."""
        return not self._left

    def begin(self, worker: int, length: int) -> None:
        """Record that a learner begins sentences."""
        self._running.add(worker)
        if self._then is not None:
            self._then.begin(worker, length)

    def left(self, worker: int) -> int:
        """Return the value of the other schedule."""
        return 0 if self._then is None else self._then.left(worker)

    def next(self) -> Turn:
        """Return the next turn of the other run."""
        self._line += 1
        if not self._left:
            if self._then is None:
                raise InputError("expected a line for each turn, got the end of the file", path=self.path)
            return self._then.next()
        turn = self._left.popleft()
        self.take(turn.worker)
        return turn

    def take(self, worker: int) -> None:
        """Record that the next turn is that of a given learner."""
        if worker not in self._running:
            raise InputError(
                f"expected a worker that works on a sentence, one of {sorted(self._running)}, got {worker}",
                path=self.path,
                line=self._line,
            )
        self._running.discard(worker)
        if self._then is not None:
            self._then.take(worker)
