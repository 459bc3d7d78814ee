"""A small server of the board, for browsers of this machine."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from hopefear.base import InputError

_HOST = "127.0.0.1"
_NAMES = ("127.0.0.1", "localhost")


def serve(page: str, board: Callable[[], str], *, port: int, on_ready: Callable[[str, int], None]) -> None:
    """Serve the page at ``/`` and what it shows at ``/board``, until the process gets a signal."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if name not in _NAMES:  # so that no foreign page can read the board
                self._answer(403, "this board is for browsers of this machine")
            elif self.path == "/":
                self._answer(200, page)
            elif self.path == "/board":
                try:
                    self._answer(200, board())
                except InputError as error:
                    self._answer(500, str(error))
            elif self.path == "/favicon.ico":
                self._answer(204, "")
            else:
                self._answer(404, "not found")

        def _answer(self, status: int, text: str) -> None:
            content = text.encode("utf-8", "backslashreplace")
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if status == 200 else "text/plain")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Write no log."""

    try:
        server = ThreadingHTTPServer((_HOST, port), Handler)
    except (OSError, OverflowError) as error:
        raise InputError(f"cannot listen at port {port}: {error}") from None
    with server:
        server.daemon_threads = True
        on_ready(_HOST, server.server_address[1])
        server.serve_forever()
