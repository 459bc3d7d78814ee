"""The one thread that works for all sessions: what somebody waits for comes before what gives way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from itertools import count
from typing import Any, TypeVar

from hopefear.base import PluginError

from .errors import Busy

Result = TypeVar("Result")


class _Rank(IntEnum):
    """The order of the calls that wait."""

    AWAITED, GIVING_WAY, IDLE = range(3)


class Desk:
    """Runs calls one after the other in a thread of its own; the event loop goes on meanwhile.

    The decoder works for one session at a time, and its C++ code releases the interpreter lock.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls = asyncio.PriorityQueue[
            tuple[_Rank, int, Callable[[], Any], asyncio.Future[Any], Callable[[], object] | None]
        ]()
        self._give_way: Callable[[], object] | None = None  # of the call that is running
        self._numbers = count()
        self._thread = ThreadPoolExecutor(1, "desk")
        self._waiting = 0

    async def run(self) -> None:
        """Work until the task is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            *_, call, asked, self._give_way = await self._calls.get()
            try:
                result = await loop.run_in_executor(self._thread, _called, call)
            except Exception as error:
                _give(asked, error=error)
            else:
                _give(asked, result)
            self._give_way = None

    async def ask(
        self,
        call: Callable[[], Result],
        *,
        idle: bool = False,
        give_way: Callable[[], object] | None = None,
    ) -> Result:
        """Run a call, and wait for its result; it runs to its end even if nobody waits any more."""
        if not idle and self._waiting >= self._most:
            raise Busy
        asked: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting += not idle
        asked.add_done_callback(lambda _: self._leave(idle))
        rank = _Rank.IDLE if idle else _Rank.AWAITED if give_way is None else _Rank.GIVING_WAY
        if rank is _Rank.AWAITED and self._give_way is not None:
            self._give_way()
        self._calls.put_nowait((rank, next(self._numbers), call, asked, give_way))
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
