"""Online training by workers that share what they find (Chiang, Marton & Resnik 2008, section 2.5)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.state import save
from hopefear.decoder import Segment, Translator, Weights
from hopefear.metrics import PseudoDocument
from hopefear.parallel import Executor, Serial, Threads, in_threads

from ..contract import Hooks, PassRecord, State, setting
from ..online import OnlineRun, OnlineTuner
from .coordinator import Coordinator
from .decoder_copies import DecoderCopies
from .exchange import Exchange, Mailboxes
from .learner import LearnerSpec, plugins_of
from .remote_learner import RemoteLearner
from .run import ParallelRun
from .schedule_file import ScheduleFile
from .schedules import Arrival, Schedule, Turn, VirtualTime

Self = TypeVar("Self", bound="Parallel")


@dataclass(kw_only=True, eq=False, repr=False)
class Parallel(OnlineTuner):
    """Learning by n workers, each with its own weights, decoder and pseudo-document.

    A tuner learns so if its class is the first base and this one the second, as in `ParallelMira`. What its
    `example` returns is sent to other workers: it names the class of that as `EXAMPLE`.

    A worker learns from the sentence it has translated last, and from what has been sent to it meanwhile, as
    one batch; it then translates another sentence, and sends what there is to learn from it to all others.
    After each pass all take in what still waits. What is learned is the mean of all workers' weights.

    What is learned depends on the order in which the workers are done with their sentences, and on nothing
    else: given that, it is the same to the bit in threads, in one thread and on a cluster, also where workers
    die and are made again. A run notes the order, beside its checkpoint too, and another run can keep to it.

    Parameters
    ----------
    workers : int
        n. With one, what is learned is what the tuner alone learns, one sentence a batch.
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
    batch_size : int
        Not to be set: a batch is what has come since the last one.

    Attributes
    ----------
    executor : Executor or None
        Where the workers are, and the development set is translated; None for threads of this process.
    schedule_ : list of Turn
        The order of the last `fit`: whose turn it was, and how many sentences it got.
    """

    on_cluster = True
    learns_in_parallel = True

    workers: int = setting(2, least=1)
    share: bool = True
    select: int = setting(0, least=0)
    exchange: Callable[[int], Exchange] | None = setting(None, shared=False)
    make_decoder: Callable[[Weights], Translator] | None = setting(None, shared=False)
    schedule: str = setting("auto", choices=("auto", "length", "arrival"), shared=False)
    replay: str = setting("", shared=False)
    sentences_a_call: int = setting(0, least=0, shared=False)
    snapshot_every: int = setting(50, least=1, shared=False)
    batch_size: int = field(default=1, init=False)

    _schedule_path: Path | None = field(default=None, init=False)
    _open: ExitStack = field(default_factory=ExitStack, init=False)

    def fit(self: Self, decoder: Translator, corpus: Sequence[Segment], **options: Any) -> Self:
        """Tune the decoder's weights on a corpus, as `OnlineTuner.fit` does and with the same options.

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
            self._parallel_run.check_end()
            return fitted

    @property
    def schedule_(self) -> list[Turn]:
        """The order of the last `fit`: whose turn it was, and how many sentences it got."""
        return self._parallel_run.turns

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""
        workers = None if self._run is None else self._parallel_run.coordinator
        return 0 if workers is None else sum(learner.restarts for learner in workers.learners)

    @property
    def _parallel_run(self) -> ParallelRun:
        if not isinstance(self._run, ParallelRun):
            raise AttributeError("expected a tuner that has begun to learn")
        return self._run

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.EXAMPLE is None:
            raise ValueError(f"{type(self).__name__} must name the class of its examples as EXAMPLE")
        if self.starts > 1:
            raise ValueError(
                f"starts must be 1, since the workers begin with orders of their own, got {self.starts}"
            )
        if self.select and self.share:
            raise ValueError("select is for share=false: workers that share all they find are much alike")

    def _new_run(
        self, decoder: Translator, document: PseudoDocument, settings: dict[str, str], *, keep_rows: bool
    ) -> OnlineRun:
        weights = decoder.weights
        return ParallelRun(self, weights, document, settings, keep_rows=keep_rows, select=self.select)

    def _prepare(
        self,
        run: OnlineRun,
        decoder: Translator,
        corpus: Sequence[Segment],
        saved: State | None,
        executor: Executor,
        hooks: Hooks,
    ) -> None:
        super()._prepare(run, decoder, corpus, saved, executor, hooks)
        assert isinstance(run, ParallelRun)
        # There is no other worker if the only one may as well be here.
        needed = self.executor is not None or run.workers is not None or self.select or self.replay
        if self.workers > 1 or needed:
            self._make_workers(run, decoder, corpus, saved is not None)

    def _make_workers(
        self, run: ParallelRun, decoder: Translator, corpus: Sequence[Segment], resumed: bool
    ) -> None:
        assert self.EXAMPLE is not None
        keep = np.zeros(0, np.int32)
        if self.select:
            keep = decoder.weights.native.intern_all(decoder.model_features(corpus[0]))
        spec = LearnerSpec(
            tuner=replace(self, exchange=None, make_decoder=None),
            make_decoder=self.make_decoder or DecoderCopies(decoder),
            plugins=plugins_of(decoder),
            first=run.begin(resumed),
            metric=run.metric,
            document=save(run.first_document),
            share=self.share and self.workers > 1,
            skips=decoder.on_error is not None,
        )
        executor = self.executor or self._open.enter_context(in_threads(self.workers))
        make = partial(RemoteLearner, executor=executor, spec=spec, corpus=corpus)
        begun = (make(number, snapshot_every=self.snapshot_every) for number in range(self.workers))
        learners = [self._open.enter_context(closing(learner)) for learner in begun]
        file = ScheduleFile(self._schedule_path, run.turns, self.replay)
        schedule = file.before(self._make_schedule(executor, learners))
        exchange = (self.exchange or Mailboxes)(self.workers)
        run.work(Coordinator(learners, exchange, schedule, corpus, self.EXAMPLE), file, keep)

    def _make_schedule(self, executor: Executor, learners: Sequence[RemoteLearner]) -> Schedule:
        at_hand = isinstance(executor, (Serial, Threads))
        by_length = self.schedule == "length" or (self.schedule == "auto" and at_hand)
        sentences = self.sentences_a_call or int(at_hand or by_length)
        return VirtualTime(sentences) if by_length else Arrival(learners, sentences)

    def _one_pass(
        self,
        run: OnlineRun,
        decoder: Translator,
        corpus: Sequence[Segment],
        executor: Executor,
        hooks: Hooks,
    ) -> tuple[PassRecord, NDArray[np.float64]]:
        record, learned = super()._one_pass(run, decoder, corpus, executor, hooks)
        if self.select and isinstance(run, ParallelRun):
            run.go_on_from(learned)
        return record, learned

    def _go_through(
        self, run: OnlineRun, decoder: Translator, corpus: Sequence[Segment], hooks: Hooks
    ) -> None:
        """Learn from the corpus once, or from what is left of it."""
        if not isinstance(run, ParallelRun) or run.coordinator is None:
            return super()._go_through(run, decoder, corpus, hooks)
        progress, number, every = run.progress, len(run.records) + 1, self.save_every
        before = progress.position
        for records, deliveries in run.go_through(number, self._order(number, len(corpus))):
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
                hooks.bar.note(run.note(record.pseudo_score))
                if hooks.on_update is not None:
                    hooks.on_update(record)
            hooks.sentence()


def _tell_of_death(decoder: Translator, segment: Segment, error: InputError) -> None:
    """Tell of a sentence on which workers died, and which was skipped."""
    if decoder.on_error is None:
        warnings.warn(str(error), RuntimeWarning, stacklevel=3)
    else:
        decoder.on_error(segment, error)
