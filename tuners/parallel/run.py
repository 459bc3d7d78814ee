"""The run of parallel training: the workers, the order of their turns, the mean of their weights."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.state import State, array, kept, load, part, save
from hopefear.metrics import PseudoDocument
from hopefear.parallel import Named

from ..contract import UpdateRecord
from ..online import OnlineRun
from .coordinator import Coordinator, mean_weights, unselected
from .first_weights import FirstWeights
from .messages import pack_weights
from .remote_learner import Delivery
from .schedule_file import ScheduleFile
from .schedules import Turn


@dataclass(init=False, eq=False)
class ParallelRun(OnlineRun):
    """Where a run of several workers stands; the decoder has the initial weights until its end."""

    first: FirstWeights | None = part(FirstWeights, optional=True)
    first_document: PseudoDocument = part()
    workers: State | None = kept()
    schedule: NDArray[np.int32] = array("i4", 2)

    def __init__(self, *given: Any, select: int, **options: Any) -> None:
        super().__init__(*given, **options)
        self.known, self._select = len(self.weights), select
        self.first = self.workers = None
        self.first_document = copy.copy(self.progress.document)
        self.schedule = np.zeros((0, 2), np.int32)
        self.turns: list[Turn] = []
        self.coordinator: Coordinator | None = None
        self._file: ScheduleFile | None = None
        self._kept = np.zeros(0, np.int32)

    def saving(self) -> None:
        """Note the decoder's weights, and how far the workers are."""
        super().saving()
        if self.coordinator is not None:
            self.workers = save(self.coordinator)
            self.schedule = np.array(self.turns, np.int32).reshape(-1, 2)

    def restored(self) -> None:
        """Set the decoder's weights to those of then: those that the workers begin with, if there are any."""
        super().restored()
        self.turns = [Turn(*turn) for turn in self.schedule.tolist()]
        if self.first is not None:
            self.first.install(self.weights)

    def begin(self, resumed: bool) -> FirstWeights:
        """Return what workers begin with, now or in the run that this one goes on with."""
        if self.first is None:
            if resumed:
                raise InputError(
                    "expected the state of several workers, got a state without their initial weights"
                )
            self.first = FirstWeights.of(self.weights, self.known)
            self.first_document = copy.copy(self.progress.document)
        return self.first

    def work(self, coordinator: Coordinator, file: ScheduleFile, keep: NDArray[np.int32]) -> None:
        """Go on with workers."""
        self.coordinator, self._file, self._kept = coordinator, file, keep
        if self.workers is not None:
            load(coordinator, self.workers, what=f"{len(coordinator.learners)} workers")

    def go_through(
        self, number: int, order: Sequence[int]
    ) -> Iterator[tuple[list[UpdateRecord], list[Delivery]]]:
        """Do pass `number`, or the rest of it; yield what a worker has done when all of it is counted."""
        assert self.coordinator is not None
        for turn, deliveries in self.coordinator.go_through(number, order):
            yield self._count(turn, deliveries), deliveries
        load(self.progress.document, self.coordinator.learned()[0].document, what="a pseudo-document")

    def _count(self, turn: Turn | None, found: Sequence[Delivery]) -> list[UpdateRecord]:
        progress, records = self.progress, []
        if turn is not None and self._file is not None:
            self._file.add(turn)
        for delivery in found:
            delivery.result.add_to(progress)
            progress.position += delivery.segment is not None
            progress.skipped += delivery.lost is not None
            if delivery.result.record is not None:
                records.append(replace(delivery.result.record, update=progress.updates))
        return records

    def learned(self) -> NDArray[np.float64]:
        """Return the mean of the workers' weights, of the selected features."""
        if self.coordinator is None:
            return super().learned()
        parts = self.coordinator.learned()
        mean = mean_weights(parts, self.weights.array.copy(), self.weights)
        if self._select:
            mean[unselected(parts, self.weights, keep=self._kept, most=self._select)] = 0.0
        return mean

    def go_on_from(self, learned: NDArray[np.float64]) -> None:
        """Let all workers begin the next pass with the same weights."""
        assert self.coordinator is not None
        # The decoder has the initial weights until the end of the run.
        changed = np.flatnonzero(learned != self.weights.array).astype(np.int32)
        self.coordinator.go_on_from(pack_weights(Named.of(self.weights, changed), learned[changed]))

    def check_end(self) -> None:
        """Warn if not all turns of another run were taken."""
        if self._file is not None:
            self._file.check_end()
