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

from hopefear.base import InputError
from hopefear.cdec import CdecProcess
from hopefear.decoder import Decoder, Segment, Weights
from hopefear.metrics import Metric
from hopefear.parallel import Executor, Serial, Threads, in_threads

from ..contract import OnUpdate, State, UpdateRecord, check_at_least, write_checkpoint
from ..online import Mira, Progress
from ..oracles import Oracle
from .coordinator import Coordinator, mean_weights
from .decoder_copies import DecoderCopies
from .exchange import Exchange, Mailboxes
from .first_weights import FirstWeights
from .learner import LearnerSpec, plugins_of
from .remote_learner import Delivery, RemoteLearner
from .schedule_file import ScheduleFile
from .schedules import Arrival, Schedule, Turn, VirtualTime

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
        A file with the order of another run.
    sentences_a_call : int
        Sentences that a worker gets at a time: it learns from each before the next, but hears of others, and
        they of it, only between. With 0, one; by "arrival" on a cluster, 0.04 seconds' worth, at most 8 / n.
    snapshot_every : int
        Sentences between two snapshots of a worker. What it did since the last one is done again if it dies.
    C, passes, k, hope_mu, fear_mu, decay, effective_reference_length, seed, shuffle, oracle_pop_limit, \
average, patience, save_every, oracle, metric
        See `Mira`; `save_every` counts sentences. Each worker has an oracle and a metric of its own on a
        cluster; in one process they share those that are given.

    Attributes
    ----------
    schedule_ : list of Turn
        The order of the last `fit`: whose turn it was, and how many sentences it got.
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
        sentences_a_call: int = 0,
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
        self.sentences_a_call = sentences_a_call
        self.snapshot_every = snapshot_every
        self._spec: LearnerSpec | None = None
        self._coordinator: Coordinator | None = None
        self._schedule_path: Path | None = None
        self._file: ScheduleFile | None = None
        self._open = ExitStack()

    def fit(self: Self, decoder: Decoder | CdecProcess, corpus: Sequence[Segment], **options: Any) -> Self:
        """Tune the decoder's weights on a corpus, as `Mira.fit` does and with the same options.

        With a checkpoint, the order is written to a file beside it, named so with ``.schedule`` behind.

        Raises
        ------
        WorkerDied
            A worker could not be kept alive.
        """
        checkpoint = options.get("checkpoint")
        self._schedule_path = None if checkpoint is None else Path(f"{checkpoint}.schedule")
        with self._open:
            fitted = super().fit(decoder, corpus, **options)
            if self._file is not None:
                self._file.check_end()
            return fitted

    def get_state(self) -> State:
        """Give what `set_state` restores, the workers' state with it.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        state = super().get_state()
        if self._coordinator is not None and self._spec is not None and self._weights is not None:
            workers = self._coordinator.get_state()
            state["facts"]["workers"] = workers["facts"]
            state["arrays"].update(schedule=np.array(self.schedule_, np.int32), **workers["arrays"])
            self._spec.first.save(state["arrays"], self._weights)
        return state

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""
        return 0 if self._coordinator is None else sum(x.restarts for x in self._coordinator.learners)

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "workers": repr(self.workers), "share": repr(self.share)}

    def _check_settings(self) -> None:
        super()._check_settings()
        check_at_least(self, workers=1, snapshot_every=1, sentences_a_call=0)
        if self.schedule not in ("auto", "length", "arrival"):
            raise ValueError(f"schedule must be 'auto', 'length' or 'arrival', got {self.schedule!r}")

    def _begin(self, decoder: Decoder, corpus: Sequence[Segment] = ()) -> Progress:
        if self._progress is not None:
            return super()._begin(decoder, corpus)
        restored, self._coordinator = self._restored, None
        state = super()._begin(decoder, corpus)
        begun = restored is not None and "workers" in restored["facts"]
        # Outside `fit` there is but one worker; nor is there another if the only one may as well be here.
        if corpus and (self.workers > 1 or self.executor is not None or begun):
            self._make_workers(decoder, corpus, state.document.metric, restored)
        return state

    def _make_workers(
        self, decoder: Decoder, corpus: Sequence[Segment], metric: Metric, restored: State | None
    ) -> None:
        arrays = None if restored is None else restored["arrays"]
        spec = self._spec = LearnerSpec(
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
        make = partial(RemoteLearner, executor=executor, spec=spec, corpus=corpus)
        begun = (make(number, snapshot_every=self.snapshot_every) for number in range(self.workers))
        learners = [self._open.enter_context(closing(learner)) for learner in begun]
        self.schedule_ = [] if arrays is None else [Turn(*turn) for turn in arrays["schedule"].tolist()]
        exchange = (self.exchange or Mailboxes)(self.workers)
        self._coordinator = Coordinator(learners, exchange, self._make_schedule(executor, learners), corpus)
        if restored is not None:
            self._coordinator.set_state({"facts": restored["facts"]["workers"], "arrays": arrays})

    def _make_schedule(self, executor: Executor, learners: Sequence[RemoteLearner]) -> Schedule:
        at_hand = isinstance(executor, (Serial, Threads))
        by_length = self.schedule == "length" or (self.schedule == "auto" and at_hand)
        sentences = self.sentences_a_call or int(at_hand or by_length)
        schedule: Schedule = VirtualTime(sentences) if by_length else Arrival(learners, sentences)
        self._file = ScheduleFile(self._schedule_path, self.schedule_, self.replay)
        return self._file.before(schedule)

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
        number, every = len(state.passes) + 1, self.save_every
        for turn, deliveries in self._coordinator.go_through(number, self._order(number, len(corpus))):
            before = state.position
            records = self._count(turn, deliveries, state)
            for delivery in deliveries:
                self._tell(delivery)
                if delivery.result.fired is not None:
                    decoder.merge(delivery.result.fired)
            if checkpoint is not None and every and before // every < state.position // every:
                write_checkpoint(checkpoint, self.get_state())
            for _ in range(state.position - before):
                advance()
            for record in records:
                if on_update is not None:
                    on_update(record)
        state.document.set_state(self._coordinator.learned()[0].document)
        state.check_learnable(len(corpus))

    def _count(self, turn: Turn | None, found: Sequence[Delivery], state: Progress) -> list[UpdateRecord]:
        """Count all that a worker has done, so that the state can be saved, and give what it learned."""
        if turn is not None and self._file is not None:
            self._file.add(turn)
        records = []
        for delivery in found:
            delivery.result.add_to(state)
            state.position += delivery.segment is not None
            state.skipped += delivery.lost is not None
            if delivery.result.record is not None:
                records.append(replace(delivery.result.record, update=state.updates))
        return records

    def _tell(self, delivery: Delivery) -> None:
        """Tell of a sentence that was left out."""
        segment, error, lost = delivery.segment, delivery.result.error, delivery.lost
        if segment is not None and error is not None and self.on_error is not None:
            self.on_error(segment, error)
        if segment is not None and lost is not None and self.on_lost is not None:
            self.on_lost(segment, lost)
        elif lost is not None:
            warnings.warn(str(lost), RuntimeWarning, stacklevel=2)

    def _learned(self, state: Progress, weights: Weights) -> NDArray[np.float64]:
        """Average over the workers."""
        if self._coordinator is None:
            return super()._learned(state, weights)
        return mean_weights(self._coordinator.learned(), weights.array.copy(), weights)
