"""The coordinator of parallel training: assigns sentences to learners, and distributes their messages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Segment, Weights

from ..contract import array, fact, part
from .learner import Learned
from .messages import check_message
from .remote_learner import Delivery, RemoteLearner
from .schedules import Schedule, Turn


@dataclass(init=False, eq=False)
class Coordinator:
    """Processes a corpus with several learners."""

    learners: list[RemoteLearner] = part()
    waiting: list[list[int]] = fact([])
    handed_out: int = fact(0, least=0)  # sentences of this pass
    running: list[tuple[int, int]] = fact([])
    ending: list[int] = fact([])  # learners in their last step of the pass, in the order of the calls
    message_lengths: list[int] = fact([], least=0)
    messages: NDArray[np.uint8] = array("u1")

    def __init__(
        self,
        learners: Sequence[RemoteLearner],
        schedule: Schedule,
        corpus: Sequence[Segment],
        example: type,
    ) -> None:
        self.learners, self._example = list(learners), example
        self._schedule, self._corpus = schedule, corpus
        self._waiting: list[list[bytes]] = [[] for _ in learners]  # messages for each learner
        self.handed_out = 0
        self._running: set[int] = set()  # learners that work on sentences
        self._learned: list[Learned] = []
        self.ending = []

    def go_through(self, number: int, order: Sequence[int]) -> Iterator[tuple[Turn | None, list[Delivery]]]:
        """Do pass `number`, or the rest of it, and yield each turn with its deliveries."""
        self._learned = []
        if not self.handed_out:
            for worker in range(len(self.learners)):
                self._go_on(Turn(worker), number, order)
        while self._running:
            turn = self._schedule.next()
            deliveries = self.learners[turn.worker].deliveries()
            self._running.remove(turn.worker)
            for message in (delivery.result.message for delivery in deliveries):
                if message:
                    self._send(turn.worker, message)
            self._go_on(turn, number, order)
            yield turn, deliveries
        yield from self._end()
        for worker in range(len(self.learners)):
            if mail := self._receive(worker):
                self._learn(worker, number, mail)
        yield from self._end()
        self.handed_out = 0

    def learned(self) -> list[Learned]:
        """Return what each learner has learned up to the end of the last pass."""
        self._learned = self._learned or [learner.learned() for learner in self.learners]
        return self._learned

    def go_on_from(self, message: bytes) -> None:
        """Let all learners begin the next pass with the weights of a message, see `pack_weights`."""
        for waiting in self._waiting:
            waiting.insert(0, message)

    def saving(self) -> None:
        """Note the messages, each once, and of each learner a snapshot and the later steps."""
        kept: dict[bytes, int] = {}

        def keep(message: bytes) -> int:
            return kept.setdefault(message, len(kept))

        for learner in self.learners:
            learner.note(keep)
        self.waiting = [[keep(message) for message in mail] for mail in self._waiting]
        self.running = [(worker, self._schedule.left(worker)) for worker in sorted(self._running)]
        self.messages = np.frombuffer(b"".join(kept), np.uint8)
        self.message_lengths = list(map(len, kept))

    def restored(self) -> None:
        """Go on from what was saved; steps that were in progress are begun again."""
        joined, kind = self.messages.tobytes(), self._example
        ends = np.cumsum([0, *self.message_lengths]).tolist()
        kept = [joined[begin:end] for begin, end in itertools.pairwise(ends)]
        for message in kept:
            check_message(message, kind)
        if len(self.waiting) != len(self.learners):
            raise ValueError(f"expected {len(self.learners)} workers, got {len(self.waiting)}")
        self._waiting = [[kept[m] for m in mail] for mail in self.waiting]
        for learner in self.learners:
            learner.go_on(kept)
        for worker, left in self.running:
            self._running.add(worker)
            self._schedule.begin(worker, left)

    def _go_on(self, turn: Turn, number: int, order: Sequence[int]) -> None:
        """Let a learner learn, and begin the next sentences if there are any."""
        worker, mail = turn.worker, self._receive(turn.worker)
        places = order[self.handed_out : self.handed_out + turn.sentences]
        if not places:
            self._learn(worker, number, mail)
            return
        self.handed_out += len(places)
        self.learners[worker].step(number, mail, places)
        self._running.add(worker)
        self._schedule.begin(worker, sum(max(self._corpus[place].length, 1) for place in places))

    def _learn(self, worker: int, number: int, mail: list[bytes]) -> None:
        self.learners[worker].step(number, mail)
        self.ending.append(worker)

    def _end(self) -> Iterator[tuple[None, list[Delivery]]]:
        while self.ending:
            deliveries = self.learners[self.ending[0]].deliveries()
            del self.ending[0]
            yield None, deliveries

    def _receive(self, worker: int) -> list[bytes]:
        waiting, self._waiting[worker] = self._waiting[worker], []
        return waiting

    def _send(self, worker: int, message: bytes) -> None:
        """Let a learner's message, an example, wait for all others."""
        for other, waiting in enumerate(self._waiting):
            if other != worker:
                waiting.append(message)


def mean_weights(parts: Sequence[Learned], start: Floats, weights: Weights) -> Floats:
    """Average the weights of all learners."""
    numbers = [part.features.numbers(weights) for part in parts]
    mean = np.zeros(len(weights))
    mean[: len(start)] = start
    changed: NDArray[Any] = np.unique(np.concatenate(numbers))
    total = np.zeros(len(changed))
    for own, learned in zip(numbers, parts, strict=True):
        values = mean[changed]
        values[np.searchsorted(changed, own)] = learned.values
        total += values / len(parts)
    mean[changed] = total
    return mean


def unselected(parts: Sequence[Learned], weights: Weights, *, keep: NDArray[np.int32], most: int) -> Ints:
    """Find the features whose weights have not one of the largest ℓ2 norms over all learners."""
    squares = len(parts) * weights.array**2
    for learned in parts:
        own = learned.features.numbers(weights)
        squares[own] += learned.values**2 - weights.array[own] ** 2
    squares[keep] = 0.0
    features = np.flatnonzero(squares > 0)
    return features[np.argsort(-squares[features], kind="stable")[most:]]
