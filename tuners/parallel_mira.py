"""MIRA by several workers that share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import CdecProcess, Decoder, FamilyReport, InputError, Segment, Weights
from hopefear.decoder.executor import Executor, Serial, Threads, in_threads
from hopefear.metrics import Metric

from .base import OnUpdate, State, write_checkpoint
from .coordinator import Coordinator, mean_weights
from .decoder_copies import DecoderCopies
from .exchange import Exchange, Mailboxes
from .first_weights import FirstWeights
from .learner import Course, most_fired, plugins_of
from .mira import Mira
from .progress import Progress
from .remote_learner import Delivery, RemoteLearner
from .schedule_file import ScheduleFile, read_schedule
from .schedules import Arrival, Replay, Schedule, VirtualTime
from .search_space import Oracle
from .settings import check_at_least

Self = TypeVar("Self", bound="ParallelMira")


class ParallelMira(Mira):
    """MIRA by n workers, each with its own weights, decoder and pseudo-document.

    A worker learns from the sentence it has translated last, and from what has been sent to it meanwhile, as
    one batch; it then translates another sentence, and sends the hypotheses with their losses to all others.
    After each pass all take in what still waits. What is learned is the mean of all workers' weights.

    What is learned depends on the order in which the workers are done with their sentences, and on nothing
    else: given that, it is the same to the bit in threads, in one thread and on a cluster, also where workers
    die and are made again. A run notes the order, beside its checkpoint too, and another run can keep to it.

    Parameters
    ----------
    workers : int
        n. With one it is `Mira`.
    share : bool
        Whether anything is sent; else the processors are independent (line 5 of the paper's table 2).
    exchange : callable, optional
        Makes what carries the messages, an `Exchange`, for a number of workers; `Mailboxes` if not given.
    make_decoder : callable, optional
        Makes a worker's decoder with the weights it is called with; without it the workers' decoders have the
        configuration of the first, and copies of its plugins.
    schedule : {"auto", "length", "arrival"}
        Who counts as done first: as if a sentence took as many units of time as it has tokens, so that runs
        repeat; or who is done first, so that nobody waits. "auto" is "arrival" on a cluster, else "length".
    replay : str
        A file with the order of another run: the number of a worker on each line.
    snapshot_every : int
        Sentences between two snapshots of a worker. What it did since the last one is done again if it dies.
    C, passes, k, hope_mu, fear_mu, decay, effective_reference_length, seed, shuffle, oracle_pop_limit, \
average, patience, save_every, oracle, metric
        See `Mira`; `save_every` counts sentences. Each worker has an oracle and a metric of its own on a
        cluster; in one process they share those that are given.

    Attributes
    ----------
    schedule_ : list of int
        The order of the last `fit`: a worker's number for each sentence.
    """

    CORPUS_SETTINGS = {name: x for name, x in Mira.CORPUS_SETTINGS.items() if name != "batch_size"}  # noqa: RUF012

    executor: Executor | None = None
    """Where the workers are, and the development set is translated; threads of this process if not given."""

    on_error: Callable[[Segment, InputError], None] | None = None
    """Told of a sentence that cannot be translated, which is left out then; else what is wrong is raised."""

    on_lost: Callable[[Segment, InputError], None] | None = None
    """Told of a sentence that workers died of, which is left out; a warning if not given."""

    def __init__(
        self,
        *,
        workers: int = 2,
        share: bool = True,
        exchange: Callable[[int], Exchange] | None = None,
        make_decoder: Callable[[Weights], Decoder] | None = None,
        schedule: str = "auto",
        replay: str = "",
        snapshot_every: int = 50,
        C: float = 0.01,
        passes: int = 8,
        k: int = 10,
        hope_mu: float = 0.5,
        fear_mu: float = math.inf,
        decay: float = 0.9,
        effective_reference_length: Any = "shortest",
        seed: int = 0,
        shuffle: bool = True,
        oracle_pop_limit: int = 0,
        average: str = "last",
        patience: int = 2,
        save_every: int = 500,
        oracle: Oracle | None = None,
        metric: Metric | None = None,
    ) -> None:
        super().__init__(
            C=C,
            passes=passes,
            k=k,
            hope_mu=hope_mu,
            fear_mu=fear_mu,
            decay=decay,
            effective_reference_length=effective_reference_length,
            seed=seed,
            shuffle=shuffle,
            oracle_pop_limit=oracle_pop_limit,
            average=average,
            patience=patience,
            save_every=save_every,
            oracle=oracle,
            metric=metric,
        )
        self.workers = workers
        self.share = share
        self.exchange = exchange
        self.make_decoder = make_decoder
        self.schedule = schedule
        self.replay = replay
        self.snapshot_every = snapshot_every
        self._course: Course | None = None
        self._coordinator: Coordinator | None = None
        self._checkpoint: Path | None = None
        self._file: ScheduleFile | None = None
        self._open = ExitStack()

    def fit(self: Self, decoder: Decoder | CdecProcess, corpus: Sequence[Segment], **options: Any) -> Self:
        """Tune the decoder's weights on a corpus, as `Mira.fit` does and with the same options.

        With a checkpoint, the order of the workers is written to a file beside it, named so with
        ``.schedule`` behind.

        Raises
        ------
        WorkerDied
            A worker could not be kept alive.
        """
        checkpoint = options.get("checkpoint")
        self._checkpoint = None if checkpoint is None else Path(checkpoint)
        with self._open:
            return super().fit(decoder, corpus, **options)

    def get_state(self) -> State:
        """Give what `set_state` restores, the workers' state with it.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        state = super().get_state()
        if self._coordinator is None or self._course is None or self._weights is None:
            return state
        workers = self._coordinator.get_state()
        state["facts"]["workers"] = workers["facts"]
        state["arrays"].update(schedule=np.array(self.schedule_, np.int32), **workers["arrays"])
        self._course.first.save(state["arrays"], self._weights)
        return state

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""
        return 0 if self._coordinator is None else sum(x.restarts for x in self._coordinator.learners)

    def feature_report(self) -> list[FamilyReport]:
        """Say of each plugin how many features it fired, in the worker in which these were most.

        Nothing where there is but one worker, which is the decoder itself.
        """
        return [] if self._coordinator is None else most_fired(self._coordinator.learned())

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "workers": repr(self.workers), "share": repr(self.share)}

    def _check_settings(self) -> None:
        super()._check_settings()
        check_at_least(self, workers=1, snapshot_every=1)
        if self.schedule not in ("auto", "length", "arrival"):
            raise ValueError(f"schedule must be 'auto', 'length' or 'arrival', got {self.schedule!r}")

    def _begin(self, decoder: Decoder, corpus: Sequence[Segment] = ()) -> Progress:
        if self._progress is not None:
            return super()._begin(decoder, corpus)
        restored, self._coordinator = self._restored, None
        state = super()._begin(decoder, corpus)
        # Outside `fit` there is but one worker; nor is there another if the only one can as well be here.
        if corpus and (self.workers > 1 or self.executor is not None):
            self._make_workers(decoder, corpus, state.document.metric, restored)
        return state

    def _make_workers(
        self, decoder: Decoder, corpus: Sequence[Segment], metric: Metric, restored: State | None
    ) -> None:
        arrays = None if restored is None else restored["arrays"]
        course = self._course = Course(
            make_decoder=self.make_decoder or DecoderCopies(decoder),
            plugins=plugins_of(decoder),
            first=FirstWeights.of(decoder.weights) if arrays is None else FirstWeights.load(arrays),
            oracle=self._make_oracle(),
            metric=metric,
            C=self.C,
            decay=self.decay,
            average=self.average,
            share=self.share and self.workers > 1,
            tolerant=self.on_error is not None,
        )
        executor = self.executor or self._open.enter_context(in_threads(self.workers))
        make = partial(RemoteLearner, snapshot_every=self.snapshot_every)
        numbers = range(self.workers)
        learners = [self._open.enter_context(closing(make(i, executor, course, corpus))) for i in numbers]
        self.schedule_ = [] if arrays is None else arrays["schedule"].tolist()
        exchange = (self.exchange or Mailboxes)(self.workers)
        self._coordinator = Coordinator(learners, exchange, self._make_schedule(executor, learners), corpus)
        if restored is not None:
            self._coordinator.set_state({"facts": restored["facts"]["workers"], "arrays": arrays})

    def _make_schedule(self, executor: Executor, learners: Sequence[RemoteLearner]) -> Schedule:
        """Make the schedule, behind what a stopped run has noted of it since its checkpoint."""
        done, self._file = len(self.schedule_), None
        at_hand = isinstance(executor, (Serial, Threads))
        by_length = self.schedule == "length" or (self.schedule == "auto" and at_hand)
        schedule: Schedule = VirtualTime() if by_length else Arrival(learners)
        if self.replay:
            schedule = Replay(read_schedule(self.replay)[done:], None, self.replay, done)
        if self._checkpoint is not None:
            path = self._checkpoint.with_name(f"{self._checkpoint.name}.schedule")
            self._file = self._open.enter_context(closing(ScheduleFile(path, self.schedule_)))
            if self._file.ahead and not self.replay:
                schedule = Replay(self._file.ahead, schedule, path, done)
        return schedule

    def _pass(
        self,
        state: Progress,
        decoder: Decoder,
        corpus: Sequence[Segment],
        checkpoint: Path | None,
        advance: Callable[[], Any],
        on_update: OnUpdate | None,
    ) -> None:
        """Go through the corpus once, or through what is left of it."""
        if self._coordinator is None:
            return super()._pass(state, decoder, corpus, checkpoint, advance, on_update)
        number = len(state.passes) + 1
        for delivery in self._coordinator.go_through(number, self._order(number, len(corpus))):
            self._take(delivery, state)
            if delivery.segment is not None:
                advance()
                if checkpoint is not None and self.save_every and state.position % self.save_every == 0:
                    write_checkpoint(checkpoint, self.get_state())
            if on_update is not None and delivery.found.record is not None:
                on_update(replace(delivery.found.record, update=state.updates))
        state.document.set_state(self._coordinator.learned()[0].document)
        state.check_learnable(len(corpus))

    def _take(self, delivery: Delivery, state: Progress) -> None:
        """Count what a worker has done."""
        found, segment = delivery.found, delivery.segment
        found.add_to(state)
        if segment is None:
            return
        state.position += 1
        state.skipped += delivery.lost is not None
        self.schedule_.append(delivery.worker)
        if self._file is not None:
            self._file.add(delivery.worker)
        if found.error is not None and self.on_error is not None:
            self.on_error(segment, found.error)
        if delivery.lost is not None:
            if self.on_lost is None:
                warnings.warn(str(delivery.lost), RuntimeWarning, stacklevel=2)
            else:
                self.on_lost(segment, delivery.lost)

    def _learned(self, state: Progress, weights: Weights) -> NDArray[np.float64]:
        """Average over the workers."""
        if self._coordinator is None:
            return super()._learned(state, weights)
        return mean_weights(self._coordinator.learned(), weights.array.copy(), weights)
