"""Calls in new processes, which end when this process ends, even if it is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from .faults import Recovery, WorkerDied

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

Result = TypeVar("Result")

GRACE = 2.0
"""Seconds that a process gets to remove files that it is writing."""

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Processes:
    """Calls functions from any thread, each call in a new process.

    The object is a context manager: at its end no process is left, and unfinished calls raise `WorkerDied`.
    """

    def __init__(self, recovery: Recovery | None = None) -> None:
        import multiprocessing

        self._recovery = recovery or Recovery()
        self._context = multiprocessing.get_context("spawn")
        self._changed = threading.Condition()
        self._processes: set[SpawnProcess] = set()
        self._ended = False

    def __enter__(self) -> Processes:
        """Return the object itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End all processes."""
        with self._changed:
            self._ended = True
        for end in ("terminate", "kill"):
            with self._changed:
                for process in self._processes:
                    getattr(process, end)()
                if self._changed.wait_for(lambda: not self._processes, GRACE):
                    return

    def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Call a function in a new process and return its result; all of it is pickled."""
        times = 0
        while True:
            try:
                return self._call(function, *arguments)
            except WorkerDied as error:
                if self._ended:
                    raise
                times += 1
                if times >= self._recovery.attempts:
                    error.times = times
                    raise

    def _call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        receiver, sender = self._context.Pipe(duplex=False)
        process = self._context.Process(target=_work, args=(sender, function, arguments))
        with self._changed:
            if self._ended:
                raise WorkerDied("stopped before the start")
            process.start()
            self._processes.add(process)
        sender.close()
        try:
            result: Result = receiver.recv()
        except EOFError:
            process.join()
            raise WorkerDied(f"the process {_how(process)}") from None
        except BaseException:
            process.terminate()
            raise
        else:
            return result
        finally:
            receiver.close()
            process.join(GRACE)
            process.kill()
            process.join()
            with self._changed:
                self._processes.discard(process)
                self._changed.notify_all()


def in_process(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function as `Processes.call` does."""
    with Processes() as processes:
        return processes.call(function, *arguments)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Limit the numerical libraries of new processes to one thread, unless the environment sets a number."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update({name: value or "1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]


def _how(process: SpawnProcess) -> str:
    code = process.exitcode
    if code is not None and code < 0:
        known = {each.value for each in signal.Signals}  # most real-time signals have no name
        name = signal.Signals(-code).name if -code in known else f"signal {-code}"
        return f"was ended by {name}" + (", perhaps for lack of memory" if name == "SIGKILL" else "")
    return f"ended with status {code}"


def _work(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _follow_parent()
    sender.send(function(*arguments))


def _follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and end when the parent ends, even if it is killed."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    parent, main = multiprocessing.parent_process(), threading.main_thread().ident
    assert parent is not None and main is not None

    def end() -> None:
        parent.join()
        signal.pthread_kill(main, signal.SIGTERM)
        time.sleep(GRACE)
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(1)
