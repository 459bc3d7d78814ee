"""Whose turn it is in parallel training: whose sentences count as the next that are done."""

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
"""Of work in a call to a worker elsewhere; the way there and back takes some 0.003."""

MOST_SENTENCES = 8
"""In all workers' calls: what others find waits for the end of a call."""


class Turn(NamedTuple):
    """A worker is done with its sentences, and gets others.

    Attributes
    ----------
    worker : int
        Its number.
    sentences : int
        How many it gets, if so many are left.
    """

    worker: int
    sentences: int = 1


class Schedule(Protocol):
    """Decides which of the workers that are at work is the next to be done, and how much it gets to do then.

    All else follows from this, so that a run with the same turns learns the same, to the bit, wherever its
    workers are.
    """

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins sentences of so many tokens."""

    def left(self, worker: int) -> int:
        """Give what is left of the length of the sentences that a worker is at."""

    def next(self) -> Turn:
        """Wait until it is clear whose turn is next."""

    def take(self, worker: int) -> None:
        """Note that a worker is the next, whose turn it may be."""


class VirtualTime:
    """A sentence takes as many units of time as it has tokens; of equal workers the first comes first.

    Parameters
    ----------
    sentences : int
        For each turn.
    """

    def __init__(self, sentences: int = 1) -> None:
        self._sentences = sentences
        self._now = 0
        self._running: list[tuple[int, int]] = []

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins sentences."""
        heapq.heappush(self._running, (self._now + length, worker))

    def left(self, worker: int) -> int:
        """Give the time until a worker is done."""
        return max(next(end for end, other in self._running if other == worker) - self._now, 0)

    def next(self) -> Turn:
        """Give the turn to the worker whose time is up."""
        end, worker = heapq.heappop(self._running)
        self._now = max(self._now, end)
        return Turn(worker, self._sentences)

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
    sentences : int
        For each turn; 0 for as many as take `CALL_SECONDS`, but `MOST_SENTENCES` for all workers at most.
    """

    def __init__(self, learners: Sequence[RemoteLearner], sentences: int = 1) -> None:
        self._learners, self._sentences = learners, sentences
        self._running: set[int] = set()
        self._arrived: SimpleQueue[int] = SimpleQueue()
        for number, learner in enumerate(learners):
            learner.on_reply = partial(self._arrived.put, number)

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins sentences."""
        self._running.add(worker)

    def left(self, worker: int) -> int:
        """Give 0: nobody knows."""
        return 0

    def next(self) -> Turn:
        """Wait for the next."""
        while True:
            worker = self._arrived.get()
            if worker in self._running and self._learners[worker].is_ready():
                self._running.discard(worker)
                return Turn(worker, self._sentences or self._by_time(worker))

    def take(self, worker: int) -> None:
        """Note that a worker is done."""
        self._running.discard(worker)

    def _by_time(self, worker: int) -> int:
        seconds = self._learners[worker].seconds_per_sentence
        most = MOST_SENTENCES // len(self._learners)
        return max(1, min(most, round(CALL_SECONDS / seconds))) if seconds else 1


class Replay:
    """The order of another run, and then, where there is one, another schedule.

    Parameters
    ----------
    recorded : iterable of Turn
        Its turns.
    then : Schedule or None
        Goes on after them.
    path : str or Path
        Where they stand, for messages.
    line : int
        Lines before the first.
    """

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
        """Whether no turn is left."""
        return not self._left

    def begin(self, worker: int, length: int) -> None:
        """Note that a worker begins sentences."""
        self._running.add(worker)
        if self._then is not None:
            self._then.begin(worker, length)

    def left(self, worker: int) -> int:
        """Give what the other schedule says."""
        return 0 if self._then is None else self._then.left(worker)

    def next(self) -> Turn:
        """Give the turn that came next in the other run.

        Raises
        ------
        InputError
            The worker is at no sentence, or the other run was shorter.
        """
        self._line += 1
        if not self._left:
            if self._then is None:
                raise InputError("expected a line for each turn, got the end of the file", path=self.path)
            return self._then.next()
        turn = self._left.popleft()
        self.take(turn.worker)
        return turn

    def take(self, worker: int) -> None:
        """Note that a worker is the next."""
        if worker not in self._running:
            raise InputError(
                f"expected a worker that works on a sentence, one of {sorted(self._running)}, got {worker}",
                path=self.path,
                line=self._line,
            )
        self._running.discard(worker)
        if self._then is not None:
            self._then.take(worker)
