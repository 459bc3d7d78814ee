"""An executor that runs tasks in processes of a Ray cluster."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Any

import ray

from hopefear.base.cache import BoundedCache
from hopefear.plugins import Segment

from ..executor import Actor, Executor, Item, OnDeath, Result, outcome_of
from ..faults import Recovery
from ..in_order import in_order
from ..replicas import Published
from .actors import RayActor
from .calls import LogEntry, RayTask, TaskCall
from .dispatch import RayDispatcher
from .published import Log
from .worker import pickled
from .workers import Placement

TASKS_KEPT = 16
CALLS_A_WORKER = 4  # in progress, or waiting for an earlier call


class RayExecutor(Executor):
    """Runs tasks in processes that Ray starts, and restarts when they die.

    Items are sent in calls of about 0.1 seconds. If a worker dies, any item of its calls may be the cause, so
    each of these items is tried again alone. Relative paths mean the same in workers that have the working
    directory.
    """

    def __init__(self, placements: Sequence[Placement], *, recovery: Recovery) -> None:
        self.placements, self.recovery = list(placements), recovery
        self.workers = sum(placement.threads for placement in placements)
        self._log = Log()
        self._dispatcher = RayDispatcher(self.placements, self._log, recovery)
        self._lock = Lock()
        self._tasks = BoundedCache[bytes, RayTask](TASKS_KEPT)
        self._actors = 0
        try:
            for worker in list(self._dispatcher.workers):
                worker.up.result()
        except BaseException:
            self.close()
            raise

    @property
    def restarts(self) -> int:
        """The number of workers that died and were restarted, without actors."""
        return self._dispatcher.restarts

    @property
    def calls(self) -> int:
        """The number of calls to workers."""
        return self._dispatcher.calls

    @property
    def bytes_published(self) -> int:
        """The approximate number of bytes of weights that each node received."""
        return self._log.bytes_published

    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Begin a task in a free worker."""
        return self._begin(self._stored(task), item)

    def map(
        self,
        task: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        on_death: OnDeath[Item, Result] | None = None,
    ) -> Iterator[Result]:
        """Yield the results in the items' order; a few calls per worker are in progress at a time."""
        stored = self._stored(task)

        def room() -> int:
            return CALLS_A_WORKER * self.workers * stored.size.items

        for item, future in in_order(partial(self._begin, stored), items, room):
            yield outcome_of(item, future, on_death)

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make an object with `make` in a new process, with the weights published at that time."""
        placement = self.placements[self._actors % len(self.placements)]
        self._actors += 1
        return RayActor([self._stored(make).stored], placement.node, self._log, self._dispatcher.do)

    def publish(self, weights: Published) -> None:
        """Publish the changes of weights since the last call to all workers before their next call."""
        self._log.add(weights)

    def close(self) -> None:
        """End the workers' processes at once."""
        self._dispatcher.close()

    def _begin(self, task: RayTask, item: Any) -> Future[Any]:
        entry = LogEntry(pickled(item), lambda: _name(item))
        self._dispatcher.send(TaskCall(task, [entry]))
        return entry.future

    def _stored(self, task: Callable[..., Any]) -> RayTask:
        stored = pickled(task)
        key = blake2b(stored, digest_size=16).digest()
        with self._lock:
            kept = self._tasks.get(key)
            self._tasks[key] = RayTask(key, ray.put(stored)) if kept is None else kept
            return self._tasks[key]


def _name(item: Any) -> str:
    if isinstance(item, Segment):
        return f"{item.where}: sentence {item.number}"
    return reprlib.repr(item)
