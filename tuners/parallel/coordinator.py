"""The coordinator of parallel MIRA: assigns sentences to learners, and distributes their messages."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Segment, Weights

from ..contract import State
from .exchange import Exchange
from .learner import Learned
from .messages import check_message
from .remote_learner import Delivery, RemoteLearner
from .schedules import Schedule, Turn


class Coordinator:
    """Processes a corpus with several learners.

    The results depend on the schedule only. When it is a learner's turn, the learner sends its messages to
    the others, receives theirs, and begins the next sentences, as many as the schedule says.

    Parameters
    ----------
    learners : sequence of RemoteLearner
        The learners, by number.
    exchange : Exchange
        Carries messages from each learner to all others.
    schedule : Schedule
        Decides whose turn it is.
    corpus : sequence of Segment
        The sentences.
    """

    def __init__(
        self,
        learners: Sequence[RemoteLearner],
        exchange: Exchange,
        schedule: Schedule,
        corpus: Sequence[Segment],
    ) -> None:
        self.learners = learners
        self._exchange, self._schedule, self._corpus = exchange, schedule, corpus
        self._waiting: list[list[bytes]] = [[] for _ in learners]  # messages that were received already
        self._handed_out = 0  # number of sentences of this pass
        self._running: set[int] = set()  # learners that work on sentences
        self._learned: list[Learned] = []
        self._ending: list[int] = []  # learners in their last step of the pass, in the order of the calls

    def go_through(self, number: int, order: Sequence[int]) -> Iterator[tuple[Turn | None, list[Delivery]]]:
        """Do pass `number`, or the rest of it, and yield each turn with its deliveries.

        The steps after the last sentence have no turn. At each yield the coordinator's state can be saved.

        Raises
        ------
        WorkerDied
            Workers died too often.
        Exception
            The error of a step.
        """
        self._learned = []
        if not self._handed_out:
            for worker in range(len(self.learners)):
                self._go_on(Turn(worker), number, order)
        while self._running:
            turn = self._schedule.next()
            deliveries = self.learners[turn.worker].deliveries()
            self._running.remove(turn.worker)
            for message in (delivery.result.message for delivery in deliveries):
                if message:
                    self._exchange.send(turn.worker, message)
            self._go_on(turn, number, order)
            yield turn, deliveries
        yield from self._end()
        for worker in range(len(self.learners)):
            if mail := self._receive(worker):
                self._learn(worker, number, mail)
        yield from self._end()
        self._handed_out = 0

    def learned(self) -> list[Learned]:
        """Return what each learner has learned up to the end of the last pass."""
        self._learned = self._learned or [learner.learned() for learner in self.learners]
        return self._learned

    def go_on_from(self, message: bytes) -> None:
        """Let all learners begin the next pass with the weights of a message, see `pack_weights`."""
        for waiting in self._waiting:
            waiting.insert(0, message)

    def get_state(self) -> State:
        """Return the state for `set_state`: of each learner a snapshot and the later steps."""
        kept: dict[bytes, int] = {}

        def keep(message: bytes) -> int:
            return kept.setdefault(message, len(kept))

        for worker in range(len(self.learners)):
            self._waiting[worker] = self._receive(worker)
        states = [learner.get_state(keep) for learner in self.learners]
        waiting = [[keep(message) for message in mail] for mail in self._waiting]
        return {
            "facts": {
                "learners": [state["facts"] for state in states],
                "waiting": waiting,
                "handed_out": self._handed_out,
                "running": [[worker, self._schedule.left(worker)] for worker in sorted(self._running)],
                "ending": list(self._ending),
                "message_lengths": list(map(len, kept)),
            },
            "arrays": {
                "messages": np.frombuffer(b"".join(kept), np.uint8),
                **{
                    f"worker{i}.{name}": array
                    for i, state in enumerate(states)
                    for name, array in state["arrays"].items()
                },
            },
        }

    def set_state(self, state: State) -> None:
        """Return to a state; steps that were in progress are begun again.

        Raises
        ------
        InputError
            The state is invalid, or has another number of learners.
        """
        try:
            facts, arrays = state["facts"], state["arrays"]
            joined = arrays["messages"].tobytes()
            ends = np.cumsum([0, *facts["message_lengths"]]).tolist()
            kept = [joined[begin:end] for begin, end in itertools.pairwise(ends)]
            for message in kept:
                check_message(message)
            self._waiting = [[kept[m] for m in mail] for mail in facts["waiting"]]
            self._handed_out, self._ending = int(facts["handed_out"]), list(facts["ending"])
            for i, (learner, saved) in enumerate(zip(self.learners, facts["learners"], strict=True)):
                start = f"worker{i}."
                own = {k.removeprefix(start): array for k, array in arrays.items() if k.startswith(start)}
                learner.set_state({"facts": saved, "arrays": own}, kept)
            for worker, left in facts["running"]:
                self._running.add(worker)
                self._schedule.begin(worker, left)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(
                f"expected the state of {len(self.learners)} workers; missing or wrong: {error}"
            ) from None

    def _go_on(self, turn: Turn, number: int, order: Sequence[int]) -> None:
        """Let a learner learn, and begin the next sentences if there are any."""
        worker, mail = turn.worker, self._receive(turn.worker)
        places = order[self._handed_out : self._handed_out + turn.sentences]
        if not places:
            self._learn(worker, number, mail)
            return
        self._handed_out += len(places)
        self.learners[worker].step(number, mail, places)
        self._running.add(worker)
        self._schedule.begin(worker, sum(max(self._corpus[place].length, 1) for place in places))

    def _learn(self, worker: int, number: int, mail: list[bytes]) -> None:
        self.learners[worker].step(number, mail)
        self._ending.append(worker)

    def _end(self) -> Iterator[tuple[None, list[Delivery]]]:
        while self._ending:
            deliveries = self.learners[self._ending[0]].deliveries()
            del self._ending[0]
            yield None, deliveries

    def _receive(self, worker: int) -> list[bytes]:
        earlier, self._waiting[worker] = self._waiting[worker], []
        return earlier + self._exchange.receive(worker)


def mean_weights(
    parts: Sequence[Learned], start: NDArray[np.float64], weights: Weights
) -> NDArray[np.float64]:
    """Average the weights of all learners.

    Parameters
    ----------
    start : array of float64
        The initial weights, by number in `weights`.
    weights : Weights
        Numbers the features; gets new features.

    Returns
    -------
    array of float64, shape (features,)
    """
    numbers = [part.features.numbers(weights) for part in parts]
    mean = np.zeros(len(weights))
    mean[: len(start)] = start
    changed: NDArray[Any] = np.unique(np.concatenate(numbers))
    total = np.zeros(len(changed))
    for own, part in zip(numbers, parts, strict=True):
        values = mean[changed]
        values[np.searchsorted(changed, own)] = part.values
        total += values / len(parts)
    mean[changed] = total
    return mean


def unselected(
    parts: Sequence[Learned], weights: Weights, *, keep: NDArray[np.int32], most: int
) -> NDArray[np.int64]:
    """Find the features whose weights have not one of the largest ℓ2 norms over all learners.

    Parameters
    ----------
    weights : Weights
        The initial weights, which have all features.
    keep : array of int32
        Features that are selected whatever their weights are, and do not count.
    most : int
        How many of the others are selected; of equal norms those of the features that came up first.

    Returns
    -------
    array of int64, shape (n,)
    """
    squares = len(parts) * weights.array**2
    for part in parts:
        own = part.features.numbers(weights)
        squares[own] += part.values**2 - weights.array[own] ** 2
    squares[keep] = 0.0
    features = np.flatnonzero(squares > 0)
    return features[np.argsort(-squares[features], kind="stable")[most:]]
