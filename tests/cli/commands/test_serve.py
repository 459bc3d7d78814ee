"""``hopefear serve`` as a process: what it prints, what it keeps, and whom it lets in."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from support.sessions import LIVE
from support.waiting import PATIENCE, wait_until
from support.world import configure

SERVE = ("serve", "-c", "cdec.ini", "-w", "weights", "--set", "C=0.1", "--state", "state", "--port", 0)


@pytest.fixture(autouse=True)
def system(tmp_path: Path) -> Path:
    LIVE.write(tmp_path)
    return tmp_path


def address(process: subprocess.Popen[str]) -> str:
    """Wait until the server says where it is."""
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.fullmatch(r"ready: (http://\S+)\n", line)
    assert match, (line, process.communicate())
    return match[1]


def ask(url: str, method: str = "GET", body: Any = None, **headers: str) -> Any:
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    request = urllib.request.Request(url, data, {"content-type": kind, **headers}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or b"null")


@pytest.mark.slow
def test_a_killed_server_loses_no_accepted_correction(start):
    process = start(*SERVE)
    url = address(process)
    (session,) = ask(f"{url}api/sessions")
    assert session["name"] == "First session"
    path = f"api/sessions/{session['id']}"
    document = ask(f"{url}{path}/documents?name=a.txt", "POST", b"la casa es zorgulo\nel zorgulo\n")
    assert document["sentences"] == 2
    correction = {"target": "the house is dragon", "revision": 0}
    ask(f"{url}{path}/documents/1/sentences/0", "PUT", correction)
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    again = start(*SERVE)
    url = address(again)
    assert ask(f"{url}{path}")["accepted"] == 1
    assert ask(f"{url}{path}/documents/1")["text"][0]["target"] == "the house is dragon"
    assert "dragon" in ask(f"{url}{path}/documents/1/sentences/1")["text"]
    again.send_signal(signal.SIGTERM)
    assert again.wait(PATIENCE) in (0, -signal.SIGTERM)
    assert again.stderr is not None and again.stderr.read() == ""


def test_what_is_no_http_ends_its_own_connection_only(start):
    process = start(*SERVE)
    url = address(process)
    port = int(url.rstrip("/").rpartition(":")[2])
    head = b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    garbage = [
        b"\0\1\2\3",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000,
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
        head + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        head + b"Content-Length: 9\r\n\r\n{",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]
    for sent in garbage:
        with socket.create_connection(("127.0.0.1", port), 60) as connection, suppress(OSError):
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(20)
            assert answer == b"" or answer[9:10] == b"4", (sent[:80], answer)
    with ExitStack() as waiting:  # connections that say nothing, or half of a request
        for sent in (b"", head, head + b"Content-Length: 9\r\n\r\n{") * 10:
            connection = waiting.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            connection.sendall(sent)
        assert ask(f"{url}api/sessions")
    assert process.poll() is None


def test_another_address_needs_a_token_which_is_printed_once(start):
    process = start(*SERVE, "--host", "0.0.0.0")
    url, _, token = address(process).partition("#token=")
    url = url.replace("0.0.0.0", "127.0.0.1")
    assert len(token) >= 32
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(f"{url}api/sessions")
    assert refused.value.code == 401
    refused.value.close()
    assert len(ask(f"{url}api/sessions", authorization=f"Bearer {token}")) == 1


def test_the_token_of_a_file_is_not_printed(start, tmp_path):
    (tmp_path / "token").write_text("a-token-of-the-tests\n")
    url = address(start(*SERVE, "--token-file", "token"))
    assert url.endswith("/")
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(f"{url}api/sessions")
    refused.value.close()
    assert ask(f"{url}api/sessions", authorization="Bearer a-token-of-the-tests")


def test_two_servers_of_one_folder(start, run):
    address(start(*SERVE))
    assert "another server is using this folder" in run(*SERVE, status=2).stderr


def test_a_server_that_cannot_listen_lets_go_of_its_folder(run):
    for _ in range(2):
        done = run(*SERVE, "--host", "192.0.2.1", status=2)
        assert "cannot listen on 192.0.2.1" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--adapt", "words"), "--adapt: expected rules, lm or both, got 'words'"),
        (("--learn", "mera"), "--learn: "),
        (("--forget", "3w"), "--forget: expected a number of corrections"),
        (("--languages", "es"), "--languages: expected two codes, such as es:en, got 'es'"),
        (("--token-file", "none"), "none: No such file"),
        (("--token-file", "short"), "short: expected a token of at least 16 characters"),
        (("--host", "192.0.2.1"), "cannot listen on 192.0.2.1, port 0"),
        (("--set", "D=1"), "D"),
    ],
)
def test_wrong_options(run, tmp_path, options, message):
    (tmp_path / "short").write_text("0123456789")
    assert message in run(*SERVE, *options, status=2).stderr


def test_idle_and_slow_connections_keep_nobody_out(start):
    url = address(start(*SERVE))
    port = int(url.rstrip("/").rpartition(":")[2])
    (session,) = ask(f"{url}api/sessions")
    with ExitStack() as stack:

        def connect(text: bytes) -> socket.socket:
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            with suppress(OSError):
                one.sendall(text)
            return one

        post = b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        slow = [b"", b"G", b"GET / HTTP/1.1\r\nHost:", post + b"Content-Length: 100\r\n\r\n{"]
        for number in range(450):
            connect(slow[number % len(slow)])
        assert ask(f"{url}api/sessions") == [session]
        watch = f"GET /api/sessions/{session['id']}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        watchers = [connect(watch) for _ in range(101)]
        answers = [one.recv(100).split(b"\r\n")[0] for one in watchers]
        assert answers == [b"HTTP/1.1 200 OK"] * 100 + [b"HTTP/1.1 503 Service Unavailable"]
        assert ask(f"{url}api/sessions") == [session]
        for one in watchers[:50]:
            one.close()

        def is_let_in() -> bool:
            return b" 200 OK" in connect(watch).recv(100)

        wait_until(is_let_in, "the places of watchers that have gone are free")


@pytest.mark.parametrize(
    ("limits", "places"), [((1024, 4096), (1500, 1200)), ((1024, 1024), (524, 419)), ((256, 256), (128, 102))]
)
def test_places_are_as_many_as_the_process_may_open_files(limits, places):
    pytest.importorskip("fastapi")
    asked = "from hopefear.live.server.connections import Places; one = Places.for_process()"
    code = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, {limits}); {asked}; print(vars(one))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(f"{{'_most': {places[0]}, '_share': {places[1]},")


def test_where_all_are_served_the_next_connection_is_refused():
    connections = pytest.importorskip("hopefear.live.server.connections")
    from uvicorn import Config
    from uvicorn.server import ServerState

    ended = []

    class Transport(asyncio.Transport):
        def __init__(self, address: str) -> None:
            super().__init__()
            self.address, self.written, self.is_open = address, b"", True

        def get_extra_info(self, name: str, default: object = None) -> object:
            return {"peername": (self.address, 1), "sockname": ("127.0.0.1", 2)}.get(name)

        def is_closing(self) -> bool:
            return not self.is_open

        def write(self, data: bytes) -> None:
            self.written += data

        def close(self) -> None:
            self.is_open = False
            ended.append(self)
            asyncio.get_running_loop().call_soon(self.protocol.connection_lost, None)

        abort = close

        def pause_reading(self) -> None:
            pass

        resume_reading = pause_reading

    async def app(scope, receive, send):
        await asyncio.sleep(PATIENCE)

    async def trial() -> None:
        config, state, places = Config(app), ServerState(), connections.Places(3, 2)
        config.load()

        def connect(address: str, *, asks: bool) -> Transport:
            transport = Transport(address)
            transport.protocol = one = connections.ClientConnection(config, state, {}, places=places)
            one.connection_made(transport)
            if asks and transport.is_open:
                one.data_received(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return transport

        first = connect("1.1.1.1", asks=True)
        idle = connect("1.1.1.1", asks=False)
        newer = connect("1.1.1.1", asks=True)  # its address has its share: the idle one goes
        assert ended == [idle]
        refused = connect("1.1.1.1", asks=True)
        assert ended == [idle, refused] and refused.written.startswith(b"HTTP/1.1 503")
        assert json.loads(refused.written.partition(b"\r\n\r\n")[2])["detail"]
        other = connect("2.2.2.2", asks=False)
        assert other.is_open
        last = connect("3.3.3.3", asks=True)  # all places are taken: again the idle one goes
        assert ended[2:] == [other] and last.is_open
        late = connect("4.4.4.4", asks=True)
        assert ended[3:] == [late] and late.written.startswith(b"HTTP/1.1 503")
        assert first.is_open and newer.is_open
        for task in state.tasks:
            task.cancel()

    asyncio.run(trial())


def test_files_of_sessions_are_for_one_user(start, tmp_path):
    (tmp_path / "state" / "old").mkdir(parents=True)
    (tmp_path / "state" / "old" / "text").write_text("secret")
    url = address(start(*SERVE))
    (session,) = ask(f"{url}api/sessions")
    ask(f"{url}api/sessions/{session['id']}/documents?name=a.txt", "POST", b"la casa\n")
    ask(f"{url}api/sessions/{session['id']}/documents/1/sentences/0", "PUT", {"target": "a", "revision": 0})
    paths = [tmp_path / "state", *(tmp_path / "state").rglob("*")]
    assert len(paths) > 6
    assert {path.name: path.stat().st_mode & 0o077 for path in paths if path.stat().st_mode & 0o077} == {}


EVIL = """
from hopefear import EdgeFeatures

class Evil(EdgeFeatures):
    def fire(self, edges, segment):
        raise KeyboardInterrupt if "casa" in segment.tokens else SystemExit(7)
"""


def test_a_plugin_cannot_end_the_server(start, tmp_path):
    (tmp_path / "evil.py").write_text(EVIL)
    configure(tmp_path, "feature_function=evil:Evil")
    url = address(start(*SERVE))
    (session,) = ask(f"{url}api/sessions")
    for text in ("la casa", "la"):
        with pytest.raises(urllib.error.HTTPError) as failed:
            ask(f"{url}api/sessions/{session['id']}/translate", "POST", {"source": text})
        assert failed.value.code == 422
        failed.value.close()
    assert ask(f"{url}api/sessions") == [session]


@pytest.mark.long(10)
@pytest.mark.parametrize(
    ("options", "source", "codes"),
    [
        ((), "Que en aquellos días, asentado que fué", ["es", "en"]),
        (("--tokens",), "que en aquellos días , asentado", ["und"] * 2),
    ],
)
def test_the_book_is_served_as_written_or_as_tokens(start, options, source, codes):
    process = start("serve", "--state", "state", "--port", 0, *options)
    url = address(process)
    assert ask(f"{url}api/system")["languages"] == codes
    (session,) = ask(f"{url}api/sessions")
    shown = ask(f"{url}api/sessions/{session['id']}/documents/1/sentences/1")
    assert shown["line"].startswith(source)
    assert shown["text"][0].isupper() == (not options)
