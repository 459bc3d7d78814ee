"""The loop of HOLS: a gradient, then a line search along it; a stopped run goes on within either."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Segment, Weights
from hopefear.metrics import Metric
from hopefear.parallel import Executor, WorkerDied

from ..batch import BatchRecord
from ..contract import (
    Hooks,
    Interval,
    Run,
    Scored,
    Training,
    TuningError,
    array,
    fact,
    part,
    read_checkpoint,
    resuming,
    skip_dead,
    write_checkpoint,
)
from .folds import DataSplit
from .gradient_sum import GradientSum, PartialSum
from .loss_gradient import GradientTask, SentenceLoss
from .sparse_line import SparseLine
from .sparse_line_search import LineSearch, Steps

_AFTER_GRADIENT = {
    "conditioning",
    "min_count",
    "line_search_passes",
    "line_search_k",
    "restarts",
    "between_passes",
    "metric",
}
"""Settings that matter only once a gradient is complete."""


class HolsSettings(Protocol):
    """The settings of `hopefear.tuners.Hols` that its loop reads."""

    updates: int
    parts: int
    save_every: int
    chunk: int
    seed: int
    last_seed: int | None
    conditioning: bool
    min_count: int
    line_search_passes: int
    line_search_k: int
    restarts: int
    between_passes: int | None
    metric: Metric | None


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
class HolsLoop(Run[HolsRecord]):
    """Runs HOLS, and stands wherever a stopped run is to go on."""

    KIND = "HOLS"
    PASS = "update"

    records: list[HolsRecord] = fact([])
    begin: NDArray[np.float64] = array(by_feature=True, copied=False)
    gradient: GradientSum = part(GradientSum)
    direction: NDArray[np.float64] | None = array(optional=True, by_feature=True, copied=False)
    """What came of the gradient, once it is complete."""
    search: Steps | None = part(Steps, optional=True)

    def __init__(
        self,
        hols: HolsSettings,
        weights: Weights,
        metric: Metric,
        settings: dict[str, str],
        split: DataSplit,
        loss: SentenceLoss,
        before_last: Path | None,
    ) -> None:
        super().__init__(weights, metric, settings)
        self.hols, self.split, self.loss, self.before_last = hols, split, loss, before_last
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

    def prepare(self, training: Training) -> None:
        """Begin with the state before the last line search, if another run has saved it."""
        path = self.before_last
        if path is not None and path.exists() and not training.resumed:
            with resuming(path):
                self.set_state(read_checkpoint(path), free_before_last(self.hols))
            self.direction = self._direction()

    def sentences(self, passes: int, count: int) -> tuple[int | None, int]:
        """Tell that the number of sentences is not known."""
        return None, 0

    def one_pass(self, training: Training) -> tuple[HolsRecord, NDArray[np.float64]]:
        """Do an update, or what is left of it."""
        executor, hooks = training.executor, training.hooks
        name, number = hooks.bar.name, len(self.records) + 1
        if self.direction is None:
            name(f"update {number} of {self.hols.updates}, gradient")
            self._take_gradient(executor, hooks)
            self.direction = self._direction()
            if self.before_last is not None and number == self.hols.updates:
                write_checkpoint(self.before_last, self.get_state())
            hooks.save(self)
        name(f"update {number} of {self.hols.updates}, line search")
        record = self._search_along(executor, hooks)
        return record, training.decoder.weights.array.copy()

    def _take_gradient(self, executor: Executor, hooks: Hooks) -> None:
        """Add up the gradient of an update, or what is left of it."""

        def on_chunk(sentences: int) -> None:
            for _ in range(sentences):
                hooks.count()

        # A block is added up in a tree, where workers are; a run that is stopped within it begins it again.
        split, total, number = self.split, self.gradient, len(self.records)
        task = GradientTask(self.loss, tuple(fold.decoder for fold in split.gradient))
        executor.publish(self.weights)
        deadly = set[int]()  # numbers of sentences in the block on which workers died
        left, size = split.part(number, self.hols.parts, total.sentences), self.hols.save_every or None
        while total.sentences < split.count(number, self.hols.parts):
            block = ((fold, None if i in deadly else x) for i, (fold, x) in enumerate(islice(left, size)))
            try:
                found = executor.reduce(
                    task, PartialSum.merged, block, chunk=self.hols.chunk, on_chunk=on_chunk
                )
            except WorkerDied as error:
                if not error.times:
                    raise
                again = islice(split.part(number, self.hols.parts, total.sentences), size)
                known, deadly = deadly, deadly | _find_deadly(task, executor, again, deadly)
                if deadly == known:
                    raise
                left = split.part(number, self.hols.parts, total.sentences)
                continue
            total.add(found)
            deadly.clear()
            if self.hols.save_every:
                hooks.save(self)
        total.check()

    def _search_along(self, executor: Executor, hooks: Hooks) -> HolsRecord:
        """Search along the gradient, or what is left to search, and give the record of the update."""
        assert self.direction is not None
        fold, passes, seed = self.split.between, self.hols.between_passes, self.hols.seed
        if len(self.records) + 1 == self.hols.updates:
            fold, passes = self.split.last, None
            seed = self.hols.seed if self.hols.last_seed is None else self.hols.last_seed
        self.search = self.search or Steps()
        search = LineSearch(
            passes=self.hols.line_search_passes if passes is None else passes,
            k=self.hols.line_search_k,
            metric=self.hols.metric,
            restarts=self.hols.restarts,
            seed=seed,
        )
        line = SparseLine(fold.decoder, self.loss.dense, self.begin, self.direction)
        search.search(
            line,
            list(fold.segments),
            steps=self.search,
            executor=executor,
            on_sentence=hooks.count,
            on_pass=lambda record: hooks.save(self),
        )
        return self.record(search, line, held_out=fold is not self.split.last)

    def _direction(self) -> NDArray[np.float64]:
        return self.gradient.direction(conditioning=self.hols.conditioning, min_count=self.hols.min_count)

    def record(self, search: LineSearch, line: SparseLine, *, held_out: bool) -> HolsRecord:
        """Return the record of the update under way after the passes of its line search, at least one."""
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


def free_before_last(hols: HolsSettings) -> set[str]:
    """Name the settings that change nothing before the last line search."""
    free = {"save_every", "threads", "last_seed"}
    return free | _AFTER_GRADIENT if hols.updates == 1 else free


def _find_deadly(
    task: GradientTask, executor: Executor, block: Iterable[tuple[int, Segment]], known: Container[int]
) -> set[int]:
    """Return the numbers of sentences on which workers die, apart from `known` ones: a tree does not tell."""
    deadly = set[int]()
    numbered = [(i, own) for i, own in enumerate(block) if i not in known]

    def skip(item: list[tuple[int, Segment]], died: WorkerDied) -> None:
        ((fold, segment),) = item
        skip_dead(task.decoders[fold], segment, died)

    results = executor.map(task, ([own] for _, own in numbered), on_death=skip)
    for (number, _), found in zip(numbered, results, strict=True):
        if found is None:
            deadly.add(number)
    return deadly
