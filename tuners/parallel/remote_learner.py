"""A worker of parallel MIRA as seen from where sentences are handed out: one that outlives its process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from hopefear.base import InputError
from hopefear.decoder import Segment
from hopefear.parallel.executor import Actor, Executor, WorkerDied

from ..contract import State
from .learner import Course, Found, Learned

_ATTEMPTS = 2
"""Deaths of a sentence until it is left out, and then until the worker is given up."""

_STARTS = 5
"""Deaths in a row of nothing known until the worker is given up; before each start more is waited."""

_START_SECONDS = 0.1


@dataclass(slots=True, eq=False)
class _Call:
    """What is done with one sentence, since the last snapshot.

    Attributes
    ----------
    number : int
        Of the pass.
    mail : sequence of bytes
        What is learned before, besides the sentence before.
    place : int or None
        Of the sentence in the corpus.
    ends : bool
        Whether it is the last that was handed out at the same time.
    lost : bool
        Whether it is done without the sentence, since workers died of it.
    deaths : int
        How often the worker died in it.
    future : Future
        Of all that it was sent together with.
    index : int
        Which of them it is.
    """

    number: int
    mail: Sequence[bytes]
    place: int | None
    ends: bool = False
    lost: bool = False
    deaths: int = 0
    future: Future[list[Found]] = field(default_factory=Future)
    index: int = 0


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of a sentence, or of learning at the end of a pass.

    Attributes
    ----------
    segment : Segment or None
        The sentence that was translated, or was to be.
    found : Found
        What came of it.
    lost : InputError or None
        Says that the sentence was left out, since workers died of it.
    """

    segment: Segment | None
    found: Found
    lost: InputError | None


class RemoteLearner:
    """A `Learner` somewhere else, made again where it is lost.

    It is asked for a snapshot now and then. Where its worker died, a new one goes back to the last snapshot
    and does again what was done since then, with the same messages: it ends where the old one was, to the
    bit. Sentences that were handed out together then go one by one, to find the one it may have died of.
    Results that were taken already are not given again.

    Parameters
    ----------
    number : int
        The worker's.
    executor : Executor
        Where it is to be.
    course : Course
        What it is made from.
    corpus : sequence of Segment
        The sentences.
    snapshot_every : int
        Sentences between two snapshots.
    """

    def __init__(
        self,
        number: int,
        executor: Executor,
        course: Course,
        corpus: Sequence[Segment],
        *,
        snapshot_every: int,
    ) -> None:
        self.number = number
        self.arrived: Callable[[int], Any] = lambda worker: None
        """Called with the worker's number, in any thread, when there is a result to take, or a death."""
        self.restarts = 0
        """How often it was made again."""
        self.pace = 0.0
        """Seconds of processor time that a sentence has taken lately."""
        self._actor: Actor = executor.actor(course)
        self._corpus = corpus
        self._snapshot_every = snapshot_every
        self._state: State | None = None
        self._begun: Future[None] = self._actor.call("restore", None)
        self._calls: list[_Call] = []  # since the snapshot
        self._taken = 0  # of their results
        self._saving: tuple[int, Future[State]] | None = None  # after so many of the calls
        self._other_deaths = 0  # of no sentence, since one was done

    def step(self, number: int, mail: Sequence[bytes], places: Sequence[int] = ()) -> None:
        """Begin a step of pass `number`, with the sentences at some places of the corpus if there are any."""
        calls = [_Call(number, () if i else mail, place) for i, place in enumerate(places or (None,))]
        calls[-1].ends = True
        self._calls += calls
        self._send(calls, new=True)
        if self._saving is None and len(self._calls) >= self._snapshot_every:
            self._saving = len(self._calls), self._actor.call("snapshot")

    def take(self) -> list[Delivery]:
        """Wait for the results of the first step whose results were not taken.

        Raises
        ------
        WorkerDied
            Workers died of it even without its sentence.
        Exception
            What else went wrong in the step.
        """
        calls = self._next_step()
        deliveries = [self._delivery(call) for call in calls]
        self._taken += len(calls)
        self._keep_snapshot()
        seconds = sum(delivery.found.seconds for delivery in deliveries) / len(deliveries)
        self.pace = (self.pace + seconds) / 2 if self.pace else seconds
        return deliveries

    def is_ready(self) -> bool:
        """Tell whether `take` need not wait; a worker that has died is brought back."""
        for call in self._next_step():
            if not call.future.done():
                return False
            if isinstance(call.future.exception(), WorkerDied):
                self._revive()
                return False
        return True

    def learned(self) -> Learned:
        """Give what was learned by all steps so far."""
        learned: Learned = self._lasting(lambda: self._actor.call("learned"))
        return learned

    def close(self) -> None:
        """Let go of the worker."""
        self._actor.close()

    def get_state(self, keep: Callable[[bytes], int]) -> State:
        """Give what `set_state` restores, whatever is under way.

        Parameters
        ----------
        keep : callable
            Keeps a message, and says by which number.
        """
        calls = [[x.number, [keep(m) for m in x.mail], x.place, x.ends, x.lost] for x in self._calls]
        state = self._state or {"facts": None, "arrays": {}}
        return {
            "facts": {"snapshot": state["facts"], "calls": calls, "taken": self._taken},
            "arrays": state["arrays"],
        }

    def set_state(self, state: State, kept: Sequence[bytes]) -> None:
        """Go back to a state; steps that were under way then are begun again."""
        facts = state["facts"]
        if facts["snapshot"] is not None:
            self._state = {"facts": facts["snapshot"], "arrays": state["arrays"]}
        self._taken = int(facts["taken"])
        self._calls = [
            _Call(number, [kept[m] for m in mail], place, ends, lost)
            for number, mail, place, ends, lost in facts["calls"]
        ]
        self._send_all()

    def _next_step(self) -> list[_Call]:
        end = next(i for i in range(self._taken, len(self._calls)) if self._calls[i].ends)
        return self._calls[self._taken : end + 1]

    def _delivery(self, call: _Call) -> Delivery:
        results = self._lasting(lambda: call.future)
        self._other_deaths = 0
        segment, lost = None if call.place is None else self._corpus[call.place], None
        if segment is not None and call.lost:
            message = f"{_ATTEMPTS} workers died on segment {segment.id}; the segment is skipped"
            lost = InputError(message, path=segment.where)
        return Delivery(segment, results[call.index], lost)

    def _send(self, calls: Sequence[_Call], *, new: bool) -> None:
        segments = [self._corpus[call.place] for call in calls if call.place is not None and not call.lost]
        future = self._actor.call("step", calls[0].number, calls[0].mail, segments)
        for i, call in enumerate(calls):
            call.future, call.index = future, i
        if new:
            future.add_done_callback(lambda _: self.arrived(self.number))

    def _send_all(self) -> None:
        self._saving = None
        self._begun = self._actor.call("restore", self._state)
        for i, call in enumerate(self._calls):
            self._send([call], new=i >= self._taken)

    def _lasting(self, ask: Callable[[], Future[Any]]) -> Any:
        """Ask until the worker has lived to answer."""
        while True:
            try:
                self._begun.result()
                return ask().result()
            except WorkerDied:
                self._revive()

    def _revive(self) -> None:
        """Make the worker anew, and let it do again what it did since the snapshot."""
        # It did one thing after the other: what it died of is the first that it did not do. What it had done
        # before is no reason to die.
        guilty = next((x for x in self._calls if isinstance(x.future.exception(), WorkerDied)), None)
        if guilty is None or self._begun.exception() is not None or guilty in self._calls[: self._taken]:
            self._other_deaths += 1
            if self._other_deaths > _STARTS:
                raise WorkerDied(f"worker {self.number} died repeatedly without working on a sentence")
            time.sleep(_START_SECONDS * self._other_deaths)
        elif sum(x.future is guilty.future for x in self._calls) == 1:  # else it may have been any of them
            guilty.deaths += 1
            if guilty.deaths >= _ATTEMPTS:
                if guilty.lost or guilty.place is None:
                    raise WorkerDied(f"worker {self.number} died repeatedly while it learned")
                guilty.lost, guilty.deaths = True, 0
        self.restarts += 1
        self._actor.restart()
        self._send_all()

    def _keep_snapshot(self) -> None:
        if self._saving is None:
            return
        calls, saved = self._saving
        if calls > self._taken or not saved.done():
            return
        self._saving = None
        if saved.exception() is None:  # else the worker has died, as will be seen
            self._state = saved.result()
            del self._calls[:calls]
            self._taken -= calls
