"""The loop of online training by several workers: their turns, and the mean of their weights."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.state import State, array, kept, load, part, save
from hopefear.decoder import Segment, Translator
from hopefear.metrics import PseudoDocument
from hopefear.parallel import Executor, Named, Serial, Threads, in_threads

from ..contract import PassRecord, Training, UpdateRecord
from ..online import OnlineLoop
from .coordinator import Coordinator, mean_weights, unselected
from .decoder_copies import DecoderCopies
from .first_weights import FirstWeights
from .learner import LearnerSpec, plugins_of
from .messages import pack_weights
from .remote_learner import Delivery, RemoteLearner
from .schedule_file import ScheduleFile
from .schedules import Arrival, Schedule, Turn, VirtualTime


@dataclass(init=False, eq=False)
class ParallelLoop(OnlineLoop):
    """Runs an online algorithm by several workers; the decoder has the initial weights until its end."""

    algorithm: Any = field(init=False)
    first: FirstWeights | None = part(FirstWeights, optional=True)
    first_document: PseudoDocument = part()
    workers: State | None = kept()
    schedule: NDArray[np.int32] = array("i4", 2)

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.known = len(self.weights)
        self.first = self.workers = None
        self.first_document = copy.copy(self.progress.document)
        self.schedule = np.zeros((0, 2), np.int32)
        self.turns: list[Turn] = []
        self.coordinator: Coordinator | None = None
        self._file: ScheduleFile | None = None
        self._kept = np.zeros(0, np.int32)
        self._open = ExitStack()

    def saving(self) -> None:
        """Note the decoder's weights, and how far the workers are."""
        super().saving()
        if self.coordinator is not None:
            self.workers = save(self.coordinator)
            self.schedule = np.array(self.turns, np.int32).reshape(-1, 2)

    def restored(self) -> None:
        """Set the decoder's weights to those of then: those that the workers begin with, if there are any."""
        super().restored()
        self.turns = [Turn(*turn) for turn in self.schedule.tolist()]
        if self.first is not None:
            self.first.install(self.weights)

    @classmethod
    def check(cls, algorithm: Any) -> None:
        """Refuse settings that several workers cannot learn with."""
        if algorithm.EXAMPLE is None:
            raise ValueError(f"{type(algorithm).__name__} must name the class of its examples as EXAMPLE")
        if algorithm.starts > 1:
            raise ValueError(
                f"starts must be 1, since the workers begin with orders of their own, got {algorithm.starts}"
            )
        if algorithm.select and algorithm.share:
            raise ValueError("select is for share=false: workers that share all they find are much alike")

    def prepare(self, training: Training) -> None:
        """Let the algorithm set what it begins with, and make the workers if there must be any."""
        super().prepare(training)
        algorithm = self.algorithm
        # There is no other worker if the only one may as well be here.
        needed = algorithm.executor is not None or self.workers is not None
        if algorithm.workers > 1 or needed or algorithm.select or algorithm.replay:
            self._make_workers(training)

    def _make_workers(self, training: Training) -> None:
        algorithm, decoder, corpus = self.algorithm, training.decoder, training.corpus
        if algorithm.select:
            self._kept = decoder.weights.native.intern_all(decoder.model_features(corpus[0]))
        spec = LearnerSpec(
            tuner=replace(algorithm, make_decoder=None),
            make_decoder=algorithm.make_decoder or DecoderCopies(decoder),
            plugins=plugins_of(decoder),
            first=self._first_weights(training.resumed),
            metric=self.metric,
            document=save(self.first_document),
            share=algorithm.share and algorithm.workers > 1,
            skips=decoder.on_error is not None,
        )
        executor = algorithm.executor or self._open.enter_context(in_threads(algorithm.workers))
        learners = []
        for number in range(algorithm.workers):
            every = algorithm.snapshot_every
            learner = RemoteLearner(number, executor, spec, corpus, snapshot_every=every)
            learners.append(self._open.enter_context(closing(learner)))
        checkpoint = training.hooks.checkpoint
        path = None if checkpoint is None else Path(f"{checkpoint}.schedule")
        self._file = ScheduleFile(path, self.turns, algorithm.replay)
        schedule = self._file.before(_schedule(algorithm, executor, learners))
        self.coordinator = Coordinator(learners, schedule, corpus, algorithm.EXAMPLE)
        if self.workers is not None:
            load(self.coordinator, self.workers, what=f"{len(learners)} workers")

    def _first_weights(self, resumed: bool) -> FirstWeights:
        """Return what workers begin with, now or in the run that this one goes on with."""
        if self.first is None:
            if resumed:
                raise InputError(
                    "expected the state of several workers, got a state without their initial weights"
                )
            self.first = FirstWeights.of(self.weights, self.known)
            self.first_document = copy.copy(self.progress.document)
        return self.first

    def one_pass(self, training: Training) -> tuple[PassRecord, Floats]:
        """Do a pass, or what is left of it."""
        record, learned = super().one_pass(training)
        if self.algorithm.select:
            self._go_on_from(learned)
        return record, learned

    def go_through(self, training: Training) -> None:
        """Learn from the corpus once, or from what is left of it."""
        if self.coordinator is None:
            super().go_through(training)
            return
        decoder, hooks, progress = training.decoder, training.hooks, self.progress
        number, every, before = len(self.records) + 1, self.algorithm.save_every, progress.position
        order = self.algorithm.order(number, len(training.corpus))
        for turn, deliveries in self.coordinator.go_through(number, order):
            records = self._count(turn, deliveries)
            for delivery in deliveries:
                if delivery.result.delta is not None:
                    decoder.merge(delivery.result.delta)
                if delivery.segment is not None and delivery.lost is not None:
                    _tell_of_death(decoder, delivery.segment, delivery.lost)
            if every and before // every < progress.position // every:
                hooks.save(self)
            hooks.bar.update(progress.position - before)
            before = progress.position
            for record in records:
                hooks.bar.note(self.note(record.pseudo_score))
                if hooks.on_update is not None:
                    hooks.on_update(record)
            hooks.sentence()
        load(progress.document, self.coordinator.learned()[0].document, what="a pseudo-document")

    def _count(self, turn: Turn | None, found: Sequence[Delivery]) -> list[UpdateRecord]:
        progress, records = self.progress, []
        if turn is not None and self._file is not None:
            self._file.add(turn)
        for delivery in found:
            delivery.result.add_to(progress)
            progress.position += delivery.segment is not None
            progress.skipped += delivery.lost is not None
            if delivery.result.record is not None:
                records.append(replace(delivery.result.record, update=progress.updates))
        return records

    def learned(self) -> Floats:
        """Return the mean of the workers' weights, of the selected features."""
        if self.coordinator is None:
            return super().learned()
        parts = self.coordinator.learned()
        mean = mean_weights(parts, self.weights.array.copy(), self.weights)
        if self.algorithm.select:
            mean[unselected(parts, self.weights, keep=self._kept, most=self.algorithm.select)] = 0.0
        return mean

    def _go_on_from(self, learned: Floats) -> None:
        """Let all workers begin the next pass with the same weights."""
        assert self.coordinator is not None
        # The decoder has the initial weights until the end of the run.
        changed = np.flatnonzero(learned != self.weights.array).astype(np.int32)
        self.coordinator.go_on_from(pack_weights(Named.of(self.weights, changed), learned[changed]))

    def go(self, *given: Any, **options: Any) -> None:
        """Do the passes that are left; warn if not all turns of another run were taken."""
        super().go(*given, **options)
        if self._file is not None:
            self._file.check_end()

    def close(self) -> None:
        """End the workers."""
        self._open.close()


def _schedule(algorithm: Any, executor: Executor, learners: Sequence[RemoteLearner]) -> Schedule:
    at_hand = isinstance(executor, (Serial, Threads))
    by_length = algorithm.schedule == "length" or (algorithm.schedule == "auto" and at_hand)
    sentences = algorithm.sentences_a_call or int(at_hand or by_length)
    return VirtualTime(sentences) if by_length else Arrival(learners, sentences)


def _tell_of_death(decoder: Translator, segment: Segment, error: InputError) -> None:
    """Tell of a sentence on which workers died, and which was skipped."""
    if decoder.on_error is None:
        warnings.warn(str(error), RuntimeWarning, stacklevel=3)
    else:
        decoder.on_error(segment, error)
