"""Connections of clients, who may let the server wait only for a while and never keep others out."""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST, SHARE = 400, 300
"""The most connections, and those of one address."""

HEADERS, UNREAD = 10.0, 30.0
"""Seconds in which a client must send the headers of a request, and go on reading an answer."""

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 46\r\n"
    b"retry-after: 1\r\nconnection: close\r\n\r\n"
    b'{"detail": "there are too many connections"}\r\n'
)


class Connection(H11Protocol):
    """A connection that ends where its client lets the server wait for too long, or where a place is needed.

    If there are too many connections, or too many of one address, the one that has let the server wait for
    the longest time ends: idle, or without a complete request. An address with many connections comes first.
    Only where all have complete requests the new connection is refused.
    """

    _timer: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _waits_since = 0.0

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

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
        self._waits_since = self.loop.time()
        self._timer = self.loop.call_later(HEADERS, transport.close)
        others = [cast("Connection", one) for one in self.connections if one is not self]
        others = [one for one in others if not one.transport.is_closing()]
        own = [one for one in others if one._address == self._address]
        if len(own) >= SHARE:
            self._take_place_of_one(own)
        elif len(others) >= MOST:
            self._take_place_of_one(others)

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        if not self._is_idle:
            self._cancel()
        elif self._timer is None:
            self._timer = self.loop.call_later(HEADERS, self.transport.close)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request; uvicorn has a time limit for its first byte."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

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
        super().connection_lost(exc)  # calls resume_writing

    def _take_place_of_one(self, others: list[Connection]) -> None:
        counts: dict[str, int] = {}
        for one in others:
            counts[one._address] = counts.get(one._address, 0) + 1
        waiting = [one for one in others if one._waits]
        if not waiting:
            self.transport.write(_FULL)
            self.transport.close()
            return
        last = max(waiting, key=lambda one: (counts[one._address], -one._waits_since))
        last.transport.abort()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
