"""Deaths of workers: how often work is repeated, and which item is to blame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from hopefear.base import InputError
from hopefear.plugins import Segment


@dataclass(frozen=True, slots=True)
class Recovery:
    """How often work is repeated when workers die.

    Attributes
    ----------
    attempts : int
        Deaths of workers while they work on an item, after which the item is given up. A death during a call
        with several items counts for each of them; the items are then repeated one by one.
    starts : int
        Failed starts of a worker in a row, after which the worker is given up.
    seconds : float
        Pause after the first failed start; the pause after the nth is n times as long.
    """

    attempts: int = 2
    starts: int = 5
    seconds: float = 0.25


class WorkerDied(RuntimeError):
    """Workers ended while working on an item, in every try; or no worker is left.

    Attributes
    ----------
    times : int
        How many workers ended while working on the item; 0 if the item is not known to be the cause.
    last_words : str
        The end of the standard error of the last of these workers, if known.
    """

    def __init__(self, message: str, *, times: int = 0, last_words: str = "") -> None:
        super().__init__(message)
        self.times = times
        self.last_words = last_words

    def blame(self, segment: Segment) -> InputError:
        """Return an error that names the segment on which workers died.

        Raises
        ------
        WorkerDied
            This error itself, if the segment is not known to be the cause.
        """
        if not self.times:
            raise self
        message = f"segment {segment.id}: workers died {self.times} times while working on it"
        if self.last_words:
            message += f"; last output: {self.last_words}"
        return InputError(message, path=segment.where)


def raise_blame(segment: Segment, died: WorkerDied) -> NoReturn:
    """Raise the error for a segment on which workers died; an `on_death` of `Executor.map`.

    Raises
    ------
    InputError
        The segment is probably the cause.
    WorkerDied
        The segment is not known to be the cause.
    """
    raise died.blame(segment) from died
