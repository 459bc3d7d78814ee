"""Batch training: the corpus is translated, its k-best lists are pooled, weights are fitted to the pool."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base.progress import ProgressBar
from hopefear.decoder import Decoder, Hypergraph, KBestSource, Segment
from hopefear.metrics import Bleu, Metric
from hopefear.parallel import Executor

from ..contract import (
    Scored,
    Settings,
    State,
    TuningError,
    check_at_least,
    check_references,
    check_weights,
    corpus_score,
    executor_for,
    measuring,
    resuming,
    state_to_resume,
    write_checkpoint,
)
from ..pool import Candidates, Gathered, KBestTask, Translate, gather
from .progress import BatchProgress, BatchRecord, OnBatchPass, shared_settings

Tuner = TypeVar("Tuner", bound="BatchTuner")


class BatchTuner(Settings, ABC):
    """What batch tuners share: passes of decoding, pooling and optimising; choice, records, checkpoints.

    An algorithm gives `_optimize` and `REMEDY`; its constructor takes keywords only, and stores the settings
    annotated here, beside its own, under their names. If it wants its own checked it extends
    `_check_settings`.

    Attributes
    ----------
    passes : int
        At most so many. A run ends before where a pass brings no new candidate (`STOPS_WITHOUT_NEW`), or
        changes the weights by no more than `tolerance` times their length.
    k : int
        Translations of each sentence that a pass finds.
    metric : Metric, optional
        What is optimised; BLEU with the closest reference length if not given.
    seed : int
        Pass t draws from ``numpy.random.default_rng([seed, t])``.
    tolerance : float
        See `passes`.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    threads : int
        Sentences that are translated at the same time where no executor is given.
    executor : Executor or None
        Where sentences are translated; if it is not set, threads of this process.
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    passes_ : list of BatchRecord
        The passes of the last fit.
    """

    passes: int
    k: int
    metric: Metric | None
    seed: int
    tolerance: float
    patience: int
    threads: int
    executor: Executor | None = None

    REMEDY: ClassVar[str]
    """What to change where the weights become infinite or all zero, for messages: "lower C"."""

    STOPS_WITHOUT_NEW: ClassVar[bool] = True
    """False where the weights have further to go on the same candidates."""

    def __init__(self) -> None:
        self._state: BatchProgress | None = None

    @abstractmethod
    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Fit the weights to the pool.

        Parameters
        ----------
        pool : Candidates
            Of finite feature values, with at least one candidate.
        weights : array of float64, shape (features,)
            Those of before, by feature number, of all features there are; free to be changed.

        Returns
        -------
        array of float64, shape (features,)
        """

    def _translator(self, decoder: Decoder) -> Callable[[int, Segment], Hypergraph | KBestSource]:
        """Give what translates a segment with its number, perhaps elsewhere, several at a time."""
        return Translate(decoder)

    def _check_settings(self) -> None:
        """Raise ValueError where a setting is out of range."""
        check_at_least(self, passes=1, k=1, seed=0, tolerance=0, patience=1, threads=1)

    def check(self) -> None:
        """Refuse settings that nothing can be learned with; for callers that want to know at the start.

        Raises
        ------
        ValueError
            A setting is out of range.
        """
        self._check_settings()

    def fit(
        self: Tuner,
        decoder: Decoder,
        corpus: Sequence[Segment],
        *,
        development: Sequence[Segment] | None = None,
        checkpoint: Path | None = None,
        resume: bool = False,
        progress: bool = False,
        on_sentence: Callable[[], None] | None = None,
        on_pass: OnBatchPass | None = None,
    ) -> Tuner:
        """Tune the decoder's weights on a corpus; it has the learned weights in the end.

        Parameters
        ----------
        corpus : sequence of Segment
            With references.
        development : sequence of Segment, optional
            Stop early, and choose the pass, by the score of these. Without it the last pass counts.
        checkpoint : Path, optional
            Where to save the state, the pool with it, after each pass.
        resume : bool
            Go on from the checkpoint. The weights are the same, bit for bit, as without the stop; but for
            rounding where several threads or workers number the features of plugins as they come up.
        progress : bool
            Show a progress bar on standard error.
        on_sentence, on_pass : callable, optional
            Called after each; at `on_pass`, `weights_` is what the pass learned.

        Raises
        ------
        InputError
            A segment has no reference; nothing can be translated; the checkpoint is of another run; workers
            die of a segment.
        TuningError
            The weights would not be finite, or all zero.
        """
        self.check()
        check_references(corpus)
        if development is not None:
            check_references(development)
        metric = Bleu() if self.metric is None else self.metric
        pool = Candidates.of_corpus(corpus, metric, decoder.weights)
        state = BatchProgress(pool, decoder.weights.array.copy())
        if resume:
            with resuming(checkpoint):
                state.set_state(state_to_resume(checkpoint), shared_settings(self, pool))

        def finished(record: BatchRecord) -> None:
            bar.note(record.note)
            if checkpoint is not None:
                write_checkpoint(checkpoint, self.get_state())
            if on_pass is not None:
                on_pass(record)

        done, total = (passes * len(corpus) for passes in (len(state.passes), self.passes))
        with (
            executor_for(self.executor, self.threads) as executor,
            ProgressBar(total, done=done, show=progress) as bar,
        ):

            def on_translation() -> None:
                bar.update()
                if on_sentence is not None:
                    on_sentence()

            def developed(weights: NDArray[np.float64]) -> Scored | None:
                if development is None:
                    return None
                return corpus_score(decoder, development, weights, metric, executor)

            def decoded() -> Gathered:
                bar.name(f"pass {len(state.passes) + 1} of {self.passes}")
                task = KBestTask(self._translator(decoder), decoder, self.k)
                return gather(pool, task, corpus, executor, on_sentence=on_translation)

            with measuring(*corpus):
                return self._run(state, decoded, developed, finished, grows=True)

    def fit_candidates(
        self: Tuner,
        pool: Candidates,
        weights: NDArray[np.float64] | None = None,
        *,
        development: Candidates | None = None,
        on_pass: OnBatchPass | None = None,
    ) -> Tuner:
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
        state = BatchProgress(pool, pool.weights.array.copy())

        def given() -> Gathered:
            return Gathered(pool.best_statistics(pool.weights.array), 0 if state.passes else len(pool), 0)

        def developed(weights: NDArray[np.float64]) -> Scored | None:
            if development is None:
                return None
            return Scored.of(development.best_statistics(weights), development.metric)

        return self._run(state, given, developed, on_pass or (lambda record: None), grows=False)

    @property
    def score_per_pass_(self) -> list[float]:
        """The metric's score after each pass: of the development set, or, without one, of the pool."""
        return [r.pool_score if r.development_score is None else r.development_score for r in self.passes_]

    @property
    def pool_(self) -> Candidates:
        """The candidates of the last fit."""
        if self._state is None:
            raise ValueError("expected a tuner that has begun to learn")
        return self._state.pool

    def get_state(self) -> State:
        """Give what a resumed `fit` goes on from, as of the last complete pass.

        Raises
        ------
        ValueError
            Nothing has been learned yet.
        """
        pool = self.pool_
        assert self._state is not None
        return self._state.get_state(shared_settings(self, pool))

    def _run(
        self: Tuner,
        state: BatchProgress,
        gathered: Callable[[], Gathered],
        developed: Callable[[NDArray[np.float64]], Scored | None],
        on_pass: OnBatchPass,
        *,
        grows: bool,
    ) -> Tuner:
        self._state, self.passes_ = state, state.passes
        pool = state.pool
        check_weights(pool.weights)
        while len(state.passes) < self.passes and not state.converged and not state.stagnant(self.patience):
            number = len(state.passes) + 1
            clock = time.process_time()
            found = gathered()
            before = pool.weights.array.copy()
            after = before
            if found.new or not grows or not self.STOPS_WITHOUT_NEW:
                pool.check()
                rng = np.random.default_rng([self.seed, number])
                after = self._optimize(pool, before.copy(), rng)
                self._check_learned(after, number)
            seconds = time.process_time() - clock + found.elsewhere
            change = float(np.linalg.norm(after - before))
            pool.weights.replace(after)
            training, held_out = Scored.of(found.rows, pool.metric), developed(after)
            record = BatchRecord(
                pass_number=number,
                metric=pool.metric.name,
                score=training.score,
                pool_score=pool.corpus_score(after),
                development_score=None if held_out is None else held_out.score,
                candidates=len(pool),
                new=found.new,
                change=change,
                skipped=found.skipped,
                seconds=seconds,
                score_interval=training.interval,
                development_interval=None if held_out is None else held_out.interval,
            )
            state.finish_pass(record, after, change <= self.tolerance * float(np.linalg.norm(after)))
            self.weights_ = pool.weights.named(after)
            on_pass(state.passes[-1])
        pool.weights.replace(state.learned)
        self.weights_ = pool.weights.nonzero()
        return self

    def _check_learned(self, weights: NDArray[np.float64], number: int) -> None:
        if not np.all(np.isfinite(weights)):
            raise TuningError(f"the weights are no longer finite after pass {number}: {self.REMEDY}")
        if not weights.any():
            raise TuningError(
                f"all weights are zero after pass {number}: no feature separates better from worse "
                f"candidates; start from other weights, or {self.REMEDY}"
            )
