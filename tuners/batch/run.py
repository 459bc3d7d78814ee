"""The run of a batch tuner: how far it is, and all that a stopped run needs to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contract import Record, Run, Scored, fact
from ..pool import Candidates


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
class BatchRun(Run[BatchRecord]):
    """Where a run of a batch tuner stands after its last complete pass.

    Parameters
    ----------
    pool : Candidates
        Those so far; its `weights` are the decoder's.
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

    KIND = "a batch tuner"

    records: list[BatchRecord] = fact([])

    def __init__(self, pool: Candidates, settings: dict[str, str], tolerance: float) -> None:
        super().__init__(pool.weights, pool.metric, settings)
        self.pool, self.tolerance = pool, tolerance
        self.after, self.converged = pool.weights.array.copy(), False

    def learned(self) -> NDArray[np.float64]:
        """Give the weights after the last pass, by feature number."""
        return self.after

    def is_over(self) -> bool:
        """Whether the last pass brought nothing new."""
        return self.converged

    def finish(self, record: BatchRecord, learned: NDArray[np.float64], development: Scored | None) -> None:
        """Record a pass, and choose its weights if they do best so far."""
        super().finish(record, learned, development)
        self.after = learned
        self.converged = record.change <= self.tolerance * float(np.linalg.norm(learned))

    def _own_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"converged": self.converged}, {"weights": self.after, **self.pool.get_arrays()}

    def _set_own_state(
        self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]], numbers: NDArray[np.int64]
    ) -> None:
        self.converged, self.after = bool(facts["converged"]), arrays["weights"]
        self.pool.set_arrays(arrays)
        self.weights.replace(self.after)
