"""The processes that run calls."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import ray

from hopefear.base import InputError
from hopefear.base.texts import BLANK

from .calls import TaskCall
from .processes import Greeting, start_process


@dataclass(frozen=True)
class Placement:
    """Where a worker runs: a node's identifier, and the number of concurrent calls."""

    node: str
    threads: int


class Worker:
    """A worker, whose process is restarted when it dies; only the dispatcher's thread uses this object."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.up: Future[None] = Future()
        self.alone = False  # whether it works on a single item on which a worker may have died
        self.starts = 0  # failed starts since the last success
        self.start()

    def start(self) -> None:
        """Start the process, with no calls in progress."""
        self.ready = False
        self.starts += 1
        self.version = 0
        self.under_way: dict[TaskCall, None] = {}
        where = self.placement
        self.process = start_process(
            "hopefear.parallel.ray.worker", "WorkerState", (), node=where.node, threads=where.threads
        )

    def start_again(self) -> None:
        """Replace the process by a new one."""
        ray.kill(self.process)  # the process may be alive, but unreachable
        self.alone = False
        self.start()

    def greeted(self, reply: Future[Any]) -> Exception | None:
        """Check the first reply of the process."""
        error = reply.exception()
        if error is not None:
            return InputError(f"expected a worker to start, got: {first_line(error)}")
        self.greeting = Greeting(*reply.result())
        try:
            self.greeting.check()
        except InputError as error:
            return error
        self.ready, self.starts = True, 0
        if not self.up.done():
            self.up.set_result(None)
        return None

    @property
    def free(self) -> int:
        """The number of calls that may be sent; as many calls wait in the process as are in progress."""
        return 2 * self.placement.threads - len(self.under_way) if self.ready and not self.alone else 0


def first_line(error: BaseException) -> str:
    """Return the first line of a Ray error, whose text is long."""
    return str(error).strip(BLANK).partition("\n")[0]
