"""Objects in separate processes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Lock
from typing import Any

import ray

from ..executor import Actor
from ..faults import WorkerDied
from .processes import start_process
from .published import Log
from .worker import merge_packed, pickled
from .workers import first_line


class RayActor(Actor):
    """An object in a process that Ray has started."""

    def __init__(
        self, make: list[Any], node: str, log: Log, do: Callable[[Callable[[], None]], None]
    ) -> None:
        self._make, self._node, self._log, self._do = make, node, log, do
        self._lock = Lock()
        self._process = self._start()

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Call a method of the object, after all earlier calls."""
        result: Future[Any] = Future()
        result.set_running_or_notify_cancel()
        with self._lock:
            reply = self._process.call.remote("call", method, pickled(arguments))
        reply.future().add_done_callback(lambda reply: self._do(partial(_pass_on, result, reply)))
        return result

    def restart(self) -> None:
        """End the process, and make the object again in a new process."""
        with self._lock:
            ray.kill(self._process)
            self._process = self._start()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            ray.kill(self._process)

    def _start(self) -> Any:
        arguments = (self._make, self._log.after(0))
        return start_process("hopefear.parallel.ray.worker", "ActorState", arguments, node=self._node)


def _pass_on(result: Future[Any], reply: Future[tuple[bytes, bytes]]) -> None:
    error = reply.exception()
    if isinstance(error, ray.exceptions.RayError) and not isinstance(error, ray.exceptions.RayTaskError):
        return result.set_exception(WorkerDied(f"the process of an actor died: {first_line(error)}"))
    try:
        if error is not None:
            raise error
        blob, deltas = reply.result()
        merge_packed(deltas)
        value = pickle.loads(blob)[0].get()
    except BaseException as raised:  # SystemExit, too
        result.set_exception(raised)
    else:
        result.set_result(value)
