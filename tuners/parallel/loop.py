"""The loop of online training by several workers: their turns, and the mean of their weights."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
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
from ..online import OnlineRun
from .coordinator import Coordinator, mean_weights, unselected
from .decoder_copies import DecoderCopies
from .first_weights import FirstWeights
from .learner import LearnerSpec, plugins_of
from .messages import pack_weights
from .remote_learner import Delivery, RemoteLearner
from .schedule_file import ScheduleFile
from .schedules import Arrival, Schedule, Turn, VirtualTime


@dataclass(init=False, eq=False)
class ParallelLoop(OnlineRun):
    """Runs an online algorithm by several workers; the decoder has the initial weights until its end."""

    first: FirstWeights = part(FirstWeights)
    first_document: PseudoDocument = part()
    workers: State | None = kept()
    schedule: NDArray[np.int32] = array("i4", 2)

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.first, self._known = FirstWeights(), len(self.weights)
        self.first_document = copy.copy(self.progress.document)
        self.workers, self.turns = None, list[Turn]()
        self.learners: list[RemoteLearner] = []

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

    def saving(self) -> None:
        """Note how far the workers are."""
        if self.learners:
            self.workers = save(self._coordinator)
        self.schedule = np.array(self.turns, np.int32).reshape(-1, 2)

    def restored(self) -> None:
        """Set the decoder's weights to those that the workers begin with."""
        self.turns = [Turn(*turn) for turn in self.schedule.tolist()]
        self.first.install(self.weights)

    @contextmanager
    def prepared(self, training: Training) -> Iterator[None]:
        """Let the algorithm set what the workers begin with, and make them."""
        algorithm, decoder, corpus = self.algorithm, training.decoder, training.corpus
        algorithm.begin(training, self.progress.document, algorithm.init())
        if not training.resumed:
            self.first = FirstWeights.of(self.weights, self._known)
            self.first_document = copy.copy(self.progress.document)
        if algorithm.select:
            self._dense = decoder.weights.native.intern_all(decoder.model_features(corpus[0]))
        spec = LearnerSpec(
            tuner=replace(algorithm, make_decoder=None),
            make_decoder=algorithm.make_decoder or DecoderCopies(decoder),
            plugins=plugins_of(decoder),
            first=self.first,
            metric=self.metric,
            document=save(self.first_document),
            share=algorithm.share and algorithm.workers > 1,
            skips=decoder.on_error is not None,
        )
        with ExitStack() as stack:
            executor = algorithm.executor or stack.enter_context(in_threads(algorithm.workers))
            learners = []
            for number in range(algorithm.workers):
                every = algorithm.snapshot_every
                learner = RemoteLearner(number, executor, spec, corpus, snapshot_every=every)
                learners.append(stack.enter_context(closing(learner)))
            checkpoint = training.hooks.checkpoint
            path = None if checkpoint is None else Path(f"{checkpoint}.schedule")
            self._file = ScheduleFile(path, self.turns, algorithm.replay)
            schedule = self._file.before(_schedule(algorithm, executor, learners))
            self._coordinator = Coordinator(learners, schedule, corpus, algorithm.EXAMPLE)
            self.learners = learners
            if self.workers is not None:
                load(self._coordinator, self.workers, what=f"{len(learners)} workers")
            yield
            self._file.check_end()

    def one_pass(self, training: Training) -> tuple[PassRecord, Floats]:
        """Do a pass, or what is left of it."""
        self._go_through(training)
        record, learned = self.counted(len(training.corpus)), self.learned()
        if self.algorithm.select:
            # The decoder has the initial weights until the end of the run.
            changed = np.flatnonzero(learned != self.weights.array).astype(np.int32)
            self._coordinator.go_on_from(pack_weights(Named.of(self.weights, changed), learned[changed]))
        return record, learned

    def _go_through(self, training: Training) -> None:
        decoder, hooks, progress = training.decoder, training.hooks, self.progress
        number, every, before = len(self.records) + 1, self.algorithm.save_every, progress.position
        order = self.algorithm.order(number, len(training.corpus))
        for turn, deliveries in self._coordinator.go_through(number, order):
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
        load(progress.document, self._coordinator.learned()[0].document, what="a pseudo-document")

    def _count(self, turn: Turn | None, found: Sequence[Delivery]) -> list[UpdateRecord]:
        progress, records = self.progress, []
        if turn is not None:
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
        parts = self._coordinator.learned()
        mean = mean_weights(parts, self.weights.array.copy(), self.weights)
        if self.algorithm.select:
            mean[unselected(parts, self.weights, keep=self._dense, most=self.algorithm.select)] = 0.0
        return mean


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
