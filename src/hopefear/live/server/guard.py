"""What every request must pass before the application sees it."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hopefear.base import InputError
from hopefear.base.cache import BoundedCache
from hopefear.base.texts import BLANK

from .bodies import FORMS, fields
from .errors import answer

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "hopefear"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_MOST_CLIENTS = 10_000
_READING = ("GET", "HEAD")
_BODIES = ("application/json", "application/octet-stream")
_UPLOADS = ("/documents", "/memories", "/glossary", "/translate_file")
PAGE = Path(__file__).parent / "page"

_OPEN = {"/api/login", "/", *(f"/{path.name}" for path in PAGE.iterdir())}
"""What is given without a token: the page itself, which holds nothing of anybody."""

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The policy of a drawing, which has styles but no scripts."""


@dataclass(frozen=True)
class Access:
    """Who may ask for how much."""

    hosts: tuple[str, ...] = ()
    any_address: bool = False
    token: str | None = None
    body: int = 200_000
    upload: int = 32_000_000
    held: int = 100_000_000
    rate: float = 50.0
    burst: float = 200.0
    seconds: float = 30.0


class Refused(Exception):
    """A request is refused."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Guard:
    """An ASGI application that checks requests for another one, and adds headers to its responses."""

    app: App
    access: Access
    clock: Callable[[], float] = time.monotonic
    keyed: Collection[str] = ()
    open: tuple[str, ...] = ()
    error_field: Callable[[str], str] = lambda path: "detail"
    _saved: dict[str, tuple[float, float]] = field(default_factory=lambda: BoundedCache(_MOST_CLIENTS))
    _held: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                added = [(k.encode(), v.encode()) for k, v in _HEADERS.items() if k.encode() not in present]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        path: str = scope["path"]
        is_keyed = path in self.keyed
        token = None if path in _OPEN or path.startswith(self.open) else self.access.token
        try:
            headers = _headers(scope)
            self._check_rate(scope)
            self._check_host(headers)
            self._check_origin(scope, headers)
            if token is not None and not is_keyed:
                self._check_token(headers, token)
            body = await self._body(scope, headers, receive)
            self._count(scope)
            if token is not None and is_keyed and not _has_key(scope, headers, body, token):
                self._check_token(headers, token)
        except Refused as refused:
            refusal = answer(refused.status, str(refused), self.error_field(path))
            refusal.headers["connection"] = "close"
            await refusal(scope, receive, sending)
            return
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receiving() -> Message:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, receiving, sending)

    def _check_rate(self, scope: Scope) -> None:
        if self._saved_up(scope)[1] < 1:
            raise Refused(429, f"expected at most {self.access.rate:g} requests in a second")

    def _count(self, scope: Scope) -> None:
        """Count a request that has come as a whole: others do not use up what their address may ask for."""
        client, saved = self._saved_up(scope)
        self._saved[client] = saved - 1, self.clock()

    def _saved_up(self, scope: Scope) -> tuple[str, float]:
        client, now = str((scope.get("client") or ("",))[0]), self.clock()
        saved, before = self._saved.get(client, (self.access.burst, now))
        return client, min(self.access.burst, saved + (now - before) * self.access.rate)

    def _check_host(self, headers: dict[str, str]) -> None:
        name = _name(headers.get("host", ""))
        if name in (*_LOOPBACK, *self.access.hosts) or (
            self.access.any_address and _address(name) is not None
        ):
            return
        raise Refused(421, f"this server is not called {name!r}; see --host")

    def _check_origin(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuse what a foreign page asks for; programs that are no browsers send none of these headers."""
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != headers.get("host"):
            raise Refused(403, "expected a request from the page of this server")
        if scope["method"] in _READING:
            return
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "expected a request from the page of this server")
        # A form of a foreign page cannot send these types, and its scripts would have to ask first. Where
        # forms are taken, `Origin` and `Sec-Fetch-Site` tell what a browser sends for a foreign page.
        kind = headers.get("content-type", "").partition(";")[0].strip(BLANK).lower()
        kinds = (_BODIES[0], *FORMS) if scope["path"] in self.keyed else _BODIES
        may_lack_body = scope["method"] == "DELETE" or scope["path"] in self.keyed
        if kind not in kinds and not (may_lack_body and not kind):
            raise Refused(415, f"expected a body of the type {' or '.join(kinds)}, got {kind!r}")

    def _check_token(self, headers: dict[str, str], token: str) -> None:
        kind, _, sent = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and same(sent.strip(BLANK), token):
            return
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        if cookie is not None and same(cookie.value, cookie_of(token)):
            return
        raise Refused(401, "expected the token of this server")

    async def _body(self, scope: Scope, headers: dict[str, str], receive: Receive) -> bytes:
        """Read the whole body, so that nothing works on a request that is not there."""
        most = self.access.upload if scope["path"].endswith(_UPLOADS) else self.access.body
        too_long = Refused(413, f"expected a body of at most {most:,} bytes")
        length = headers.get("content-length", "0")
        if length.isdecimal() and (len(length) > 12 or int(length) > most):
            raise too_long
        parts: list[bytes] = []
        held = 0

        async def read() -> None:
            nonlocal held
            size = 0
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "the request ended early")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    raise too_long
                if size > self.access.body:
                    held, self._held = size, self._held + size - held
                if self._held > self.access.held and held:
                    raise Refused(503, "too many documents are under way")
                if not message.get("more_body", False):
                    return

        try:
            await asyncio.wait_for(read(), self.access.seconds)
        except asyncio.TimeoutError:  # in Python 3.10 it is not the built-in one
            raise Refused(408, f"expected the body within {self.access.seconds:g} seconds") from None
        finally:
            self._held -= held
        return b"".join(parts)


def _has_key(scope: Scope, headers: dict[str, str], body: bytes, token: str) -> bool:
    """Tell whether a request has the token as its ``api_key``."""
    try:
        key = fields(headers.get("content-type", ""), body, scope["query_string"]).get("api_key")
    except InputError:
        return False
    return isinstance(key, str) and same(key, token)


def same(secret: str, expected: str) -> bool:
    """Compare secrets in a time that does not depend on them."""
    sides = (sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (secret, expected))
    return hmac.compare_digest(*sides)


def cookie_of(token: str) -> str:
    """Return what the browser keeps of a token."""
    return hmac.new(token.encode(), b"the page of hopefear serve", sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Tell whether only programs of this machine can reach an address."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _headers(scope: Scope) -> dict[str, str]:
    headers: dict[str, str] = {}
    pairs: Iterable[tuple[bytes, bytes]] = scope["headers"]
    for name, value in pairs:
        key = name.decode("latin-1").lower()
        if key in headers and key in ("host", "origin", "authorization", "content-length", "content-type"):
            raise Refused(400, f"expected one header {key}")
        headers[key] = (
            f"{headers[key]}; {value.decode('latin-1')}" if key in headers else value.decode("latin-1")
        )
    return headers


def _name(host: str) -> str:
    """Return the name of a host without its port, in lower case."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(name)
    return None
