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

from ..contract import (
    Can,
    Hooks,
    PassTuner,
    Scored,
    check_weights,
    setting,
    shared_settings,
)
from ..pool import Candidates, Gathered, Translate
from .loop import BatchLoop, BatchRecord, PoolLoop

Self = TypeVar("Self", bound="BatchTuner")


@dataclass(kw_only=True, eq=False, repr=False)
class BatchTuner(PassTuner[PoolLoop[Any], BatchRecord]):
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
    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Fit the weights to the pool."""

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
        run = self._run = self._loop(pool)

        def given() -> Gathered:
            new = 0 if run.records else len(pool)
            return Gathered(pool.best_statistics(pool.weights.array), 0, new)

        def developed(weights: NDArray[np.float64]) -> Scored | None:
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
