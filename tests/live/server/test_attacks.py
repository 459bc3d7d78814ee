"""What is tried against the API: nothing gives a status of 500, and nothing of it is accepted."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from support.live_server import BYTES, JSON, Session, Start, random_requests, small_store

from hopefear.decoder.compiled import compile_grammars
from hopefear.live.server import Access, Application, ServerLimits
from hopefear.live.server.guard import Guard, Message, Receive, Scope, Send

TOKEN = "a token of the tests, not a secret".replace(" ", "-")


def text_of(size: int) -> str:
    return json.dumps({"source": "la " * size})


BODIES = {
    "nothing": "",
    "no JSON": "{",
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "no fields": "{}",
    "a wrong type": '{"source": 7}',
    "a list of words": '{"source": ["la"]}',
    "an object": '{"source": {"la": 1}}',
    "half of a surrogate pair": '{"source": "\\ud800"}',
    "the other half": '{"source": "la \\udfff casa"}',
    "a zero byte": '{"source": "la\\u0000casa"}',
    "an escape sequence": '{"source": "\\u001b[2J"}',
    "a noncharacter": '{"source": "\\ufffe"}',
    "no words": '{"source": " \\t\\n "}',
    "too many words": text_of(201),
    "too many letters": '{"source": "' + "a" * 20_001 + '"}',
    "deep nesting": "[" * 100_000,
    "deep objects": '{"source":' * 20_000,
    "many digits": '{"source": "la", "nbest": ' + "9" * 5000 + "}",
    "a negative number": '{"source": "la", "nbest": -1}',
    "too large a number": '{"source": "la", "nbest": 1001}',
    "not a number": '{"source": "la", "nbest": NaN}',
    "infinity": '{"source": "la", "nbest": Infinity}',
    "a fraction": '{"source": "la", "nbest": 1.5}',
    "latin-1": b'{"source": "a\xf1o"}',
    "gzip": b"\x1f\x8b\x08\x00\x00",
    "two objects": '{"source": "la"}{"source": "la"}',
    "a comment": '{"source": "la"} // la',
}
"""Bodies for a request to translate."""

CERTAIN = [
    '<seg id="1" grammar="/etc/passwd">la casa</seg>',
    '<seg grammar="/dev/zero">la</seg>',
    "((('la',0,1),),)",
    "la ||| the",
    "|||",
    "[X,1] [X] [1] [NP,1]",
    "<s> la </s>",
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "{{7*7}} ${7*7} %s %n",
    "'; DROP TABLE corrections; --",
    "../../etc/passwd",
    "\u202ela casa\u202c",
    "a\u0300" * 50,
    "🙂 👩‍👩‍👧 \U0010ffff",
    "la\u00a0casa \u2028 \u200b",
    "=cmd|' /C calc'!A0",
    "PassThrough=1 PostEditSupport=1e308",
    "x" * 19_000,
    "la " * 200,
]
"""Texts that look like something else."""

PATHS = [
    "/../state",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc/passwd",
    "/page.js/../../workplace.py",
    "/%5c..%5c..%5cworkplace.py",
    "/workplace.py",
    "/__init__.py",
    "//etc/passwd",
    "/page.js%00.css",
    "/.env",
    "/api/sessions/..",
    "/api/sessions/../../etc",
    "/api/sessions/%2e%2e",
    "/api/sessions/serve.lock",
    "/api/sessions/000000000000",
    "/api/sessions/ABCDEFABCDEF",
    "/api/sessions/0123456789ab%0a",
    "/api/sessions/" + "0" * 5000,
    "/api/sessions/000000000000/memory.tmx",
    "/docs",
    "/redoc",
    "/openapi.json",
]

INSIDE = [
    "/documents/0",
    "/documents/2",
    "/documents/-1",
    "/documents/1e3",
    "/documents/..%2f..",
    "/documents/" + "9" * 400,
    "/documents/1/sentences/3",
    "/documents/1/sentences/-1",
    "/documents/1/sentences/99999999999999999999",
    "/documents/1/sentences/0/alternatives",
    "/documents/1/sentences/0/alternatives?begin=-1&end=2",
    "/documents/1/sentences/0/alternatives?begin=x&end=2",
    "/documents/1/sentences/0/alternatives?begin=0&end=1&most=1000000",
    "/documents/1/sentences/3/derivation.svg",
    "/documents/1/sentences/3/untouched",
    "/documents/7/export",
    "/corrections/0",
    "/corrections/1",
    "/corrections/x",
]


@pytest.fixture(scope="module")
def module_session(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Any:
    """Yield a session that attacks leave as it is."""
    store = small_store(request.getfixturevalue("system"), tmp_path_factory.mktemp("state"))
    app = Application(store, Access(rate=1e6, burst=1e6))
    with TestClient(app, base_url="http://localhost") as client:
        session = Session(client)
        session.add()
        yield session


def refused(status: int) -> bool:
    return 400 <= status < 500


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("path", ["/translate", "/corrections", "/documents/1/sentences/0"])
def test_a_malformed_body_is_refused(module_session: Session, path: str, body: str | bytes) -> None:
    content = body.replace("source", "target") if path.endswith("0") and isinstance(body, str) else body
    method = "PUT" if path.endswith("0") else "POST"
    answer = module_session.client.request(method, module_session.path + path, content=content, headers=JSON)
    assert refused(answer.status_code), answer.text
    assert isinstance(answer.json()["detail"], str)
    assert module_session.ask("GET")["accepted"] == 0


@pytest.mark.parametrize("path", PATHS)
def test_no_path_of_the_server_can_be_named(module_session: Session, path: str) -> None:
    for method in ("GET", "POST", "DELETE", "PUT"):
        answer = module_session.client.request(method, f"http://localhost{path}", headers=JSON, content="{}")
        assert refused(answer.status_code), (method, answer.text[:200])
        assert "root:" not in answer.text and "import" not in answer.text


@pytest.mark.parametrize("path", INSIDE)
def test_what_a_session_does_not_have(module_session: Session, path: str) -> None:
    answer = module_session.client.get(module_session.path + path)
    assert answer.status_code in (404, 422), answer.text


NAMES: dict[str, str | None] = {
    "a\0b.tsv": None,
    "a\x1b[31m.tsv": None,
    "a" * 10_000: None,
    "a\u202evst.exe": None,
    "\u2066a.tsv": None,
    "\u200b": None,
    "CON": "CON",
    "aux.tsv": "aux.tsv",
    "a.tsv ": "a.tsv",
    "a.": "a.",
    "..": "..",
    "a\r\nb.tsv": "a b.tsv",
    "caf\u00e9.tsv": "caf\u00e9.tsv",
    "cafe\u0301.tsv": "cafe\u0301.tsv",
    "a.\U0001f600.tsv": "a.\U0001f600.tsv",
    "a." + "\U0001f600" * 200: "a." + "\U0001f600" * 200,
    "a" * 296 + ".tsv": "a" * 296 + ".tsv",
}
"""Names of files and sessions, and as what they are kept; not, if None."""


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_names_are_kept_as_they_are_shown(module_session: Session, name: str) -> None:
    kept, ask = NAMES[name], module_session.ask
    status = 422 if kept is None else 201
    made = module_session.client.post("/api/sessions", json={"name": name})
    assert made.status_code == status and made.json().get("name") == kept
    renamed = ask("PATCH", json={"name": name}, status=200 if kept else 422)
    assert renamed.get("name") == kept
    file = {"content": b"la casa\tthe house\n", "headers": BYTES, "params": {"name": name, "format": "tsv"}}
    added = ask("POST", "/documents", status=status, **file)
    assert added.get("name") == kept
    if kept is not None:
        module_session.client.delete(f"/api/sessions/{made.json()['id']}")
        exported = ask("GET", f"/documents/{added['number']}/export").headers["content-disposition"]
        assert exported.isascii() and exported.isprintable()
    table = kept is not None and kept.endswith(".tsv")
    ask("POST", "/glossary", status=201 if table else 422, **file)
    ask("POST", "/memories", status=201 if table else 422, **file)
    if table:
        assert {"name": kept, "pairs": 1} in ask("GET")["memories"]
        ask("DELETE", "/memories", status=204, params={"name": kept})


def test_words_are_only_words(start: Start) -> None:
    """They are translated, learned, exported and read again as they are."""
    client = start(Access(rate=1e6, burst=1e6), limits=ServerLimits(words=200))
    learned = {}
    for words in CERTAIN:
        session = Session(client)
        session.add(f"{words}\nla casa\n", re.sub("[\u202a-\u202e]", "", f"{words[:40]}.txt"))
        source = " ".join(words.replace("\t", " ").split(" ")).strip()
        shown = session.show(0)
        assert " ".join(shown["source"]) == " ".join(source.split(" "))
        session.correct(0, words)
        assert session.ask("GET", "/documents/1")["text"][0]["target"] == source
        session.ask("GET", "/documents/1/sentences/0/derivation.svg")
        assert session.ask("POST", "/translate", json={"source": words})["nbest"]
        assert source in session.ask("GET", "/documents/1/export").text
        session.ask("GET", "/memory.tmx")
        session.settled(1)
        learned[session.id] = source
    client = start()
    for id, source in learned.items():
        assert Session(client, id).ask("GET")["corrections"][0]["target"] == source


@pytest.mark.parametrize(
    ("path", "size"), [("/translate", 40_000_000), ("/corrections", 200_001), ("/documents", 40_000_000)]
)
def test_a_long_body_is_refused(module_session: Session, path: str, size: int) -> None:
    for content in (b"a" * size, (b"a" * 50_000 for _ in range(size // 50_000 + 1))):  # told, and not told
        given = {"content": content, "headers": BYTES}
        answer = module_session.client.post(module_session.path + path, **given)
        assert answer.status_code == 413, answer.text


@pytest.mark.parametrize("length", ["-1", "1e9", "99999999999999999999", "x"])
def test_a_wrong_length_is_refused_or_ignored(module_session: Session, length: str) -> None:
    headers = {**JSON, "content-length": length}
    answer = module_session.client.post(module_session.path + "/translate", content="{}", headers=headers)
    assert refused(answer.status_code)


WRONG_TOKENS = {
    "nothing": {},
    "an empty token": {"authorization": "Bearer "},
    "another token": {"authorization": "Bearer 0000000000000000000000"},
    "a part of it": {"authorization": f"Bearer {TOKEN[:-1]}"},
    "more than it": {"authorization": f"Bearer {TOKEN}0"},
    "the other scheme": {"authorization": f"Basic {TOKEN}"},
    "no scheme": {"authorization": TOKEN},
    "bytes": {"authorization": b"Bearer \xff\xfe"},
    "the token as a cookie": {"cookie": f"hopefear={TOKEN}"},
    "a wrong cookie": {"cookie": "hopefear=0"},
    "a damaged cookie": {"cookie": 'hopefear="; =; \\'},
    "the token in the address": {},
}


@pytest.fixture(scope="module")
def closed(system: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Yield a client of a server with a token, which wrong tokens leave as it is."""
    store = small_store(system, tmp_path_factory.mktemp("state"))
    app = Application(store, Access(token=TOKEN, rate=1e6, burst=1e6))
    with TestClient(app, base_url="http://localhost") as client:
        yield client


@pytest.mark.parametrize("headers", WRONG_TOKENS.values(), ids=WRONG_TOKENS.keys())
def test_a_wrong_token_opens_nothing(closed: TestClient, headers: dict[str, Any]) -> None:
    client = closed
    for path in ("/api/sessions", "/api/system", "/api/openapi.json", "/api/sessions?token=" + TOKEN):
        assert client.get(path, headers=headers).status_code == 401
    assert client.post("/api/sessions", json={"name": "x"}, headers=headers).status_code == 401
    assert client.get("/", headers=headers).status_code == 200  # the page, which asks for the token
    assert client.post("/api/login", json={"token": "wrong"}).status_code == 401
    assert client.get("/api/sessions").status_code == 401


def test_the_token_opens_the_api_and_its_cookie_the_page(start: Start) -> None:
    client = start(Access(token=TOKEN))
    assert client.get("/api/sessions", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    answer = client.post("/api/login", json={"token": TOKEN})
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and TOKEN not in cookie
    assert client.get("/api/sessions").status_code == 200


def test_each_route_is_closed(closed: TestClient) -> None:
    """The table of routes is the server's own; tests of LibreTranslate's interface have its keys."""
    right = {"authorization": f"Bearer {TOKEN}"}
    schema = closed.get("/api/openapi.json", headers=right).json()
    values = {"session": "0" * 12, "document": "1", "index": "0", "number": "1", "name": "a"}
    routes = [
        (method.upper(), re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], "1"), path))
        for path, methods in schema["paths"].items()
        for method in methods
        if path.startswith("/api/")
    ]
    assert len(routes) > 30
    opened = []
    for method, path in routes:
        statuses = []
        for headers in ({}, {"authorization": "Bearer wrong"}, {**right, "host": "evil.example"}):
            given = {"headers": {**JSON, **headers}, "content": "{}"}
            statuses.append(closed.request(method, path, **given).status_code)
        if method != "GET":
            for headers in (FOREIGN["a foreign page"], FOREIGN["the browser says so"]):
                given = {"headers": {**JSON, **right, **headers}, "content": "{}"}
                statuses.append(closed.request(method, path, **given).status_code)
        if statuses[:2] != [401, 401] or statuses[2] != 421 or any(one != 403 for one in statuses[3:]):
            opened.append((method, path, statuses))
    assert opened == [("POST", "/api/login", [422, 422, 421, 403, 403])]


FOREIGN = {
    "a foreign page": {"origin": "http://evil.example"},
    "another port": {"origin": "http://localhost:1"},
    "a page without a name": {"origin": "null"},
    "a name that begins alike": {"origin": "http://localhost.evil.example"},
    "the browser says so": {"sec-fetch-site": "cross-site"},
    "the same site, not the same server": {"sec-fetch-site": "same-site"},
    "a form": {"content-type": "application/x-www-form-urlencoded"},
    "a form with files": {"content-type": "multipart/form-data; boundary=a"},
    "a form of text": {"content-type": "text/plain"},
    "no type": {"content-type": ""},
}


@pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_foreign_page_can_change_nothing(module_session: Session, headers: dict[str, str]) -> None:
    body = json.dumps({"source": "la", "target": "the"})
    given = {"content": body, "headers": {**JSON, **headers}}
    answer = module_session.client.post(f"{module_session.path}/corrections", **given)
    assert answer.status_code in (403, 415), answer.text
    assert "access-control-allow-origin" not in answer.headers
    assert module_session.ask("GET")["accepted"] == 0


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "192.0.2.1", "", "localhost@evil.example", "[::2]", "["],
)
def test_a_foreign_name_is_refused(module_session: Session, host: str) -> None:
    """Of DNS rebinding: a foreign name that points to this machine."""
    answer = module_session.client.get("/api/sessions", headers={"host": host})
    assert answer.status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:80", "LOCALHOST", "[::1]:8642"])
def test_own_names_are_answered(module_session: Session, host: str) -> None:
    assert module_session.client.get("/api/sessions", headers={"host": host}).status_code == 200


def test_any_address_is_answered_where_a_token_is_needed(start: Start) -> None:
    client = start(Access(token=TOKEN, any_address=True, hosts=("decoder.example",)))
    headers = {"authorization": f"Bearer {TOKEN}"}
    for host, status in (("192.0.2.1", 200), ("decoder.example", 200), ("evil.example", 421)):
        assert client.get("/api/sessions", headers={**headers, "host": host}).status_code == status


def test_who_asks_too_often_has_to_wait(start: Start) -> None:
    client = start(Access(rate=0.001, burst=5))
    answers = [client.get("/api/system") for _ in range(8)]
    assert [one.status_code for one in answers] == [200] * 5 + [429] * 3
    assert answers[-1].headers["retry-after"] == "1"


def test_sessions_documents_and_sentences_are_limited(start: Start) -> None:
    client = start(limits=ServerLimits(words=3, sentences=2, documents=1, sessions=1))
    session = Session(client)
    assert client.post("/api/sessions", json={"name": "two"}).status_code == 422
    assert "at most 2 sentences" in session.add("la\nla\nla\n", status=422)["detail"]
    session.add("la\nla casa es verde\n")
    assert "at most 1 documents" in session.add("la\n", status=422)["detail"]
    assert "4 words, more than 3" in session.show(1)["problem"]
    assert session.correct(0, "a b c d")["number"] is None
    assert session.ask("GET")["accepted"] == 0


def test_a_full_disk_is_told_and_nothing_is_accepted(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:

    def full(*given: object, **options: object) -> None:
        raise OSError(28, "No space left on device", "journal")

    with monkeypatch.context() as patch:
        patch.setattr("hopefear.live.stored_session.append_whole", full)
        assert "No space left" in session.correct(0, "the house", status=507)["detail"]
    assert session.ask("GET")["accepted"] == 0
    assert session.correct(0, "the house")["number"] == 1


def test_random_requests(module_session: Session) -> None:
    counts = random_requests(module_session, 300, seed=16)
    assert {200, 201, 422} <= counts.keys() and max(counts) < 500


def test_documents_that_come_slowly_cannot_take_all_memory() -> None:
    """The first two hold all that may be held until they have come; a correction is short, and never held."""
    access = Access(body=10, upload=1000, held=1500)
    came: list[int] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        came.append(len((await receive())["body"]))

    guard = Guard(app, access)

    async def ask(parts: asyncio.Queue[bytes], path: str = "/documents") -> int:
        statuses: list[int] = []

        async def receive() -> Message:
            part = await parts.get()
            return {"type": "http.request", "body": part, "more_body": bool(part)}

        async def send(message: Message) -> None:
            statuses.append(message.get("status", 0))

        headers = [(b"host", b"localhost"), (b"content-type", b"application/octet-stream")]
        scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "headers": headers,
            "client": ("a", 1),
        }
        await guard(scope, receive, send)
        return statuses[0] if statuses else 200

    async def trial() -> None:
        queues = [asyncio.Queue[bytes]() for _ in range(5)]
        first, second, third = (asyncio.create_task(ask(queue)) for queue in queues[:3])
        for queue in queues[:2]:
            queue.put_nowait(700 * b"a")
            await asyncio.sleep(0)
        queues[2].put_nowait(700 * b"a")
        assert await third == 503
        short = asyncio.create_task(ask(queues[3], "/corrections"))
        for part in (9 * b"a", b""):
            queues[3].put_nowait(part)
        assert await short == 200
        for queue in queues[:2]:
            queue.put_nowait(b"")
        assert (await first, await second) == (200, 200)
        again = asyncio.create_task(ask(queues[4]))
        for part in (900 * b"a", b""):
            queues[4].put_nowait(part)
        assert await again == 200
        assert came == [9, 700, 700, 900]

    asyncio.run(trial())


def test_a_model_that_is_cut_is_an_error_of_each_request(start: Start, system: Path, tmp_path: Path) -> None:
    config = shutil.copytree(system.parent, tmp_path / "system") / system.name
    compile_grammars([config.parent / "grammar"], config.parent / "grammar.hfg")
    config.write_text(config.read_text().replace("grammar=grammar\n", "grammar=grammar.hfg\n"))
    session = Session(start(config=config))
    session.add()
    session.ask("POST", "/translate", json={"source": "la casa"})
    os.truncate(config.parent / "grammar.hfg", 0)
    for _ in range(2):
        refused = session.ask("POST", "/translate", json={"source": "la casa muy verde"}, status=422)
        assert "grammar.hfg: expected a file that stays as it is" in json.dumps(refused)
    assert session.ask("GET")["name"] == "Tests"


@pytest.mark.slow
def test_fifty_sessions_at_once_and_documents_that_go_meanwhile(start: Start) -> None:
    client = start(Access(rate=1e6, burst=1e6))
    pair = {"source": "es", "target": "en"}

    def ask(method: str, path: str, body: dict[str, Any] | None = None) -> int:
        while (status := client.request(method, path, json=body).status_code) == 503:
            pass  # too many wait, as clients are told
        return status

    def work(number: int) -> list[int]:
        session = Session(client)
        session.add()
        text = f"{session.path}/documents/1"
        asked: list[tuple[str, str, dict[str, Any] | None]] = [
            ("GET", f"{text}/sentences/0", None),
            ("POST", "/translate", {"q": "la casa", **pair}),
            ("POST", "/suggest", {"q": "la casa", "s": f"the house {number}", **pair}),
            ("PUT", f"{text}/sentences/1", {"target": "the dragon", "revision": 0}),
        ]
        some = [asked[number % 4], ("DELETE", text, None), asked[(number + 1) % 4]]
        statuses = [*together.map(lambda one: ask(*one), some)]
        assert client.get(text).status_code == 404
        return statuses

    with ThreadPoolExecutor(50) as threads, ThreadPoolExecutor(20) as together:
        statuses = {status for answers in threads.map(work, range(50)) for status in answers}
    assert statuses <= {200, 201, 204, 404, 409}
