"""Batch training: the corpus is translated, its k-best lists are pooled, weights are fitted to the pool."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.base.progress import ProgressBar
from hopefear.decoder import Segment, Translation, Translator
from hopefear.metrics import Metric

from ..contract import (
    Can,
    Hooks,
    PassTuner,
    Record,
    Run,
    Scored,
    Training,
    TuningError,
    array,
    authors_code,
    check_weights,
    fact,
    measuring,
    part,
    setting,
    shared_settings,
)
from ..pool import Candidates, Gathered, KBestTask, Pool, Translate, gather

P = TypeVar("P", bound=Pool[Any])
Self = TypeVar("Self", bound="BatchTuner")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRecord(Record):
    """One pass of a batch tuner: translate, pool, optimise; see `Record`.

    Its `score` is that of translations with the weights that the pass began with.

    Attributes
    ----------
    pool_score : float
        Of the pool's best candidates by the weights that it ended with.
    candidates, new : int
        In the pool, and how many of them this pass brought.
    change : float
        Euclidean length of the change of the weights.
    """

    pool_score: float
    candidates: int
    new: int
    change: float

    @property
    def _own_score(self) -> float:
        return self.pool_score

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return self.with_development(f"pool {self.metric} {self.pool_score:.2f}")


@dataclass(init=False, eq=False)
class PoolLoop(Run[BatchRecord], Generic[P]):
    """Runs a batch algorithm on a pool, and stands after its last complete pass."""

    records: list[BatchRecord] = fact([])
    after: Floats = array(by_feature=True, copied=False)
    converged: bool = fact(False)

    def __init__(self, algorithm: BatchTuner, pool: P, settings: dict[str, str]) -> None:
        super().__init__(pool.weights, pool.metric, settings)
        self.algorithm, self.pool = algorithm, pool
        self.after, self.converged = pool.weights.array.copy(), False

    def learned(self) -> Floats:
        """Return the weights after the last pass, by feature number."""
        return self.after

    def full(self, weights: Floats) -> Floats:
        """Return the weights of all features of the decoder."""
        return weights

    def seconds(self) -> float:
        """Return the processor time so far."""
        return time.process_time()

    def learn(self, gathered: Callable[[], Gathered], *, grows: bool = True) -> tuple[BatchRecord, Floats]:
        """Gather candidates, unless the pool stays as it is, and fit the weights to the pool."""
        pool, algorithm, number = self.pool, self.algorithm, len(self.records) + 1
        clock = self.seconds()
        found = gathered()
        before = pool.weights.array.copy()
        after = before
        if found.new or not grows or not algorithm.STOPS_WITHOUT_NEW:
            pool.check()
            rng = np.random.default_rng([algorithm.seed, number])
            with authors_code(algorithm, f"pass {number}"):
                after = algorithm.optimize(pool, before.copy(), rng)
            self._check_learned(self.full(after), number)
        seconds = self.seconds() - clock + found.elsewhere
        pool.weights.replace(after)
        training = Scored.of(found.rows, pool.metric)
        record = BatchRecord(
            pass_number=number,
            metric=pool.metric.name,
            score=training.score,
            pool_score=pool.corpus_score(after),
            candidates=len(pool),
            new=found.new,
            change=float(np.linalg.norm(self.full(after) - self.full(before))),
            skipped=found.skipped,
            seconds=seconds,
            score_interval=training.interval,
        )
        return record, after

    def _check_learned(self, weights: Floats, number: int) -> None:
        if not np.all(np.isfinite(weights)):
            raise TuningError(
                f"the weights are no longer finite after pass {number}: {self.algorithm.REMEDY}"
            )
        if not weights.any():
            raise TuningError(
                f"all weights are zero after pass {number}: no feature separates better from worse "
                f"candidates; start from other weights, or {self.algorithm.REMEDY}"
            )

    def is_over(self) -> bool:
        """Whether the last pass brought nothing new."""
        return self.converged

    def finish(self, record: BatchRecord, learned: Floats, development: Scored | None) -> None:
        """Record a pass, and choose its weights if they do best so far."""
        super().finish(record, learned, development)
        self.after = learned
        self.converged = record.change <= self.algorithm.tolerance * float(np.linalg.norm(self.full(learned)))


@dataclass(init=False, eq=False)
class BatchLoop(PoolLoop[Candidates]):
    """Runs a batch algorithm on a corpus; its state has the candidates."""

    KIND = "a batch tuner"

    pool: Candidates = part()

    def restored(self) -> None:
        """Set the decoder's weights to those of then."""
        self.weights.replace(self.after)

    def one_pass(self, training: Training) -> tuple[BatchRecord, Floats]:
        """Translate the corpus, pool the lists, and fit the weights."""
        decoder, corpus, hooks = training.decoder, training.corpus, training.hooks
        task = KBestTask(self.algorithm._translator(decoder), decoder, self.algorithm.k)
        with measuring(*corpus):
            return self.learn(
                lambda: gather(self.pool, task, corpus, training.executor, on_sentence=hooks.count)
            )


@dataclass(kw_only=True, eq=False, repr=False)
class BatchTuner(PassTuner[PoolLoop[Any], BatchRecord]):
    """What batch tuners share: passes of decoding, pooling and optimising; choice, records, checkpoints.

    An algorithm is a dataclass with the settings it adds, see `hopefear.tuners.setting`. It defines
    `optimize` and `REMEDY`.

    Parameters
    ----------
    passes : int
        Passes at most. A run ends earlier if a pass finds no new candidate (`STOPS_WITHOUT_NEW`), or changes
        the weights by no more than `tolerance` times their length.
    k : int
        Translations of each sentence that a pass finds.
    metric : Metric, optional
        The metric that is optimised; BLEU with the closest reference length if not given.
    seed : int
        Pass t draws from ``numpy.random.default_rng([seed, t])``.
    tolerance : float
        See `passes`.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    threads : int
        Sentences that are translated at the same time where no executor is given.

    Attributes
    ----------
    executor : Executor or None
        Where sentences are translated; None for threads of this process.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    score_per_pass_ : list of float
        The metric's score after each pass: of the development set, or, without one, of the pool.
    passes_ : list of BatchRecord
        The passes of the last fit.
    """

    can: ClassVar[Can] = Can.LEARN_FROM_LISTS | Can.USE_CLUSTER

    REMEDY: ClassVar[str]
    """What to change where the weights become infinite or all zero, for messages: "lower C"."""

    STOPS_WITHOUT_NEW: ClassVar[bool] = True
    """False where the weights have further to go on the same candidates."""

    passes: int = setting(10, least=1, shared=False)
    k: int = setting(100, least=1)
    metric: Metric | None = None
    seed: int = setting(0, least=0)
    tolerance: float = setting(1e-5, least=0)
    patience: int = setting(3, least=1, shared=False)
    threads: int = setting(1, least=1, shared=False)

    @abstractmethod
    def optimize(self, pool: Any, weights: Floats, rng: np.random.Generator) -> Floats:
        """Fit the weights to the pool: `Candidates`, or for `Mert` any `Pool`."""

    def _translator(self, decoder: Translator) -> Callable[[int, Segment], Translation]:
        """Return what translates a segment with its number, perhaps elsewhere, several at a time."""
        return Translate(decoder)

    def _new_run(self, decoder: Translator, corpus: Sequence[Segment], **data: Any) -> BatchLoop:
        return self._loop(Candidates.of_corpus(corpus, self._corpus_metric, decoder.weights))

    def _loop(self, pool: Candidates) -> BatchLoop:
        return BatchLoop(self, pool, shared_settings(self, metric=pool.metric.signature()))

    def fit_candidates(
        self: Self,
        pool: Candidates,
        weights: Floats | None = None,
        *,
        development: Candidates | None = None,
        on_pass: Callable[[BatchRecord], None] | None = None,
    ) -> Self:
        """Tune on a pool that stays as it is, without a decoder; `pool.weights` are the learned ones then.

        A pass is one optimisation, which starts from the weights of the one before.

        Parameters
        ----------
        pool : Candidates
            Of the metric that is to be optimised: the setting `metric` plays no part.
        weights : array of float64, optional
            To start from, by feature number; those of `pool.weights` if not given.
        development : Candidates, optional
            Stop early, and choose the pass, by the score of its best candidates. It shares `pool.weights`.

        Raises
        ------
        InputError
            The pool is empty.
        TuningError
            The weights would not be finite, or all zero.
        """
        self.check()
        if weights is not None:
            pool.weights.replace(weights)
        check_weights(pool.weights)
        run = self._run = self._loop(pool)

        def given() -> Gathered:
            new = 0 if run.records else len(pool)
            return Gathered(pool.best_statistics(pool.weights.array), 0, new)

        def developed(weights: Floats) -> Scored | None:
            if development is None:
                return None
            return Scored.of(development.best_statistics(weights), development.metric)

        one_pass = partial(run.learn, given, grows=False)
        hooks = Hooks(ProgressBar(show=False), on_pass=on_pass)
        run.go(one_pass, developed, hooks, passes=self.passes, patience=self.patience)
        return self

    @property
    def pool_(self) -> Candidates:
        """The candidates of the last fit."""
        if self._run is None:
            raise ValueError("expected a tuner that has begun to learn")
        pool: Candidates = self._run.pool
        return pool
