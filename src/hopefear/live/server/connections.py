"""Connections of clients, who may let the server wait only for a while and never keep others out."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter, defaultdict
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST, SHARE = 1500, 1200
"""The most connections, and those of one address; fewer if the process may not open as many files."""

_FILES = 500
"""How many files beside connections the process opens at most: those of sessions, above all."""

HEADERS, UNREAD = 10.0, 30.0
"""Seconds in which a client must send the headers of a request, and go on reading an answer."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 46\r\n"
    b"retry-after: 1\r\nconnection: close\r\n\r\n"
    b'{"detail": "there are too many connections"}\r\n'
)


class Places:
    """The places of the connections of a server."""

    def __init__(self, most: int, share: int) -> None:
        self._most, self._share = most, share
        self._taken: set[ClientConnection] = set()
        self._counts: Counter[str] = Counter()  # by address
        self._waiting: defaultdict[str, dict[ClientConnection, None]] = defaultdict(dict)  # the longest first

    @classmethod
    def for_process(cls) -> Places:
        """Give as many places as this process may open files, after asking for more files if need be."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        needed = MOST + _FILES
        if hard != resource.RLIM_INFINITY:
            needed = min(needed, hard)
        if soft != resource.RLIM_INFINITY and soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
        most = max(needed - _FILES, needed // 2)
        return cls(most, most * SHARE // MOST)

    def take(self, connection: ClientConnection) -> bool:
        """Give a connection a place, if need be that of another one, which ends; False if all are at work."""
        crowded: list[str] | None = None
        if self._counts[connection.address] >= self._share:
            crowded = [connection.address]
        elif len(self._taken) >= self._most:
            crowded = [*self._waiting]
        if crowded is not None:
            waiting = [next(iter(self._waiting[address]), None) for address in crowded]
            last = min(filter(None, waiting), key=self._rank, default=None)
            if last is None:
                return False
            self.leave(last)
            last.transport.abort()
        self._taken.add(connection)
        self._counts[connection.address] += 1
        self.wait(connection)
        return True

    def wait(self, connection: ClientConnection) -> None:
        """Note that a connection waits for its client from now on."""
        if connection in self._taken:
            self.work(connection)
            self._waiting[connection.address][connection] = None

    def work(self, connection: ClientConnection) -> None:
        """Note that a connection does not wait for its client."""
        self._waiting.get(connection.address, {}).pop(connection, None)

    def leave(self, connection: ClientConnection) -> None:
        """Take the place of a connection back, if it has one."""
        if connection in self._taken:
            self._taken.remove(connection)
            self.work(connection)
            self._counts[connection.address] -= 1
            if not self._counts[connection.address]:
                del self._counts[connection.address], self._waiting[connection.address]

    def _rank(self, connection: ClientConnection) -> tuple[int, float]:
        return -self._counts[connection.address], connection.waits_since


class ClientConnection(H11Protocol):
    """A connection that ends where its client lets the server wait too long, or where a place is needed."""

    def __init__(self, *arguments: Any, places: Places, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._places = places
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self.address, self.waits_since = "", 0.0

    @property
    def _is_idle(self) -> bool:
        """Whether no request has begun, or none since the last answer."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _waits(self) -> bool:
        """Whether the client is to send something."""
        return self._is_idle or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place among the connections, or be refused."""
        super().connection_made(transport)
        self.address, self.waits_since = self.client[0] if self.client else "", self.loop.time()
        if self._places.take(self):
            self._timer = self.loop.call_later(HEADERS, transport.close)
        else:
            transport.write(_FULL)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        if not self._is_idle:
            self._cancel()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADERS, self.transport.close)
        if not self._waits:
            self._places.work(self)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request; uvicorn has a time limit for its first byte."""
        self.waits_since = self.loop.time()
        self._places.wait(self)
        super().on_response_complete()
        if not self._waits:  # the next request has come already
            self._places.work(self)

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has read."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._cancel()
        self._places.leave(self)
        super().connection_lost(exc)  # calls resume_writing

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
