"""Publish weights to workers: all weights first, then the changes."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import ray

from hopefear.base.arrays import Floats, Ints

from ..named_features import Named
from ..replicas import Published


@dataclass(frozen=True)
class PublishedChange:
    """New values of some weights."""

    weights: Published  # unpickled, they are the replica
    whole: bool  # all other weights are 0
    features: Named  # all different
    values: Floats

    def apply(self) -> Published:
        """Set the values in this process, and return the replica."""
        if self.whole:
            self.weights.clear()
        numbers = self.features.numbers(self.weights)
        self.weights.array[numbers] = self.values
        return self.weights

    @property
    def size(self) -> int:
        """The approximate number of bytes to send."""
        return len(self.features.names) + self.features.indices.nbytes + self.values.nbytes


@dataclass
class _Known:
    values: Floats
    whole: int  # bytes of the last whole change
    since: int  # bytes of the changes after it


class Log:
    """Changes of weights in the object store, from which every worker can get the current weights."""

    def __init__(self) -> None:
        self.bytes_published = 0
        self._changes: list[tuple[int, str, Any]] = []  # number, token, object
        self._known: dict[str, _Known] = {}
        self._version = 0
        self._lock = Lock()

    def add(self, weights: Published) -> None:
        """Record the current weights: all, if that is less than the changes since the last full record."""
        with self._lock:
            token, values = weights.token, weights.array.copy()
            known = self._known.get(token)
            if known is None:
                return self._append(_change(weights, values, np.flatnonzero(values), whole=True))
            before = np.zeros_like(values)
            before[: len(known.values)] = known.values
            changed = np.flatnonzero(values != before)
            if not len(changed):
                return None
            change = _change(weights, values, changed, whole=False)
            if change.size + known.since > known.whole:
                whole = _change(weights, values, np.flatnonzero(values), whole=True)
                if whole.size <= change.size + known.since:
                    change = whole
            return self._append(change)

    def after(self, version: int) -> list[tuple[int, Any]]:
        """Return the changes after a version, oldest first; version 0 is before the first change."""
        with self._lock:
            return [(number, change) for number, _, change in self._changes if number > version]

    def _append(self, change: PublishedChange) -> None:
        token = change.weights.token
        if change.whole:
            self._changes = [each for each in self._changes if each[1] != token]
            self._known[token] = _Known(change.weights.array.copy(), change.size, 0)
        else:
            known = self._known[token]
            known.values, known.since = change.weights.array.copy(), known.since + change.size
        self._version += 1
        self._changes.append((self._version, token, ray.put(change)))
        self.bytes_published += change.size


def _change(weights: Published, values: Floats, numbers: Ints, *, whole: bool) -> PublishedChange:
    return PublishedChange(weights, whole, Named.of(weights, numbers.astype(np.int32)), values[numbers])
