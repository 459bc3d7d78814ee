"""Results in the order of their items, each as soon as possible."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    begin: Callable[[Item], Future[Result]], items: Iterable[Item], room: Callable[[], int]
) -> Iterator[tuple[Item, Future[Result]]]:
    """Begin tasks in a thread that takes the items, and yield their futures in the items' order."""
    ahead = _Ahead(begin, items, room)
    try:
        yield from ahead
    finally:
        ahead.stop()


class _Ahead(Generic[Item, Result]):
    """Takes items and begins tasks in a thread, which ends with the items, or soon after `stop`."""

    def __init__(
        self, begin: Callable[[Item], Future[Result]], items: Iterable[Item], room: Callable[[], int]
    ) -> None:
        self._begin, self._items, self._room = begin, items, room
        self._begun: deque[tuple[Item, Future[Result]]] = deque()
        self._changed = Condition()
        self._ended = False
        self._error: BaseException | None = None
        Thread(target=self._take, name="hopefear-items", daemon=True).start()

    def __iter__(self) -> Iterator[tuple[Item, Future[Result]]]:
        while True:
            with self._changed:
                while not self._begun and not self._ended:
                    self._changed.wait()
                if not self._begun:
                    break
                taken = [self._begun.popleft()]
                while self._begun and self._begun[0][1].done():
                    taken.append(self._begun.popleft())
                self._changed.notify_all()
            yield from taken
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Cancel tasks that have not begun, and take no more items."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
            for _, future in self._begun:
                future.cancel()
            # The thread may wait for an item until the process ends, so it keeps no other objects alive.
            self._begun.clear()
            del self._begin, self._room

    def _take(self) -> None:
        try:
            for item in self._items:
                with self._changed:
                    if self._ended:
                        return
                    self._begun.append((item, self._begin(item)))
                    self._changed.notify_all()
                    while not self._ended and len(self._begun) >= self._room():
                        self._changed.wait()
        except BaseException as error:
            self._error = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()
