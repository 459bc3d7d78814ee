"""The processes that run calls."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ray

from hopefear.base import InputError

from .processes import Greeting, start_process

if TYPE_CHECKING:
    from .dispatch import Call


@dataclass(frozen=True)
class Place:
    """The place of a worker: a node's identifier, and the number of concurrent calls."""

    node: str
    threads: int


@dataclass(frozen=True)
class Patience:
    """How often the start of a worker is tried.

    Attributes
    ----------
    starts : int
        Failed starts before the worker is given up.
    seconds : float
        Wait after the first failed start; longer after more failures.
    """

    starts: int = 5
    seconds: float = 0.25


class Worker:
    """A worker, whose process is restarted when it dies; only the dispatcher's thread uses this object.

    Attributes
    ----------
    up : Future
        Done when the process has started for the first time; or raises `InputError`.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.up: Future[None] = Future()
        self.alone = False  # whether it works on a single item on which a worker may have died
        self.starts = 0  # failed starts since the last success
        self.start()

    def start(self) -> None:
        """Start the process, with no calls in progress."""
        self.ready = False
        self.starts += 1
        self.version = 0
        self.under_way: dict[Call, None] = {}
        self.process = start_process(
            "hopefear.parallel.ray.worker", "Work", (), node=self.place.node, threads=self.place.threads
        )

    def start_again(self) -> None:
        """Replace the process by a new one."""
        ray.kill(self.process)  # the process may be alive, but unreachable
        self.alone = False
        self.start()

    def greeted(self, reply: Future[Any]) -> Exception | None:
        """Check the first reply of the process.

        Returns
        -------
        Exception or None
            The reason why the process cannot be used.
        """
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
        return 2 * self.place.threads - len(self.under_way) if self.ready and not self.alone else 0


def first_line(error: BaseException) -> str:
    """Return the first line of a Ray error, whose text is long."""
    return str(error).strip().partition("\n")[0]
