"""``hopefear serve`` as a process: what it prints, what it keeps, and whom it lets in."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from support.small_session import write_system
from support.waiting import PATIENCE

SERVE = ("serve", "-c", "cdec.ini", "-w", "weights", "--set", "C=0.1", "--state", "state", "--port", 0)


@pytest.fixture(autouse=True)
def system(tmp_path: Path) -> Path:
    write_system(tmp_path)
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
