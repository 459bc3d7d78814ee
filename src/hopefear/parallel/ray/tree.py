"""Reductions whose partial results stay on the nodes that made them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from .calls import LogEntry, RayTask, TaskCall
from .dispatch import RayDispatcher
from .worker import PartialResultsLost, fetched

Then = Callable[[BaseException | None], None]


class Part:
    """A partial result, with the parts that it is made from.

    It is made when all needed parts are ready, and made again if it was lost with its node. The needed parts
    are released as soon as it is ready.
    """

    def __init__(self, dispatcher: RayDispatcher, task: RayTask, needs: list[Part] | Any, name: str) -> None:
        self._dispatcher, self._task, self._needs, self._name = dispatcher, task, needs, name
        self._stored: Any = None
        self._making = False
        self._error: BaseException | None = None
        self._then: list[Then] = []
        dispatcher.do(self._make)

    def wait(self) -> None:
        """Wait until the result is ready."""
        there: Future[None] = Future()
        self._dispatcher.do(partial(self._when_made, partial(_settle, there)))
        there.result()

    def value(self) -> Any:
        """Wait for the result, and return it."""
        while True:
            self.wait()
            try:
                return fetched([self._stored])[0]
            except PartialResultsLost:
                self._dispatcher.do(self._forget)

    # The rest runs in the dispatcher's thread.

    def _when_made(self, then: Then) -> None:
        if self._stored is not None or self._error is not None:
            then(self._error)
        else:
            self._then.append(then)
            self._make()

    def _make(self) -> None:
        if self._making or self._stored is not None or self._error is not None:
            return
        self._making = True
        if not isinstance(self._needs, list):
            return self._send([self._needs])
        missing = [part for part in self._needs if part._stored is None]
        left = len(missing)

        def one_more(error: BaseException | None) -> None:
            nonlocal left
            left -= 1
            if error is not None:
                self._end(error)
            elif not left and self._making:
                self._making = False
                self._make()  # the first part may have been lost while the last was made

        if not missing:
            self._send([part._stored for part in self._needs])
        for part in missing:
            part._when_made(one_more)

    def _send(self, stored: list[Any]) -> None:
        entry = LogEntry(stored, lambda: self._name)
        entry.future.add_done_callback(self._made)
        self._dispatcher.send(TaskCall(self._task, [entry], partial=True))

    def _made(self, future: Future[Any]) -> None:
        error = future.exception()
        if isinstance(error, PartialResultsLost):
            for index in error.indices:
                self._needs[index]._forget()
            self._making = False
            self._make()
        elif error is not None:
            self._end(error)
        else:
            self._stored = future.result()
            if isinstance(self._needs, list):
                for part in self._needs:
                    part._forget()
            self._end(None)

    def _forget(self) -> None:
        self._stored = None

    def _end(self, error: BaseException | None) -> None:
        self._making, self._error = False, error
        then, self._then = self._then, []
        for each in then:
            each(error)


def of_one(task: Callable[[Any], Any], stored: list[Any]) -> Any:
    """Call a task with the single item of a list."""
    return task(stored[0])


def _settle(future: Future[None], error: BaseException | None) -> None:
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
