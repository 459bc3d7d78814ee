"""The server that runs the application."""

from __future__ import annotations

import gc
import socket
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from types import FrameType

import uvicorn

from hopefear.base import InputError

from .application import Application
from .connections import MOST, ClientConnection, Places

_GRACE = 3  # seconds in which requests may end
_AT_ONCE = 32  # connections that are accepted before the server looks at what those before have sent


class _Server(uvicorn.Server):
    """Lets the watchers go when a signal comes: they would keep the server from ending."""

    def __init__(self, config: uvicorn.Config, app: Application) -> None:
        super().__init__(config)
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; the connections that wait to be accepted are not limited to those accepted at once."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(MOST)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._app.stop()


def serve(app: Application, *, host: str, port: int, on_ready: Callable[[str, int], None]) -> None:
    """Serve an application until SIGINT or SIGTERM comes."""
    listening = _listening(host, port)
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        lifespan="on",
        server_header=False,
        proxy_headers=False,
        http=partial(ClientConnection, places=Places.for_process()),  # type: ignore[arg-type]
        backlog=_AT_ONCE,
        timeout_graceful_shutdown=_GRACE,
    )
    with listening:
        gc.collect()
        gc.freeze()  # a collection that looks through the whole system would keep a translator waiting
        on_ready(host, listening.getsockname()[1])
        _Server(config, app).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as failed:
            listening = failed.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(MOST)
            failed.pop_all()
    except (OSError, UnicodeError) as error:
        raise InputError(f"cannot listen on {host}, port {port}: {error}") from None
    return listening
