"""The weights that one session has learned, and what its latest corrections have changed of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Weights

from .active_corrections import Effect
from .events import Withdrawn
from .expert_weights import ExpertWeights
from .experts import ADAPTED, LEARNED
from .part import SessionPart

WeightChange = tuple[int, dict[str, float]]
"""The number of a correction, and what it has changed of the weights, by feature."""

_MOVED = 1e-9  # the least change of a weight that is no rounding error
_UNDONE = 50  # the latest corrections whose changes of the weights can be taken back


class SessionWeights(SessionPart):
    """An overlay of the weights of the experts, which costs what learning touches."""

    def __init__(self, experts: ExpertWeights) -> None:
        self._experts = experts
        self.learned = experts.learning()
        self._noted = experts.learning()  # the learned weights without the update under way
        self._touched = set[int]()
        self._changes: dict[int, dict[str, float]] = {}  # by the numbers of corrections

    def of(self, expert: str) -> Weights:
        """Return the weights of an expert."""
        return self.learned if expert == LEARNED else self._experts.of(expert)

    def apply(self, effect: Effect) -> None:
        """Undo what a correction that is withdrawn has changed."""
        if isinstance(effect.event, Withdrawn):
            self.take_back(effect.event.number)

    def note_update(self, number: int, touched: NDArray[np.int64] | None) -> None:
        """Keep what a correction has changed, of the features that its update touched or of all."""
        change = self._note(touched)
        self._changes[number] = change

    def forget_update(self, number: int) -> None:
        """Let the update of a correction be one that cannot be taken back any more, if it is not recent."""
        self._changes.pop(number - _UNDONE, None)

    def take_back(self, number: int) -> None:
        """Undo what a correction has changed, if it is one of the latest."""
        change = self._changes.pop(number, {})
        for name, value in change.items():
            self.learned[name] -= value
        self._experts.keep_bounds(self.learned)
        self._note(self._numbers(change))

    def keep_bounds(self) -> None:
        """Bring learned weights that are out of their bounds back to them."""
        self._experts.keep_bounds(self.learned)

    def moved(self, most: int) -> list[tuple[str, float, float]]:
        """List the features whose weights moved most since the session began: name, weight then and now."""
        features = np.array(sorted(self._touched), np.int64)
        now, then = self.learned.array[features], self._experts.of(ADAPTED).array[features]
        changes = np.abs(now - then)
        order = np.argsort(-changes, kind="stable")[:most].tolist()
        name = self.learned.name
        return [(name(int(features[i])), float(then[i]), float(now[i])) for i in order if changes[i] > _MOVED]

    def changes(self) -> list[WeightChange]:
        """Return the changes of the latest corrections."""
        return list(self._changes.items())

    def go_on_from(self, changes: Iterable[WeightChange]) -> None:
        """Take over saved changes; the learned weights are those of then already."""
        self._changes = dict(changes)
        self._note(None)

    def _note(self, touched: NDArray[np.int64] | None) -> dict[str, float]:
        """Return what has changed of features since the last call."""
        now, before = self.learned.array, self._noted.array
        if touched is None:
            touched = np.flatnonzero(now != before)
        else:
            touched = np.unique(np.concatenate([touched, self._numbers(self._experts.bounded)]))
        change = now[touched] - before[touched]
        moved = np.flatnonzero(change)
        before[touched[moved]] = now[touched[moved]]
        self._touched.update(touched[moved].tolist())
        return {self.learned.name(int(touched[i])): float(change[i]) for i in moved}

    def _numbers(self, names: Iterable[str]) -> NDArray[np.int64]:
        return np.array([self.learned.id(name) for name in names if name in self.learned], np.int64)
