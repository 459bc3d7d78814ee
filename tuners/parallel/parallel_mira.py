"""MIRA by several workers that share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Segment, Translator, Weights
from hopefear.metrics import Metric, PseudoDocument
from hopefear.parallel import Executor, Named, Serial, Threads, in_threads

from ..contract import Hooks, PassRecord, State, UpdateRecord, load, save, setting
from ..online import Mira, OnlineRun, Progress
from .coordinator import Coordinator, mean_weights, unselected
from .decoder_copies import DecoderCopies
from .exchange import Exchange, Mailboxes
from .first_weights import FirstWeights
from .learner import LearnerSpec, _plain, _state, plugins_of
from .messages import pack_weights
from .remote_learner import Delivery, RemoteLearner
from .schedule_file import ScheduleFile
from .schedules import Arrival, Schedule, Turn, VirtualTime

Self = TypeVar("Self", bound="ParallelMira")


@dataclass(kw_only=True, eq=False, repr=False)
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
    select : int
        With a number, and ``share=false``, learning is over shards with ℓ1/ℓ2 regularisation by the selection
        of features (Simianer, Riezler & Dyer 2012, algorithm 4): after each pass, of the features of plugins
        so many remain whose weights have the largest ℓ2 norm over the workers, and all workers begin the next
        pass with the mean of their weights. With 0, all features remain, and each worker keeps its weights.
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
    C, k, hope_mu, fear_mu, effective_reference_length, oracle_pop_limit, oracle, metric
        See `Mira`. On a cluster each worker has an oracle and a metric of its own; in one process the workers
        share those that are given.
    passes, decay, seed, shuffle, average, patience, save_every
        See `OnlineTuner`; `save_every` counts sentences.

    Attributes
    ----------
    executor : Executor or None
        Where the workers are, and the development set is translated; None for threads of this process.
    schedule_ : list of Turn
        The order of the last `fit`: whose turn it was, and how many sentences it got.
    """

    CORPUS_SETTINGS: ClassVar[dict[str, Any]] = {
        name: x for name, x in Mira.CORPUS_SETTINGS.items() if name != "batch_size"
    }

    TEXT_SETTINGS: ClassVar[dict[str, Any]] = {
        name: x for name, x in Mira.TEXT_SETTINGS.items() if name != "batch_size"
    }

    on_cluster = True
    learns_in_parallel = True

    workers: int = setting(2, least=1)
    share: bool = True
    select: int = setting(0, least=0)
    exchange: Callable[[int], Exchange] | None = None
    make_decoder: Callable[[Weights], Translator] | None = None
    schedule: str = "auto"
    replay: str = ""
    sentences_a_call: int = setting(0, least=0)
    snapshot_every: int = setting(50, least=1)
    batch_size: int = field(default=1, init=False)

    _spec: LearnerSpec | None = field(default=None, init=False)
    _coordinator: Coordinator | None = field(default=None, init=False)
    _schedule_path: Path | None = field(default=None, init=False)
    _file: ScheduleFile | None = field(default=None, init=False)
    _dense: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32), init=False)
    _open: ExitStack = field(default_factory=ExitStack, init=False)

    def fit(self: Self, decoder: Translator, corpus: Sequence[Segment], **options: Any) -> Self:
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
        if self._coordinator is not None and self._spec is not None and self._run is not None:
            workers = self._coordinator.get_state()
            state["facts"]["workers"] = workers["facts"]
            state["facts"]["first_document"] = _plain(self._spec.document)
            state["arrays"].update(schedule=np.array(self.schedule_, np.int32), **workers["arrays"])
            self._spec.first.save(state["arrays"], self._run.weights)
        return state

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""
        return 0 if self._coordinator is None else sum(x.restarts for x in self._coordinator.learners)

    def _settings(self) -> dict[str, Any]:
        own = {name: repr(getattr(self, name)) for name in ("workers", "share", "select")}
        return {**super()._settings(), **own}

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.schedule not in ("auto", "length", "arrival"):
            raise ValueError(f"schedule must be 'auto', 'length' or 'arrival', got {self.schedule!r}")
        if self.select and self.share:
            raise ValueError("select is for share=false: workers that share all they find are much alike")

    def _start(self, corpus: Sequence[Segment]) -> None:
        super()._start(corpus)
        self._coordinator = None  # outside `fit` there is but one worker

    def _prepare(
        self,
        run: OnlineRun,
        decoder: Translator,
        corpus: Sequence[Segment],
        saved: State | None,
        executor: Executor,
        hooks: Hooks,
    ) -> None:
        known = len(decoder.weights)  # later features get their numbers wherever sentences are translated
        super()._prepare(run, decoder, corpus, saved, executor, hooks)
        begun = saved is not None and "workers" in saved["facts"]
        # There is no other worker if the only one may as well be here.
        if self.workers > 1 or self.executor is not None or begun or self.select:
            if saved is None:
                first = FirstWeights.of(decoder.weights, known)
                document = save(run.progress.document)
            else:
                first = FirstWeights.load(saved["arrays"])
                empty = save(PseudoDocument(run.metric, self.decay))
                document = saved["facts"].get("first_document")
                document = empty if document is None else _state(document)
            self._make_workers(decoder, corpus, run.metric, first, document, saved)

    def _make_workers(
        self,
        decoder: Translator,
        corpus: Sequence[Segment],
        metric: Metric,
        first: FirstWeights,
        document: State,
        restored: State | None,
    ) -> None:
        arrays = None if restored is None else restored["arrays"]
        if self.select:
            self._dense = decoder.weights.native.intern_all(decoder.model_features(corpus[0]))
        spec = self._spec = LearnerSpec(
            make_decoder=self.make_decoder or DecoderCopies(decoder),
            plugins=plugins_of(decoder),
            first=first,
            oracle=self._make_oracle(),
            metric=metric,
            C=self.C,
            rate=self.rate,
            document=document,
            hopes=self.document == "hope",
            decay=self.decay,
            average=self.average,
            share=self.share and self.workers > 1,
            skips=decoder.on_error is not None,
        )
        executor = self.executor or self._open.enter_context(in_threads(self.workers))
        make = partial(RemoteLearner, executor=executor, spec=spec, corpus=corpus)
        begun = (make(number, snapshot_every=self.snapshot_every) for number in range(self.workers))
        learners = [self._open.enter_context(closing(learner)) for learner in begun]
        self.schedule_ = [] if arrays is None else _saved_schedule(arrays)
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

    def _one_pass(
        self,
        run: OnlineRun,
        decoder: Translator,
        corpus: Sequence[Segment],
        executor: Executor,
        hooks: Hooks,
    ) -> tuple[PassRecord, NDArray[np.float64]]:
        record, learned = super()._one_pass(run, decoder, corpus, executor, hooks)
        if self.select and self._coordinator is not None:
            # The decoder has the initial weights until the end of the run.
            changed = np.flatnonzero(learned != run.weights.array).astype(np.int32)
            self._coordinator.go_on_from(pack_weights(Named.of(run.weights, changed), learned[changed]))
        return record, learned

    def _go_through(
        self, run: OnlineRun, decoder: Translator, corpus: Sequence[Segment], hooks: Hooks
    ) -> None:
        """Learn from the corpus once, or from what is left of it."""
        if self._coordinator is None:
            return super()._go_through(run, decoder, corpus, hooks)
        progress, number, every = run.progress, len(run.records) + 1, self.save_every
        for turn, deliveries in self._coordinator.go_through(number, self._order(number, len(corpus))):
            before = progress.position
            records = self._count(turn, deliveries, progress)
            for delivery in deliveries:
                if delivery.result.delta is not None:
                    decoder.merge(delivery.result.delta)
                if delivery.segment is not None and delivery.lost is not None:
                    _tell_of_death(decoder, delivery.segment, delivery.lost)
            if every and before // every < progress.position // every:
                hooks.save(self)
            hooks.bar.update(progress.position - before)
            for record in records:
                hooks.bar.note(run.note(record.pseudo_score))
                if hooks.on_update is not None:
                    hooks.on_update(record)
            hooks.sentence()
        load(progress.document, self._coordinator.learned()[0].document, what="a pseudo-document")

    def _count(self, turn: Turn | None, found: Sequence[Delivery], progress: Progress) -> list[UpdateRecord]:
        """Count all that a worker has done, so that the state can be saved, and give what it learned."""
        if turn is not None and self._file is not None:
            self._file.add(turn)
        records = []
        for delivery in found:
            delivery.result.add_to(progress)
            progress.position += delivery.segment is not None
            progress.skipped += delivery.lost is not None
            if delivery.result.record is not None:
                records.append(replace(delivery.result.record, update=progress.updates))
        return records

    def _learned(self, progress: Progress, weights: Weights) -> NDArray[np.float64]:
        """Average over the workers."""
        if self._coordinator is None:
            return super()._learned(progress, weights)
        parts = self._coordinator.learned()
        mean = mean_weights(parts, weights.array.copy(), weights)
        if self.select:
            mean[unselected(parts, weights, keep=self._dense, most=self.select)] = 0.0
        return mean


def _tell_of_death(decoder: Translator, segment: Segment, error: InputError) -> None:
    """Tell of a sentence on which workers died, and which was skipped."""
    if decoder.on_error is None:
        warnings.warn(str(error), RuntimeWarning, stacklevel=3)
    else:
        decoder.on_error(segment, error)


def _saved_schedule(arrays: dict[str, NDArray[Any]]) -> list[Turn]:
    """Read the schedule of a state.

    Raises
    ------
    InputError
        The state has none, or one of another kind.
    """
    try:
        return [Turn(*turn) for turn in arrays["schedule"].tolist()]
    except (KeyError, TypeError) as error:
        raise InputError(f"expected the schedule of a state; missing or wrong: {error}") from None
