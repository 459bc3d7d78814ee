"""What the routes ask of sessions, in the decoder's thread; watchers are told of changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from hopefear.base import InputError
from hopefear.tuners.contract import TuningError

from .decoder_thread import DecoderThread
from .errors import Busy, NotFound
from .models import SessionState
from .session_service import SessionService
from .session_store import SessionStore
from .work_queue import Step

Result = TypeVar("Result")

_WAITING, _WATCHERS = 64, 100


class _Change:
    """The next change of a session: whether it came, and the state before it, which all watchers share."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.before: asyncio.Future[SessionState] | None = None


class Watchers:
    """Clients that are told of each change of a session."""

    def __init__(self, read: Callable[[str], Awaitable[SessionState]]) -> None:
        self._read = read
        self._changes: dict[str, _Change] = {}
        self._count, self._stopped = 0, False

    def stop(self) -> None:
        """Let all watchers go."""
        self._stopped = True
        for change in self._changes.values():
            change.came.set()

    def tell(self, session: str) -> None:
        """Tell the watchers of a session that it has changed."""
        change = self._changes.pop(session, None)
        if change is not None:
            change.came.set()

    @asynccontextmanager
    async def counted(self) -> AsyncIterator[None]:
        """Count a watcher, until the answer has ended; there are not too many at once."""
        if self._count >= _WATCHERS:
            raise Busy
        self._count += 1
        try:
            yield
        finally:
            self._count -= 1

    async def states(self, session: str) -> AsyncIterator[SessionState]:
        """Iterate over the states of a session: now, and after each change."""
        while not self._stopped:
            change = self._changes.setdefault(session, _Change())
            if change.before is None:
                change.before = asyncio.ensure_future(self._read(session))
                change.before.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                state = await asyncio.shield(change.before)
            except NotFound:
                return  # it was removed
            yield state
            await change.came.wait()


class Dispatcher:
    """Gives the sessions of a store their work, one call after the other, and background work in between."""

    def __init__(self, store: SessionStore, warn: Callable[[str], None]) -> None:
        self.store, self._warn = store, warn
        self.decoder = DecoderThread(_WAITING)
        self.watchers = Watchers(lambda session: self.ask(session, SessionService.state, idle=True))
        self._background: dict[str, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def running(self, app: object) -> AsyncIterator[None]:
        """Work while the application runs; then save and close the sessions."""
        decoding = asyncio.create_task(self.decoder.run())
        try:
            yield
        finally:
            self.watchers.stop()
            for task in (decoding, *self._background.values()):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            self.decoder.close()
            self.store.close()

    async def ask(
        self,
        session: str,
        call: Callable[[SessionService], Result],
        *,
        idle: bool = False,
        give_way: Callable[[], object] | None = None,
    ) -> Result:
        """Ask something of a session, as `DecoderThread.ask` does it."""
        return await self.decoder.ask(lambda: call(self.store.open(session)), idle=idle, give_way=give_way)

    async def change(self, session: str, call: Callable[[SessionService], Result]) -> Result:
        """Ask for something that changes a session."""
        result = await self.ask(session, call)
        self.changed(session)
        return result

    def changed(self, session: str) -> None:
        """Tell the watchers of a session, and do its background work when nobody waits."""
        self.watchers.tell(session)
        self.work_off(session)

    def work_off(self, session: str) -> None:
        """Do the background work of a session when nobody waits."""
        task = self._background.get(session)
        if task is None or task.done():
            self._background[session] = asyncio.create_task(self._work_off(session))

    async def _work_off(self, session: str) -> None:
        try:
            while (step := await self.ask(session, _step, idle=True)) is not None:
                if step.rest is None:
                    self.watchers.tell(session)
                else:  # it takes long, and keeps nobody from the decoder
                    await asyncio.to_thread(step.rest)
        except NotFound:
            pass
        except (InputError, TuningError, OSError, ValueError) as error:
            self._warn(f"session {session}: not yet saved: {error}")


def _step(service: SessionService) -> Step | None:
    return service.queue.step()
