"""Which executor a tuner works with, and what is said where its workers die."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import NoReturn

from hopefear.decoder import Executor, Segment, WorkerDied, in_threads


def executor_for(given: Executor | None, threads: int) -> AbstractContextManager[Executor]:
    """Give the executor that was given, or threads of this process, which end with the context."""
    return in_threads(threads) if given is None else nullcontext(given)


def died_of(segment: Segment, died: WorkerDied) -> NoReturn:
    """Say which segment workers died of.

    Raises
    ------
    InputError
        It was at fault, as far as one can know.
    WorkerDied
        It was not.
    """
    raise died.blame(segment) from died
