"""The one thread that works for all sessions: what somebody waits for comes before what nobody waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, TypeVar

from hopefear.base import PluginError

from .errors import Busy

Result = TypeVar("Result")


class Desk:
    """Runs calls one after the other in a thread of its own; the event loop goes on meanwhile.

    The decoder works for one session at a time, and its C++ code releases the interpreter lock.

    Parameters
    ----------
    most : int
        The most calls that wait, without the idle ones.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls: asyncio.PriorityQueue[tuple[bool, int, Callable[[], Any], asyncio.Future[Any]]]
        self._calls = asyncio.PriorityQueue()
        self._numbers = count()
        self._thread = ThreadPoolExecutor(1, "desk")
        self._waiting = 0

    async def run(self) -> None:
        """Work until the task is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            *_, call, asked = await self._calls.get()
            try:
                result = await loop.run_in_executor(self._thread, _called, call)
            except Exception as error:
                _give(asked, error=error)
            else:
                _give(asked, result)

    async def ask(self, call: Callable[[], Result], *, idle: bool = False) -> Result:
        """Run a call, and wait for its result; it runs to its end even if nobody waits any more.

        Parameters
        ----------
        idle : bool
            Run the call when no other waits.

        Raises
        ------
        Busy
            Too many calls are waiting.
        """
        if not idle and self._waiting >= self._most:
            raise Busy
        asked: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting += not idle
        asked.add_done_callback(lambda _: self._leave(idle))
        self._calls.put_nowait((idle, next(self._numbers), call, asked))
        return await asyncio.shield(asked)

    def close(self) -> None:
        """Wait for the call that is running; the others are dropped."""
        self._thread.shutdown(cancel_futures=True)

    def _leave(self, idle: bool) -> None:
        self._waiting -= not idle


def _called(call: Callable[[], Result]) -> Result:
    """Run a call in the desk's thread, where only code of a plugin can raise what ends a process."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit) as error:
        raise PluginError(f"a plugin raised {type(error).__name__}") from error


def _give(asked: asyncio.Future[Any], result: object = None, *, error: Exception | None = None) -> None:
    if error is None:
        asked.set_result(result)
        return
    asked.set_exception(error)
    asked.exception()  # whoever asked may be gone
