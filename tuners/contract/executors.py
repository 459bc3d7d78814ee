"""Which executor a tuner works with."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from hopefear.parallel import Executor, in_threads


def executor_for(given: Executor | None, threads: int) -> AbstractContextManager[Executor]:
    """Return the executor that was given, or threads of this process, which end with the context."""
    return in_threads(threads) if given is None else nullcontext(given)
