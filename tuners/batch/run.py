"""The run of a batch tuner: how far it is, and all that a stopped run needs to go on."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..contract import Record, Run, Scored, array, fact, part
from ..pool import Candidates, Pool


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


@dataclass(init=False, eq=False)
class PoolRun(Run[BatchRecord], Generic[P]):
    """Where a run on a pool stands after its last complete pass.

    Parameters
    ----------
    pool : Pool
        The candidates so far; its `weights` are those that are learned.
    settings : dict of str to str
        See `Run`.
    tolerance : float
        A run ends where a pass changes the weights by no more than this times their length.

    Attributes
    ----------
    after : array of float64
        The weights after the last pass, by feature number.
    converged : bool
        Whether the last pass brought nothing new.
    """

    records: list[BatchRecord] = fact([])
    after: NDArray[np.float64] = array(by_feature=True, copied=False)
    converged: bool = fact(False)

    def __init__(self, pool: P, settings: dict[str, str], tolerance: float) -> None:
        super().__init__(pool.weights, pool.metric, settings)
        self.pool, self.tolerance = pool, tolerance
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

    def is_over(self) -> bool:
        """Whether the last pass brought nothing new."""
        return self.converged

    def finish(self, record: BatchRecord, learned: NDArray[np.float64], development: Scored | None) -> None:
        """Record a pass, and choose its weights if they do best so far."""
        super().finish(record, learned, development)
        self.after = learned
        self.converged = record.change <= self.tolerance * float(np.linalg.norm(self.full(learned)))


@dataclass(init=False, eq=False)
class BatchRun(PoolRun[Candidates]):
    """The run of a batch tuner, whose state has the candidates."""

    KIND = "a batch tuner"

    pool: Candidates = part()

    def restored(self) -> None:
        """Set the decoder's weights to those of then."""
        self.weights.replace(self.after)
