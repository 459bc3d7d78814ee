"""Deaths of workers: how often work is repeated, and which item is to blame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from hopefear.base import InputError
from hopefear.plugins import Segment


@dataclass(frozen=True, slots=True)
class Recovery:
    """How often work is repeated when workers die."""

    attempts: int = 2
    starts: int = 5
    seconds: float = 0.25


class WorkerDied(RuntimeError):
    """Workers ended while working on an item, in every try; or no worker is left."""

    def __init__(self, message: str, *, times: int = 0, last_words: str = "") -> None:
        super().__init__(message)
        self.times = times
        self.last_words = last_words

    def blame(self, segment: Segment) -> InputError:
        """Return an error that names the segment on which workers died."""
        if not self.times:
            raise self
        message = f"sentence {segment.number}: workers died {self.times} times while working on it"
        if self.last_words:
            message += f"; last output: {self.last_words}"
        return InputError(message, path=segment.where)


def raise_blame(segment: Segment, died: WorkerDied) -> NoReturn:
    """Raise the error for a segment on which workers died; an `on_death` of `Executor.map`."""
    raise died.blame(segment) from died
