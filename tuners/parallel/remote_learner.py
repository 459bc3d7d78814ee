"""A learner of parallel training in a worker, whose death it survives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hopefear.base import InputError
from hopefear.decoder import Segment
from hopefear.parallel import Call, DurableActor, Executor, WorkerDied

from ..contract import State, fact, kept
from .learner import Learned, LearnerSpec, Snapshot, StepResult


@dataclass(frozen=True, slots=True)
class Delivery:
    """What came of a sentence, or of learning at the end of a pass."""

    segment: Segment | None
    result: StepResult
    lost: InputError | None


@dataclass(frozen=True, slots=True)
class SavedStep:
    """A step of at most one sentence in a saved state."""

    number: int
    mail: list[int]
    place: int | None
    ends: bool
    lost: bool


@dataclass(init=False, eq=False)
class RemoteLearner(DurableActor):
    """A `Learner` in a worker; a sentence that is to blame for too many deaths of workers is left out."""

    start: State | None = kept()
    calls: list[SavedStep] = fact([])
    taken: int = fact(0, least=0)

    def __init__(
        self,
        number: int,
        executor: Executor,
        spec: LearnerSpec,
        corpus: Sequence[Segment],
        *,
        snapshot_every: int,
    ) -> None:
        self.seconds_per_sentence = 0.0
        self._corpus = corpus
        super().__init__(executor, spec, name=f"learner {number}", snapshot_every=snapshot_every)

    def step(self, number: int, mail: Sequence[bytes], places: Sequence[int] = ()) -> None:
        """Begin a step of pass `number`, with the sentences at some places of the corpus if there are any."""
        self.begin(_Step(self._corpus, number, mail, places))

    def deliveries(self) -> list[Delivery]:
        """Wait for the results of the first step whose results were not taken."""
        deliveries = []
        for step, results in self.take():
            for place, result in zip(step.places or (None,), results, strict=True):
                segment, lost = None if place is None else self._corpus[place], None
                if segment is not None and step.lost:
                    times = self.recovery.attempts
                    message = f"{times} workers died on sentence {segment.number}; the segment is skipped"
                    lost = InputError(message, path=segment.where)
                deliveries.append(Delivery(segment, result, lost))
        seconds = sum(delivery.result.seconds for delivery in deliveries) / len(deliveries)
        before = self.seconds_per_sentence
        self.seconds_per_sentence = (before + seconds) / 2 if before else seconds
        return deliveries

    def learned(self) -> Learned:
        """Return what was learned in all steps so far."""
        learned: Learned = self.call("learned")
        return learned

    def note(self, keep: Callable[[bytes], int]) -> None:
        """Note the snapshot and the later steps, as they are to be saved."""
        self.calls = [
            part.saved(ends and part is parts[-1], keep)
            for step, ends in (*((step, True) for step in self.log), *self.pending())
            for parts in [step.parts()]
            for part in parts
        ]
        self.start = None if self.snapshot is None else self.snapshot.state
        self.taken = sum(step.size for step in self.log)

    def go_on(self, messages: Sequence[bytes]) -> None:
        """Go on from what was saved; steps that were in progress are begun again."""
        snapshot, steps = None, []
        if self.start is not None:
            place = self.start["facts"]["place"]
            snapshot = Snapshot(self.start, None if place is None else self._corpus[place])
        for call in self.calls:
            mail = [messages[m] for m in call.mail]
            places = () if call.place is None else (call.place,)
            steps.append((_Step(self._corpus, call.number, mail, places, lost=call.lost), call.ends))
        self.resume(snapshot, [step for step, _ in steps[: self.taken]], steps[self.taken :])


class _Step(Call):
    """A call of `Learner.step`."""

    def __init__(
        self,
        corpus: Sequence[Segment],
        number: int,
        mail: Sequence[bytes],
        places: Sequence[int],
        *,
        lost: bool = False,
    ) -> None:
        left = () if lost else places
        super().__init__("step", number, mail, [corpus[place] for place in left], left, changes=True)
        self.size = max(len(places), 1)
        self.places, self.lost = places, lost
        self._corpus, self._number, self._mail = corpus, number, mail

    def parts(self) -> Sequence[_Step]:
        """Return steps of one sentence each; only the first gets the messages."""
        if self.size == 1:
            return [self]
        return [
            _Step(self._corpus, self._number, () if i else self._mail, [place])
            for i, place in enumerate(self.places)
        ]

    def without_item(self, died: WorkerDied) -> _Step:
        """Return the step without its sentence."""
        if self.lost or not self.places:
            raise died
        return _Step(self._corpus, self._number, self._mail, self.places, lost=True)

    def saved(self, ends: bool, keep: Callable[[bytes], int]) -> SavedStep:
        """Return the entry of this step of one sentence in a saved state."""
        mail, place = [keep(message) for message in self._mail], next(iter(self.places), None)
        return SavedStep(self._number, mail, place, ends, self.lost)
