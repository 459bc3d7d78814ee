"""Code that runs in the processes of workers and actors."""

from __future__ import annotations

import pickle
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import ray
from ray import cloudpickle

from hopefear.base.cache import BoundedCache

from ..replicas import Replica, deltas_of_replicas, merge_deltas
from .published import PublishedChange

TASKS_KEPT = 16  # per process


def pickled(value: Any) -> bytes:
    """Pickle a value; functions and classes of scripts or functions are pickled by their code."""
    return bytes(cloudpickle.dumps(value))  # type: ignore[no-untyped-call]


class TaskFailed(Exception):
    """The traceback of an exception in another process, as text; the cause of the exception raised here."""


class _Done:
    """A result to send."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def get(self) -> Any:
        return self.value


class _Raised:
    """An exception to send, with its traceback."""

    def __init__(self, error: BaseException) -> None:
        self.text = "".join(traceback.format_exception(error))
        try:
            self.error = pickled(error)
            pickle.loads(self.error)
        except Exception:
            self.error = pickle.dumps(RuntimeError(self.text))

    def get(self) -> Any:
        error = pickle.loads(self.error)
        error.__cause__ = TaskFailed(f"\n{self.text}")
        raise error


Outcome = _Done | _Raised


def outcome(function: Callable[..., Any], *arguments: Any) -> Outcome:
    """Call a function, and store its result or its exception."""
    try:
        return _Done(function(*arguments))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit would end the worker in silence
        return _Raised(error)


def packed(outcomes: list[Outcome]) -> bytes:
    """Pickle outcomes; an outcome that cannot be pickled becomes the error of pickling it."""
    try:
        return pickled(outcomes)
    except Exception:
        return pickled([_checked(each) for each in outcomes])


def _checked(one: Outcome) -> Outcome:
    try:
        pickled(one)
        return one
    except Exception as error:
        return _Raised(error)


class WorkerState:
    """The state of a worker's process: tasks and published weights."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks = BoundedCache[bytes, Callable[[Any], Any]](TASKS_KEPT)
        self._weights: dict[str, Replica] = {}  # kept until the process ends
        self._version = 0

    def run(
        self, key: bytes, task: list[Any], changes: list[tuple[int, Any]], items: list[bytes]
    ) -> tuple[int, float, bytes, bytes]:
        """Call a task with items."""
        begin = time.perf_counter()
        prepared = outcome(self._prepare, key, task, changes)
        if isinstance(prepared, _Raised):
            outcomes: list[Outcome] = [prepared] * len(items)
        else:
            called = prepared.value
            outcomes = [outcome(lambda item=item: called(pickle.loads(item))) for item in items]
        result = packed(outcomes)
        deltas = packed_deltas()
        return self._version, time.perf_counter() - begin, result, deltas

    def learn(self, changes: list[tuple[int, Any]]) -> None:
        """Apply published changes of weights in order, each change once."""
        with self._lock:
            for version, change in changes:
                if version > self._version:
                    read: PublishedChange = ray.get(change)
                    weights = read.apply()
                    self._weights[weights.token] = weights
                    self._version = version

    def _prepare(self, key: bytes, task: list[Any], changes: list[tuple[int, Any]]) -> Callable[[Any], Any]:
        self.learn(changes)
        with self._lock:
            kept = self._tasks.get(key)
            self._tasks[key] = pickle.loads(ray.get(task[0])) if kept is None else kept
            return self._tasks[key]


class ActorState:
    """The state of an actor's process: the object, or the error in making it."""

    def __init__(self, make: list[Any], changes: list[tuple[int, Any]]) -> None:
        self._worker = WorkerState()

        def made() -> Any:
            self._worker.learn(changes)
            return pickle.loads(ray.get(make[0]))()

        self._object = outcome(made)

    def call(self, method: str, arguments: bytes) -> tuple[bytes, bytes]:
        """Call a method, and return the outcome and deltas for `merge_packed`."""
        result = packed([outcome(lambda: getattr(self._object.get(), method)(*pickle.loads(arguments)))])
        return result, packed_deltas()


def packed_deltas() -> bytes:
    """Pickle the deltas of the replicas in this process; empty bytes if there are none."""
    deltas = deltas_of_replicas()
    return pickled(deltas) if deltas else b""


def merge_packed(deltas: bytes) -> None:
    """Merge pickled deltas of replicas into the objects of this process."""
    if deltas:
        merge_deltas(pickle.loads(deltas))
