"""The loop of batch training: translate the corpus, pool its lists, fit weights to the pool."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Segment, Translation, Translator

from ..contract import Record, Run, Scored, Training, TuningError, array, fact, measuring, part
from ..pool import Candidates, Gathered, KBestTask, Pool, gather


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


P = TypeVar("P", bound=Pool[Any])


class BatchAlgorithm(Protocol):
    """Settings, and a way to fit weights to a pool; a batch algorithm keeps nothing else."""

    REMEDY: ClassVar[str]
    """What to change where the weights become infinite or all zero, for messages: "lower C"."""
    STOPS_WITHOUT_NEW: ClassVar[bool]
    """False where the weights have further to go on the same candidates."""

    seed: int
    k: int
    tolerance: float

    def _optimize(
        self, pool: Any, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """Fit the weights to the pool."""

    def _translator(self, decoder: Translator) -> Callable[[int, Segment], Translation]:
        """Return what translates a segment with its number."""


@dataclass(init=False, eq=False)
class PoolLoop(Run[BatchRecord], Generic[P]):
    """Runs a batch algorithm on a pool, and stands after its last complete pass."""

    records: list[BatchRecord] = fact([])
    after: NDArray[np.float64] = array(by_feature=True, copied=False)
    converged: bool = fact(False)

    def __init__(self, algorithm: BatchAlgorithm, pool: P, settings: dict[str, str]) -> None:
        super().__init__(pool.weights, pool.metric, settings)
        self.algorithm, self.pool = algorithm, pool
        self.after, self.converged = pool.weights.array.copy(), False

    def learned(self) -> NDArray[np.float64]:
        """Return the weights after the last pass, by feature number."""
        return self.after

    def full(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights of all features of the decoder."""
        return weights

    def seconds(self) -> float:
        """Return the processor time so far."""
        return time.process_time()

    def learn(
        self, gathered: Callable[[], Gathered], *, grows: bool = True
    ) -> tuple[BatchRecord, NDArray[np.float64]]:
        """Gather candidates, unless the pool stays as it is, and fit the weights to the pool."""
        pool, algorithm, number = self.pool, self.algorithm, len(self.records) + 1
        clock = self.seconds()
        found = gathered()
        before = pool.weights.array.copy()
        after = before
        if found.new or not grows or not algorithm.STOPS_WITHOUT_NEW:
            pool.check()
            rng = np.random.default_rng([algorithm.seed, number])
            after = algorithm._optimize(pool, before.copy(), rng)
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

    def _check_learned(self, weights: NDArray[np.float64], number: int) -> None:
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

    def finish(self, record: BatchRecord, learned: NDArray[np.float64], development: Scored | None) -> None:
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

    def one_pass(self, training: Training) -> tuple[BatchRecord, NDArray[np.float64]]:
        """Translate the corpus, pool the lists, and fit the weights."""
        decoder, corpus, hooks = training.decoder, training.corpus, training.hooks
        task = KBestTask(self.algorithm._translator(decoder), decoder, self.algorithm.k)
        with measuring(*corpus):
            return self.learn(
                lambda: gather(self.pool, task, corpus, training.executor, on_sentence=hooks.count)
            )
