"""The run of HOLS: how far it is, at whatever stage, and all that a stopped run needs to go on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Weights
from hopefear.metrics import Metric

from ..batch import BatchRecord
from ..contract import Interval, Run, Scored, TuningError, array, fact, part
from .folds import DataSplit
from .gradient_sum import GradientSum
from .loss_gradient import SentenceLoss
from .sparse_line import SparseLine
from .sparse_line_search import LineSearch, Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class HolsRecord(BatchRecord):
    """One update: a gradient, then a line search; see `BatchRecord`.

    `pass_number` is the number of the update. `score`, `pool_score`, `candidates` and `new` are of the set of
    the line search, whose pool is new in each update; `skipped` counts training segments.

    Attributes
    ----------
    sentences : int
        Training segments that the gradient was taken over.
    loss : float
        Their soft ramp, with the weights that the update began with.
    features : int
        Sparse features that the gradient moves.
    step : float
        α, the weight of g·f_s.
    searches : int
        Passes of the line search.
    search_score : float
        Of the set of the line search, translated with the weights that the update ended with.
    search_interval : (float, float) or None
        Around it: see `hopefear.tuners.contract.base.Interval`.
    held_out : bool
        Whether the set of the line search is another one than that of the last update.
    """

    sentences: int
    loss: float
    features: int
    step: float
    searches: int
    search_score: float
    search_interval: Interval | None = None
    held_out: bool = False

    @property
    def _own_score(self) -> float:
        return self.search_score

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return self.with_development(f"line search {self.metric} {self.search_score:.2f}")


@dataclass(init=False, eq=False)
class HolsRun(Run[HolsRecord]):
    """Where a run of HOLS stands.

    Parameters
    ----------
    weights, metric, settings
        See `Run`.
    split : DataSplit
        Which data is for what.
    loss : SentenceLoss
        Of the gradients.
    before_last : Path or None
        The file for the state before the last line search.

    Attributes
    ----------
    begin : array of float64
        The weights that the update under way began with, by feature number.
    gradient : GradientSum
        Of the update under way, as far as it is.
    direction : array of float64 or None
        What came of the gradient, once it is complete.
    search : Steps or None
        Of the line search under way.
    """

    KIND = "HOLS"
    PASS = "update"

    records: list[HolsRecord] = fact([])
    begin: NDArray[np.float64] = array(by_feature=True, copied=False)
    gradient: GradientSum = part(GradientSum)
    direction: NDArray[np.float64] | None = array(optional=True, by_feature=True, copied=False)
    search: Steps | None = part(Steps, optional=True)

    def __init__(
        self,
        weights: Weights,
        metric: Metric,
        settings: dict[str, str],
        split: DataSplit,
        loss: SentenceLoss,
        before_last: Path | None,
    ) -> None:
        super().__init__(weights, metric, settings)
        self.split, self.loss, self.before_last = split, loss, before_last
        self._begin_update(weights.array.copy())

    def _begin_update(self, weights: NDArray[np.float64]) -> None:
        self.begin, self.gradient = weights, GradientSum()
        self.direction = self.search = None

    def learned(self) -> NDArray[np.float64]:
        """Return the weights after the last update, by feature number."""
        return self.begin

    def finish(self, record: HolsRecord, learned: NDArray[np.float64], development: Scored | None) -> None:
        """Record an update, choose its weights if they do best so far, and begin the next."""
        super().finish(record, learned, development)
        self._begin_update(learned)

    def record(self, search: LineSearch, line: SparseLine, *, held_out: bool) -> HolsRecord:
        """Return the record of the update under way after the passes of its line search, at least one.

        Parameters
        ----------
        held_out : bool
            See `HolsRecord`.

        Raises
        ------
        TuningError
            All weights are zero.
        """
        if not line.decoder.weights.array.any():
            raise TuningError("all weights are zero after a line search: start from other weights")
        first, last = search.passes_[0], search.passes_[-1]
        assert self.direction is not None
        after = line.decoder.weights.array.copy()
        after[: len(self.begin)] -= self.begin
        return HolsRecord(
            pass_number=len(self.records) + 1,
            metric=last.metric,
            score=first.score,
            pool_score=last.pool_score,
            candidates=last.candidates,
            new=last.candidates,
            change=math.sqrt(math.fsum((after * after).tolist())),  # whatever the order of the features
            skipped=self.gradient.skipped,
            seconds=self.gradient.seconds + sum(record.seconds for record in search.passes_),
            sentences=self.gradient.sentences,
            loss=self.gradient.loss,
            features=int(np.count_nonzero(self.direction)),
            step=search.step,
            searches=len(search.passes_),
            search_score=search.score,
            score_interval=first.score_interval,
            search_interval=search.interval,
            held_out=held_out,
        )

    def restored(self) -> None:
        """Set the decoder's weights to those of then."""
        self.weights.replace(self.begin)
