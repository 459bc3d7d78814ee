"""A learner of parallel training (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import ParseFailed
from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Delta, Segment, Translator, Weights
from hopefear.metrics import Metric, PseudoDocument
from hopefear.parallel import Named

from ..contract import State, TuningError, UpdateRecord, array, fact, load, load_lines, part, save, save_lines
from ..online import Example, OnlineLoop, OnlineTuner, Progress
from ..oracles import Oracle, SearchSpace
from .first_weights import FirstWeights
from .messages import has_weights, pack, unpack, unpack_weights


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step: of an update, and of the translation of a sentence after it."""

    record: UpdateRecord | None
    message: bytes
    rows: Sequence[Floats]
    words: float
    reference_words: float
    skipped: int
    without_oracle: int
    seconds: float
    delta: Delta | None = None

    def add_to(self, progress: Progress) -> None:
        """Add the result to the counts of a pass."""
        progress.updates += self.record is not None
        for statistics in self.rows:
            progress.count(statistics)
        progress.messages += bool(self.message)
        progress.message_bytes += len(self.message)
        for name in ("words", "reference_words", "skipped", "without_oracle", "seconds"):
            setattr(progress, name, getattr(progress, name) + getattr(self, name))


@dataclass(frozen=True, slots=True)
class Learned:
    """What a learner has learned so far."""

    features: Named
    values: Floats
    document: State


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A learner as it was once."""

    state: State
    segment: Segment | None = None


@dataclass(frozen=True)
class LearnerSpec:
    """Makes learners, in any process; all are the same."""

    tuner: OnlineTuner
    make_decoder: Callable[[Weights], Translator]
    plugins: tuple[str, ...]
    first: FirstWeights
    metric: Metric
    document: State
    share: bool
    skips: bool

    def __call__(self) -> Learner:
        """Make a learner."""
        return Learner(self)


@dataclass(init=False, eq=False)
class Learner:
    """An online tuner with a decoder, weights and a pseudo-document of its own."""

    memory: Any = part()
    oracle: Oracle = part()
    document: PseudoDocument = part()
    earlier: PseudoDocument = part()
    number: int = fact(0, least=0)
    average_updates: int = fact(0, least=0)
    place: int | None = fact(None)
    names: NDArray[np.uint8] = array("u1")
    changed: Ints = array("i8", least=0)
    weights: Floats = array()
    moment: Floats = array()
    own: NDArray[np.uint8] = array("u1")

    def __init__(self, spec: LearnerSpec) -> None:
        self._spec = spec
        weights = spec.first.make_weights()
        self._decoder = spec.make_decoder(weights)
        plugins = plugins_of(self._decoder)
        if self._decoder.weights is not weights or plugins != spec.plugins:
            raise TuningError(
                "a worker's decoder must have the given weights and "
                f"the plugins {list(spec.plugins)}, got {list(plugins)}: set make_decoder"
            )
        if spec.skips:
            self._decoder.collect_failures()
        weights.replace(spec.first.values)
        document = PseudoDocument(spec.metric, spec.tuner.decay)
        load(document, spec.document, what="a pseudo-document")
        self._run = OnlineLoop(spec.tuner, weights, document, {})
        self.memory, self.oracle, self.document = self._run.memory, self._run.oracle, document
        self.earlier = copy.copy(document)  # before the last sentence joined it
        self.number, self.place = 0, None
        self._segment: Segment | None = None
        self._examples: list[Example] = []

    def step(
        self,
        number: int,
        mail: Sequence[bytes],
        segments: Sequence[Segment] = (),
        places: Sequence[int] = (),
    ) -> list[StepResult]:
        """Learn from the last sentence and from messages, then translate sentences, one update for each."""
        first, *others = zip(segments, places, strict=True) if segments else ((None, None),)
        return [self._step(number, mail, *first), *(self._step(number, (), *other) for other in others)]

    def learned(self) -> Learned:
        """Return what was learned."""
        found, weights = self._run.learned(), self._decoder.weights
        changed = np.flatnonzero(found != self._spec.first.extended(len(found))).astype(np.int32)
        return Learned(Named.of(weights, changed), found[changed], save(self.document))

    def snapshot(self) -> Snapshot:
        """Return the learner as it is, for `restore`."""
        return Snapshot(save(self), self._segment if self._spec.tuner.keeps_forests else None)

    def restore(self, snapshot: Snapshot | None) -> None:
        """Return to a snapshot of a learner of the same specification; None for a new learner."""
        if snapshot is None:
            return
        load(self, snapshot.state, what="a worker")
        self._segment = snapshot.segment
        if self._examples and self._segment is not None:
            # The sentence's forest is that of then: the weights are.
            forest = self._decoder.translate(self._segment)
            space = SearchSpace(self._decoder, forest, self._segment, self.earlier)
            tuner = self._spec.tuner
            self._examples = [
                replace(one, content=tuner.searchable(one.content, space)) for one in self._examples
            ]
            self._decoder.delta()  # it was told before

    def saving(self) -> None:
        """Note what differs from a new learner."""
        weights, average, first = self._decoder.weights, self._run.progress.average, self._spec.first
        average.saving()
        moment = np.zeros(len(weights))
        moment[: len(average.moment)] = average.moment
        changed = np.flatnonzero((weights.array != first.extended(len(weights))) | (moment != 0))
        self.names = save_lines(map(weights.name, range(len(first.values), len(weights))))
        self.changed, self.weights, self.moment = changed, weights.array[changed], moment[changed]
        self.average_updates = average.updates
        self.own = np.frombuffer(b"".join(pack(one, weights) for one in self._examples), np.uint8)

    def restored(self) -> None:
        """Make the learner that of the state."""
        weights, average = self._decoder.weights, self._run.progress.average
        weights.native.intern_all(load_lines(self.names))
        weights.array[self.changed] = self.weights
        average.updates, average.moment = self.average_updates, np.zeros(len(weights))
        average.moment[self.changed] = self.moment
        average.restored()
        self._examples = [self._unpacked(self.own.tobytes())] if len(self.own) else []

    def _step(
        self, number: int, mail: Sequence[bytes], segment: Segment | None, place: int | None
    ) -> StepResult:
        clock = time.thread_time()
        run, progress = self._run, self._run.progress
        if number != self.number:
            self.number = number
            run.begin_pass()
        if mail and has_weights(mail[0]):
            self._go_on_from(mail[0])
            mail = mail[1:]
        examples = [*self._examples, *map(self._unpacked, mail)]
        record = run.update(examples, number) if examples else None
        progress.start_pass()
        self._examples, self.place, self._segment = [], None, None
        self.earlier = copy.copy(self.document)
        if segment is not None:
            try:
                with self._decoder.attempting(segment):
                    self._examples = run.take_in(self._decoder, self._decoder.translate(segment), segment)
                self.place, self._segment = place, segment
            except ParseFailed:
                progress.skipped = 1
        shared = self._examples if self._spec.share else []
        return StepResult(
            record=record,
            message=b"".join(pack(example, self._decoder.weights) for example in shared),
            rows=progress.rows or (),
            words=progress.words,
            reference_words=progress.reference_words,
            skipped=progress.skipped,
            without_oracle=progress.without_oracle,
            seconds=time.thread_time() - clock,
            delta=self._decoder.delta(),
        )

    def _go_on_from(self, message: bytes) -> None:
        """Take the weights that all learners begin a pass with."""
        features, values = unpack_weights(message)
        weights = self._decoder.weights
        numbers = features.numbers(weights)
        fresh = self._spec.first.extended(len(weights))
        fresh[numbers] = values
        weights.replace(fresh)
        self._run.progress.average.reset()

    def _unpacked(self, message: bytes) -> Example:
        kind = self._spec.tuner.EXAMPLE
        assert kind is not None
        return unpack(message, kind, self._decoder.weights)


def plugins_of(decoder: Translator) -> tuple[str, ...]:
    """Return the names of a decoder's plugins."""
    return tuple(sorted({report.family for report in decoder.feature_report()}))
