"""The interface of LibreTranslate: what tools ask for, and what is tried against it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from fastapi.testclient import TestClient
from libretranslatepy import LibreTranslateAPI
from support.live_server import JSON, Session, Start, small_store
from support.waiting import wait_until

from hopefear.decoder import Hypergraph, Segment
from hopefear.live import LiveSession
from hopefear.live.server import Access, Application, ServerLimits

Tool = Callable[..., Any]

TOKEN = "a-token-of-the-tests"
PAIR = {"source": "es", "target": "en"}
SUGGESTION = {"q": "La casa es zorgulo.", "s": "The house is dragon.", **PAIR}
WORD = {"q": "Zorgulo.", **PAIR}
PAGE = "<html><body>\n<p>La <b>casa</b> es zorgulo. La casa.</p>\n</body></html>\n"
BOMB = """<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<xliff version="1.2"><file><body><trans-unit id="1"><source>&b;</source></trans-unit></body></file></xliff>
"""


@pytest.fixture
def client(start: Start, written: Path) -> TestClient:
    return start(config=written)


@pytest.fixture
def ask(client: TestClient) -> Tool:
    """Send what tools send, and give what they read."""
    return tool_of(client)


def tool_of(client: TestClient) -> Tool:
    def call(path: str, *, status: int = 200, **given: Any) -> Any:
        answer = client.post(path, **given)
        assert answer.status_code == status, answer.text
        found = answer.json()
        assert status == 200 or list(found) == ["error"]
        return found

    return call


@pytest.fixture(scope="module")
def shared_ask(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tool]:
    """Send what is refused, and so leaves the server as it is."""
    store = small_store(written, tmp_path_factory.mktemp("state"), languages=("es", "en"))
    with TestClient(Application(store, Access(rate=1e6, burst=1e6)), base_url="http://localhost") as client:
        yield tool_of(client)


@pytest.fixture
def address(written: Path, tmp_path: Path) -> Iterator[str]:
    """Run a server that listens, and knows a token."""
    app = Application(small_store(written, tmp_path / "state", languages=("es", "en")), Access(token=TOKEN))
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_until(lambda: server.started, "the server listens")
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        app.stop()
        server.should_exit = True
        thread.join()


def test_the_python_client_is_answered(address: str) -> None:
    tool = LibreTranslateAPI(address, TOKEN)
    assert [(each["code"], each["name"]) for each in tool.languages()] == [
        ("es", "Spanish"),
        ("en", "English"),
    ]
    found = tool.translate("La casa %s.\n\n  Zorgulo!\n", "es", "en")
    assert found.startswith("The house %s.\n\n  ") or found.startswith("Her home %s.\n\n  ")
    assert found.endswith("Zorgulo!\n")
    (detected,) = tool.detect("La casa zorgulo zorgulo")
    assert detected == {"language": "es", "confidence": 50.0}


def test_requests_of_weblate_are_answered(client: TestClient, ask: Tool) -> None:
    """What ``weblate.machinery.libretranslate`` of Weblate 5.14 sends, recorded in a run of its class.

    Before a server is taken into the settings, a word is wanted from English to German, whatever the server
    translates. Then come lists in JSON, a string an entry; in 2021 it was a form of one text.
    """
    headers = {"user-agent": "Weblate/5.14.3", "accept": "application/json; charset=utf-8"}
    headers["referer"] = "http://example.com"  # the site of Weblate
    assert [each["code"] for each in client.get("/languages", headers=headers).json()] == ["es", "en"]

    def asked(*texts: str, **languages: str) -> list[str]:
        body = {"api_key": "", "q": texts, **(languages or PAIR)}
        found = ask("/translate", json=body, headers=headers)
        assert list(found) == ["translatedText"]
        return list(found["translatedText"])

    assert asked("test", source="en", target="de") == ["test"]
    ask("/translate", status=400, json={"q": ["tests"], "source": "en", "target": "de"})
    one, other, *empty = asked("[X0X] casa\n", "[X0X] zorgulo\n", "", "  ")
    assert re.fullmatch(r"\[X0X\] (house|home)\n", one) and other == "[X0X] zorgulo\n"
    assert empty == ["", "  "]
    (close,) = asked("La [X6X]casa[X13X] y [X20X]")  # a tag is as close to its words as it was
    assert re.search(r"\[X6X\]\w+\[X13X\]", close) and close.count("[X20X]") == 1
    (kept,) = asked("La casa &amp; %(count)d {nombre} &lt;")
    assert all(piece in kept for piece in ("&amp;", "%(count)d", "{nombre}", "&lt;"))
    form = {"api_key": "", "q": "[X0X] casa\n", **PAIR}
    assert ask("/translate", data=form) == {"translatedText": one}


def test_requests_of_omegat_are_answered(client: TestClient, ask: Tool) -> None:
    """A form of one segment, whose tags are short and have numbers."""
    desk = Session(client)
    found = ask("/translate", data={"q": "La <f0>casa</f0> verde <f1/> es zorgulo.", **PAIR})
    text = found["translatedText"]
    assert re.search(r"<f0>\w+</f0>", text) and text.count("<f1/>") == 1
    ask("/suggest", data={"q": "La <f0>casa</f0> verde.", "s": "The green <f0>house</f0>.", **PAIR})
    (learned,) = desk.settled(1)["corrections"]
    assert (learned["source"], learned["target"]) == ("La casa verde.", "The green house.")


def test_a_suggestion_is_learned_as_a_correction_at_the_desk(client: TestClient, ask: Tool) -> None:
    desk = Session(client)
    assert "ragon" not in ask("/translate", data=WORD)["translatedText"]
    assert ask("/suggest", data=SUGGESTION) == {"success": True}
    assert ask("/translate", data=WORD)["translatedText"].lower() == "dragon."
    state = desk.settled(1)  # of the only session, which is the desk's
    assert state["corrections"][0]["source"] == SUGGESTION["q"]
    assert ["zorgulo", "dragon"] in state["corrections"][0]["rules"]
    desk.ask("DELETE", "/corrections/1", status=204)
    assert "ragon" not in ask("/translate", data=WORD)["translatedText"]


def test_a_suggestion_of_several_sentences_teaches_each(client: TestClient, ask: Tool) -> None:
    desk = Session(client)
    ask("/suggest", json={**SUGGESTION, "q": "La casa. El zorgulo.", "s": "The house. The dragon."})
    assert [one["target"] for one in desk.settled(2)["corrections"]] == ["The dragon.", "The house."]
    ask("/suggest", json={**SUGGESTION, "q": "La casa. El zorgulo.", "s": "The house and the dragon."})
    assert desk.settled(3)["corrections"][0]["source"] == "La casa. El zorgulo."


def test_a_suggestion_of_which_a_sentence_is_refused_teaches_nothing(client: TestClient, ask: Tool) -> None:
    desk, long = Session(client), f"verde{' verde' * 250}."
    error = ask(
        "/suggest", status=400, json={**SUGGESTION, "q": f"La casa. El {long}", "s": f"The house. The {long}"}
    )
    assert "words" in error["error"]
    assert desk.ask("GET")["accepted"] == 0


def test_tools_work_in_the_session_that_has_their_name_else_in_the_oldest(
    client: TestClient, ask: Tool
) -> None:
    ask("/translate", data=WORD)
    (made,) = client.get("/api/sessions").json()  # there was none
    assert made["name"] == "Tools"
    client.delete(f"/api/sessions/{made['id']}")
    first, second = (
        client.post("/api/sessions", json={"name": name}).json()["id"] for name in ("Anna", "Ben")
    )
    ask("/suggest", data=SUGGESTION)
    third = client.post("/api/sessions", json={"name": "Tools"}).json()["id"]
    ask("/suggest", data=SUGGESTION)
    ask("/suggest", data=SUGGESTION)
    accepted = [client.get(f"/api/sessions/{id}").json()["accepted"] for id in (first, second, third)]
    assert accepted == [1, 0, 2]


def test_alternatives_and_the_language_that_is_found(ask: Tool) -> None:
    found = ask("/translate", json={"q": "La casa", **PAIR, "alternatives": 3})
    texts = [found["translatedText"], *found["alternatives"]]
    assert sorted(texts) == ["Her home", "Her house", "The home", "The house"]  # all that the grammar has
    found = ask(
        "/translate", data={"q": "La casa.", "source": "auto", "target": "en-GB", "alternatives": "1"}
    )
    assert len(found["alternatives"]) == 1
    assert found["detectedLanguage"] == {"language": "es", "confidence": 66.7}  # the full stop is not known
    found = ask("/translate", json={"q": ["la", "zorgulo"], "source": "auto", "target": "en"})
    assert [one["confidence"] for one in found["detectedLanguage"]] == [100.0, 0.0]


def test_a_text_is_translated_once_also_if_its_language_is_asked_for(
    ask: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, asked = LiveSession.translate, list[str]()

    def counted(self: LiveSession, segment: Segment, document: int | None = None) -> Hypergraph:
        asked.append(segment.text)
        return plain(self, segment, document)

    monkeypatch.setattr(LiveSession, "translate", counted)
    ask("/translate", data={"q": "La casa. El zorgulo.", "source": "auto", "target": "en"})
    assert len(asked) == 2


def test_tags_and_characters_of_html_stay(ask: Tool) -> None:
    given = "<meta charset=latin-1><p>La <b>cása</b> &lt; <br>\n <i>verde</i>.</p><p></p>"
    found = ask("/translate", json={"q": given, **PAIR, "format": "html"})["translatedText"]
    for piece in ("<meta charset=latin-1><p>", "<b>cása</b>", "&lt;", "<br>", "</i>", "</p><p></p>"):
        assert found.count(piece) == 1
    assert ask("/translate", json={"q": "<br>", **PAIR, "format": "html"})["translatedText"] == "<br>"


def test_a_file_is_translated(client: TestClient, ask: Tool) -> None:
    ask("/suggest", data=SUGGESTION)
    url = ask("/translate_file", data=PAIR, files={"file": ("Señal.html", PAGE.encode())})[
        "translatedFileUrl"
    ]
    answer = client.get(url)
    assert answer.text.startswith("<html><body>\n<p>") and answer.text.endswith(".</p>\n</body></html>\n")
    assert "dragon" in answer.text and answer.text.count("<b>") == 1
    assert answer.headers["content-disposition"].endswith("filename*=UTF-8''Se%C3%B1al.en.html")
    assert client.get(f"{url}0").status_code == 404


def test_translations_of_a_file_stay(client: TestClient, ask: Tool) -> None:
    content = b'#, fuzzy\nmsgid "verde"\nmsgstr "red"\n\nmsgid "la"\nmsgstr ""\n'
    url = ask("/translate_file", data=PAIR, files={"file": ("a.po", content)})["translatedFileUrl"]
    begin, _, rest = client.get(url).text.partition('msgid "la"')
    assert begin.encode() == content.partition(b'msgid "la"')[0] and not rest.startswith('\nmsgstr ""')


def test_a_sentence_that_is_too_long_stays(start: Start, written: Path) -> None:
    ask = tool_of(start(config=written, limits=ServerLimits(words=4)))
    text = "La casa es muy verde. Zorgulo."
    assert ask("/translate", data={"q": text, **PAIR}) == {"translatedText": text}


def test_the_settings_say_what_is_served(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    found = client.get("/frontend/settings").json()
    assert (found["keyRequired"], found["suggestions"]) == (False, True)
    assert {".po", ".xliff", ".html", ".txt"} <= set(found["supportedFilesFormat"])
    assert found["language"]["target"] == {"code": "en", "name": "English"}


WRONG = {
    "no text": ({**PAIR}, "missing q"),
    "an empty text": ({"q": "", **PAIR}, "missing q"),
    "no source": ({"q": "la", "target": "en"}, "missing source"),
    "the other direction": ({"q": "la", "source": "en", "target": "es"}, "translates es to en"),
    "no language": ({"q": "la", "source": "es", "target": "\0"}, "code of a language"),
    "another format": ({"q": "la", **PAIR, "format": "pdf"}, "format"),
    "many alternatives": ({"q": "la", **PAIR, "alternatives": 10**6}, "alternatives"),
    "10,000 texts": ({"q": ["la"] * 10_000, **PAIR}, "at most 1000 texts"),
    "a number": ({"q": 7, **PAIR}, "q"),
    "half of a surrogate pair": ({"q": "la \ud800", **PAIR}, ""),
    "a zero byte": ({"q": "la \0", **PAIR}, ""),
    "a long line": ({"q": "a" * 20_001, **PAIR}, ""),
}


@pytest.mark.parametrize(("given", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_requests_are_refused_as_tools_expect(
    shared_ask: Tool, given: dict[str, Any], message: str
) -> None:
    assert message in shared_ask("/translate", status=400, content=json.dumps(given), headers=JSON)["error"]


BODIES = {
    "no JSON": ("application/json", b"{"),
    "a list": ("application/json", b"[]"),
    "deep nesting": ("application/json", b'{"q":' * 20_000),
    "not a number": ("application/json", b'{"q": NaN}'),
    "many fields": ("application/x-www-form-urlencoded", b"q=la&" * 10_000),
    "latin-1": ("application/x-www-form-urlencoded", b"q=a%F1o&source=es&target=en"),
    "no boundary": ("multipart/form-data", b"--a\r\n"),
    "no end": (
        "multipart/form-data; boundary=a",
        b'--a\r\ncontent-disposition: form-data; name="q"\r\n\r\nla',
    ),
    "many parts": ("multipart/form-data; boundary=a", b"--a\r\n\r\n\r\n" * 10_000 + b"--a--"),
    "a part without a name": ("multipart/form-data; boundary=a", b"--a\r\n\r\nla\r\n--a--"),
    "a long header": ("multipart/form-data; boundary=a", b"--a\r\na: " + b"b" * 9_000 + b"\r\n\r\n\r\n--a--"),
}


JSON_FAULTS = {
    "{": "the end of the text at line 1, column 2",
    '{"q": "la"': "the end of the text at line 1, column 11",
    "{'q': 'la'}": """\"'q': 'la'}\" at line 1, column 2""",
    '{\n"q": la}': "'la}' at line 2, column 6",
    '{"q": "la"} x': "'x' at line 1, column 13",
}


@pytest.mark.parametrize("body", JSON_FAULTS)
def test_broken_json_is_refused_in_plain_words(shared_ask: Tool, body: str) -> None:
    error = shared_ask("/translate", status=400, content=body, headers=JSON)["error"]
    assert error == f"expected JSON, got {JSON_FAULTS[body]}"


def test_fields_may_be_in_the_query(client: TestClient, ask: Tool) -> None:
    """In LibreTranslate they may, with a form or without a body."""
    desk, text = Session(client), {"translatedText": "Zorgulo."}
    assert ask("/translate", params=WORD) == text
    assert ask("/translate", params=PAIR, data={"q": "Zorgulo."}) == text
    assert ask("/translate", params={**WORD, "q": "La"}, json={"q": "Zorgulo."}) == text
    assert "missing q" in ask("/translate", status=400, params=PAIR)["error"]
    assert "50 fields" in ask("/translate?" + "q=la&" * 60, status=400)["error"]
    ask("/suggest", status=403, params=SUGGESTION, headers={"origin": "http://evil.example"})
    assert ask("/suggest", params=SUGGESTION) == {"success": True}
    assert desk.settled(1)["corrections"][0]["source"] == SUGGESTION["q"]


def test_every_path_of_tools_answers_errors_alike(start: Start, written: Path) -> None:
    client = start(config=written)
    missing = [client.get(path) for path in ("/translate", "/download_file/x", "/health/x")]
    assert [answer.status_code for answer in missing] == [404] * 3
    strangers = [client.get(path, headers={"host": "evil.example"}) for path in ("/languages", "/health")]
    assert [answer.status_code for answer in strangers] == [421, 421]
    assert all(list(answer.json()) == ["error"] for answer in (*missing, *strangers))
    assert list(client.get("/api/nothing").json()) == ["detail"]
    broken = client.post("/api/sessions", content='{"name": x}', headers=JSON)
    assert broken.json() == {"detail": "expected JSON, got 'x}' at line 1, column 10"}


@pytest.mark.parametrize(("kind", "body"), BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("path", ["/translate", "/suggest", "/translate_file"])
def test_wrong_bodies_are_refused(shared_ask: Tool, path: str, kind: str, body: bytes) -> None:
    shared_ask(path, status=400, content=body, headers={"content-type": kind})


FILES = {
    "binary": ("a.txt", b"\x7fELF\x00\xff\xfe\x80" * 100),
    "an unknown ending": ("a.epub", b"la casa"),
    "an XML bomb": ("a.xlf", BOMB.encode()),
    "empty": ("a.txt", b""),
    "too many sentences": ("a.txt", b"la\n" * 5),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES.keys())
def test_wrong_files_are_refused(start: Start, written: Path, file: tuple[str, bytes]) -> None:
    ask = tool_of(start(config=written, limits=ServerLimits(sentences=4)))
    ask("/translate_file", status=400, data=PAIR, files={"file": file})


def test_oversized_bodies_are_refused(start: Start, written: Path) -> None:
    ask = tool_of(start(Access(body=1_000, upload=2_000), config=written))
    ask("/translate", status=413, data={"q": "la " * 400, **PAIR})
    ask("/translate_file", data=PAIR, files={"file": ("a.txt", b"la casa\n" * 150)})
    ask("/translate_file", status=413, data=PAIR, files={"file": ("a.txt", b"la casa\n" * 300)})


FOREIGN = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_form_of_a_foreign_page_teaches_nothing(
    client: TestClient, ask: Tool, headers: dict[str, str]
) -> None:
    desk = Session(client)
    ask("/suggest", status=403, data=SUGGESTION, headers=headers)
    ask("/suggest", status=403, json=SUGGESTION, headers=headers)
    ask("/suggest", status=421, data=SUGGESTION, headers={"host": "evil.example"})
    ask("/suggest", status=415, content=json.dumps(SUGGESTION), headers={"content-type": "text/plain"})
    assert desk.ask("GET")["accepted"] == 0


def test_the_key_is_the_token(start: Start, written: Path) -> None:
    client = start(Access(token=TOKEN), config=written)
    ask = tool_of(client)
    for key in ({}, {"api_key": ""}, {"api_key": TOKEN[:-1]}, {"api_key": f"{TOKEN}0"}):
        ask("/suggest", status=401, data={**SUGGESTION, **key})
        ask("/translate", status=401, json={**WORD, **key})
    ask("/translate", status=401, json={**WORD, "api_key": [TOKEN]})
    ask("/translate", status=401, content=b"{", headers=JSON)
    assert ask("/translate", json={**WORD, "api_key": TOKEN}) == ask(
        "/translate", data=WORD, headers={"authorization": f"Bearer {TOKEN}"}
    )
    ask("/translate", params={**WORD, "api_key": TOKEN})
    ask("/translate", status=401, params={**WORD, "api_key": f"{TOKEN}0"})
    files = {"file": ("a.txt", b"la casa\n")}
    ask("/translate_file", status=401, data=PAIR, files=files)
    url = ask("/translate_file", data={**PAIR, "api_key": TOKEN}, files=files)["translatedFileUrl"]
    assert client.get(url).text.count("\n") == 1
    assert client.get("/frontend/settings").json()["keyRequired"] is True
    # A key opens the paths of tools, not those of the page.
    assert client.post("/api/sessions", json={"name": "x", "api_key": TOKEN}).status_code == 401


def test_who_guesses_keys_has_to_wait(start: Start, written: Path) -> None:
    client = start(Access(token=TOKEN, rate=0.001, burst=5), config=written)
    answers = [client.post("/translate", data={**WORD, "api_key": str(i)}) for i in range(8)]
    assert [one.status_code for one in answers] == [401] * 5 + [429] * 3
