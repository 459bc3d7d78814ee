"""A learner for benchmarks/coordinator.py; workers import it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopefear.decoder import Segment
from hopefear.tuners.contract.base import UpdateRecord
from hopefear.tuners.parallel.learner import StepResult

RECORD = UpdateRecord(1, 1, ("0",), 1.0, 1.0, 1.0, 3, 1.0)


class Idler:
    """A learner that learns nothing, and finds a message of so many bytes in no time."""

    def __init__(self, size: int) -> None:
        message = np.random.default_rng(0).bytes(size)
        self._found = StepResult(RECORD, message, (np.zeros(10),), 1.0, 1.0, 0, 0, 0.0)

    def step(
        self,
        number: int,
        mail: Sequence[bytes],
        segments: Sequence[Segment] = (),
        places: Sequence[int] = (),
    ) -> list[StepResult]:
        """Answer at once."""
        return [self._found] * (len(segments) or 1)

    def restore(self, state: None) -> None:
        """Begin."""

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """Return nothing."""
        return {"facts": {}, "arrays": {}}
