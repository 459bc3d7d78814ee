"""The processes that do calls."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ray

from hopefear.decoder import InputError

from .processes import Greeting, start_process

if TYPE_CHECKING:
    from .dispatch import Call

STARTS = 5  # of a worker without success


@dataclass(frozen=True)
class Place:
    """Where a worker is: a node's number, and how many calls it does at the same time."""

    node: str
    threads: int


class Worker:
    """A worker's process, again and again; only the dispatcher's thread touches it.

    Attributes
    ----------
    up : Future
        Done when the process is there for the first time; or it raises `InputError`.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.up: Future[None] = Future()
        self.alone = False  # with an item that a worker may have died of
        self.starts = 0  # since one succeeded
        self.start()

    def start(self) -> None:
        """Begin to make the process; nothing is under way."""
        self.ready = False
        self.starts += 1
        self.version = 0
        self.under_way: dict[Call, None] = {}
        self.process = start_process(
            "hopefear.cluster.worker", "Work", (), node=self.place.node, threads=self.place.threads
        )

    def start_again(self) -> None:
        """Make the process anew."""
        ray.kill(self.process)  # it may only be out of reach
        self.alone = False
        self.start()

    def greeted(self, reply: Future[Any]) -> Exception | None:
        """Take what the process says of itself when it is there.

        Returns
        -------
        Exception or None
            Why it cannot be worked with.
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
        """Calls that may be sent: as many wait in the process as are worked on."""
        return 2 * self.place.threads - len(self.under_way) if self.ready and not self.alone else 0


def first_line(error: BaseException) -> str:
    """Give what an error of Ray says first; it goes on for long."""
    return str(error).strip().partition("\n")[0]
