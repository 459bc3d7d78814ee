"""The one thread that works for all sessions: what somebody waits for comes before what gives way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from itertools import count
from typing import Any, NamedTuple, TypeVar

from hopefear.base import PluginError

from .errors import Busy

Result = TypeVar("Result")


class _Rank(IntEnum):
    """The order of the calls that wait."""

    AWAITED, GIVING_WAY, IDLE = range(3)


class _Call(NamedTuple):
    """A call that waits; two are never compared beyond their numbers."""

    rank: _Rank
    number: int
    work: Callable[[], Any]
    answer: asyncio.Future[Any]
    give_way: Callable[[], object] | None


class DecoderThread:
    """Runs calls one after the other in a thread of its own; the event loop goes on meanwhile."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._calls = asyncio.PriorityQueue[_Call]()
        self._running: _Call | None = None
        self._numbers = count()
        self._thread = ThreadPoolExecutor(1, "decoder")
        self._waiting = 0

    async def run(self) -> None:
        """Work until the task is cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            call = self._running = await self._calls.get()
            try:
                result = await loop.run_in_executor(self._thread, _worked, call.work)
            except Exception as error:
                call.answer.set_exception(error)
                call.answer.exception()  # whoever asked may be gone
            else:
                call.answer.set_result(result)
            self._running = None

    async def ask(
        self,
        work: Callable[[], Result],
        *,
        idle: bool = False,
        give_way: Callable[[], object] | None = None,
    ) -> Result:
        """Run a call, and wait for its result; it runs to its end even if nobody waits any more."""
        if not idle and self._waiting >= self._most:
            raise Busy
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        if not idle:
            self._waiting += 1
            answer.add_done_callback(self._leave)
        rank = _Rank.IDLE if idle else _Rank.AWAITED if give_way is None else _Rank.GIVING_WAY
        if rank is _Rank.AWAITED and self._running is not None and self._running.give_way is not None:
            self._running.give_way()
        self._calls.put_nowait(_Call(rank, next(self._numbers), work, answer, give_way))
        return await asyncio.shield(answer)

    def close(self) -> None:
        """Wait for the call that is running; the others are dropped."""
        self._thread.shutdown(cancel_futures=True)

    def _leave(self, answer: asyncio.Future[Any]) -> None:
        self._waiting -= 1


def _worked(work: Callable[[], Result]) -> Result:
    """Run a call in the decoder's thread, where only code of a plugin can raise what ends a process."""
    try:
        return work()
    except (KeyboardInterrupt, SystemExit) as error:
        raise PluginError(f"a plugin raised {type(error).__name__}") from error
