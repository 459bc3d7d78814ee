"""Batch training: the corpus is translated, its k-best lists are pooled, weights are fitted to the pool."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.progress import ProgressBar
from hopefear.decoder import Segment, Translation, Translator
from hopefear.metrics import Metric
from hopefear.parallel import Executor

from ..contract import (
    Hooks,
    PassTuner,
    Scored,
    State,
    TuningError,
    check_weights,
    measuring,
    setting,
    shared_settings,
)
from ..pool import Candidates, Gathered, KBestTask, Translate, gather
from .run import BatchRecord, BatchRun, PoolRun

Self = TypeVar("Self", bound="BatchTuner")


@dataclass(kw_only=True, eq=False, repr=False)
class BatchTuner(PassTuner[PoolRun[Any], BatchRecord]):
    """What batch tuners share: passes of decoding, pooling and optimising; choice, records, checkpoints.

    An algorithm is a dataclass with the settings it adds, see `hopefear.tuners.setting`. It defines
    `_optimize` and `REMEDY`.

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

    on_cluster = True
    learns_from_lists = True

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
    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Fit the weights to the pool."""

    def _translator(self, decoder: Translator) -> Callable[[int, Segment], Translation]:
        """Return what translates a segment with its number, perhaps elsewhere, several at a time."""
        return Translate(decoder)

    def _begin_run(
        self, decoder: Translator, corpus: Sequence[Segment], saved: State | None, **data: Any
    ) -> BatchRun:
        run = self._new_run(Candidates.of_corpus(corpus, self._corpus_metric, decoder.weights))
        if saved is not None:
            run.set_state(saved)
        return run

    def _new_run(self, pool: Candidates) -> BatchRun:
        settings = shared_settings(self, metric=pool.metric.signature())
        return BatchRun(pool, settings, self.tolerance)

    def _one_pass(
        self,
        run: PoolRun[Any],
        decoder: Translator,
        corpus: Sequence[Segment],
        executor: Executor,
        hooks: Hooks,
    ) -> tuple[BatchRecord, NDArray[np.float64]]:
        task = KBestTask(self._translator(decoder), decoder, self.k)
        with measuring(*corpus):
            return self._fit_pool(
                run, lambda: gather(run.pool, task, corpus, executor, on_sentence=hooks.count)
            )

    def fit_candidates(
        self: Self,
        pool: Candidates,
        weights: NDArray[np.float64] | None = None,
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
        run = self._run = self._new_run(pool)

        def given() -> Gathered:
            new = 0 if run.records else len(pool)
            return Gathered(pool.best_statistics(pool.weights.array), 0, new)

        def developed(weights: NDArray[np.float64]) -> Scored | None:
            if development is None:
                return None
            return Scored.of(development.best_statistics(weights), development.metric)

        one_pass = partial(self._fit_pool, run, given, grows=False)
        hooks = Hooks(ProgressBar(show=False), on_pass=on_pass)
        run.go(self, one_pass, developed, hooks, passes=self.passes, patience=self.patience)
        return self

    @property
    def pool_(self) -> Candidates:
        """The candidates of the last fit."""
        if self._run is None:
            raise ValueError("expected a tuner that has begun to learn")
        pool: Candidates = self._run.pool
        return pool

    def _fit_pool(
        self, run: PoolRun[Any], gathered: Callable[[], Gathered], *, grows: bool = True
    ) -> tuple[BatchRecord, NDArray[np.float64]]:
        """Do a pass."""
        pool, number = run.pool, len(run.records) + 1
        clock = run.seconds()
        found = gathered()
        before = pool.weights.array.copy()
        after = before
        if found.new or not grows or not self.STOPS_WITHOUT_NEW:
            pool.check()
            rng = np.random.default_rng([self.seed, number])
            after = self._optimize(pool, before.copy(), rng)
            self._check_learned(run.full(after), number)
        seconds = run.seconds() - clock + found.elsewhere
        pool.weights.replace(after)
        training = Scored.of(found.rows, pool.metric)
        record = BatchRecord(
            pass_number=number,
            metric=pool.metric.name,
            score=training.score,
            pool_score=pool.corpus_score(after),
            candidates=len(pool),
            new=found.new,
            change=float(np.linalg.norm(run.full(after) - run.full(before))),
            skipped=found.skipped,
            seconds=seconds,
            score_interval=training.interval,
        )
        return record, after

    def _check_learned(self, weights: NDArray[np.float64], number: int) -> None:
        if not np.all(np.isfinite(weights)):
            raise TuningError(f"the weights are no longer finite after pass {number}: {self.REMEDY}")
        if not weights.any():
            raise TuningError(
                f"all weights are zero after pass {number}: no feature separates better from worse "
                f"candidates; start from other weights, or {self.REMEDY}"
            )
