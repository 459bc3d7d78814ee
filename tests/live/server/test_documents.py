"""Documents: their sentences, states, changes, names and exports."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient
from support.live_server import DRAGON, Session, Start

from hopefear.live.server import Received

CATALOGUE = """msgid "la casa"
msgstr "the house"

#, fuzzy
msgid "verde"
msgstr "red"

msgid "zorgulo"
msgstr ""

msgid "la"
msgstr ""

msgid "es"
msgstr ""

msgctxt "again"
msgid "la"
msgstr ""
"""


def test_documents_of_one_session_share_what_is_learned(session: Session) -> None:
    assert session.add("el zorgulo\n", "b.txt")["number"] == 2
    session.correct(0, DRAGON)
    assert session.show(0, 2)["text"] == "el dragon"
    assert [one["corrected"] for one in session.ask("GET")["documents"]] == [1, 0]


def test_the_document_and_a_memory_are_exported(session: Session) -> None:
    session.correct(1, "the dragon is green")
    session.ask("POST", "/corrections", json={"source": "muy", "target": "very"}, status=201)
    answer = session.ask("GET", "/documents/1/export")
    assert answer.text == "la casa es zorgulo\nthe dragon is green\nla casa verde\n"
    assert (
        answer.headers["content-disposition"]
        == "attachment; filename=\"a.en.txt\"; filename*=UTF-8''a.en.txt"
    )
    memory = session.ask("GET", "/memory.tmx")
    segments = [one.text for one in ET.fromstring(memory.content).iter("seg")]
    assert segments == ["el zorgulo es verde", "the dragon is green", "muy", "very"]


def test_a_document_gets_another_name(session: Session, start: Start) -> None:
    assert session.ask("PATCH", "/documents/1", json={"name": "b.txt"})["name"] == "b.txt"
    session.ask("PATCH", "/documents/1", json={"name": ""}, status=422)
    session.ask("PATCH", "/documents/2", json={"name": "a"}, status=404)
    session = Session(start(), session.id)
    assert session.ask("GET", "/documents/1")["name"] == "b.txt"
    exported = session.ask("GET", "/documents/1/export")
    assert 'filename="b.en.txt"' in exported.headers["content-disposition"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "a.txt: expected a document, got an empty file"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0", "the file is a picture"),
        ("a.epub", b"PK\3\4", "expected a file with one of the endings"),
    ],
)
def test_a_wrong_file_is_refused_with_what_was_expected(
    session: Session, name: str, content: bytes, message: str
) -> None:
    assert message in session.add(content, name, status=422)["detail"]


def test_a_deleted_document_is_gone_and_what_it_taught_stays(
    session: Session, start: Start, tmp_path: Path
) -> None:
    session.add("el zorgulo\n", "b.txt")
    session.correct(0, DRAGON)
    session.ask("DELETE", "/documents/1", status=204)
    assert not (tmp_path / "state" / session.id / "document-1.json").exists()

    def is_so(session: Session) -> None:
        session.ask("GET", "/documents/1", status=404)
        session.ask("DELETE", "/documents/1", status=404)
        state = session.ask("GET")
        assert [one["number"] for one in state["documents"]] == [2]
        assert [one["target"] for one in state["corrections"]] == [DRAGON]
        assert session.ask("GET", "/corrections/1")["target"] == DRAGON
        assert session.show(0, 2)["text"] == "el dragon"

    is_so(session)
    session = Session(start(), session.id)
    is_so(session)
    session.ask("DELETE", "/documents/2", status=204)
    session = Session(start(), session.id)
    assert session.add()["number"] == 3  # no number is used twice
    session.ask("DELETE", "/corrections/1", status=204)
    assert "zorgulo" in session.show(0, 3)["text"]


def test_a_kill_while_a_document_is_deleted(session: Session, start: Start, tmp_path: Path) -> None:
    """The file may still be there; and what was measured may be lost, but not the rest of the log."""
    folder = tmp_path / "state" / session.id
    kept = (folder / "document-1.json").read_bytes()
    session.correct(0, DRAGON)
    before = session.settled(1)["points"]
    session.ask("DELETE", "/documents/1", status=204)
    killed = tmp_path / "killed"
    shutil.copytree(tmp_path / "state", killed)
    (killed / session.id / "document-1.json").write_bytes(kept)
    log = killed / session.id / "state.journal"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(line for line in lines if b'"Measured"' not in line))
    again = Session(start(folder=killed, close=False), session.id)
    assert again.settled(1)["points"] == before
    assert again.ask("GET")["documents"] == [] and not (killed / session.id / "document-1.json").exists()


def test_a_document_that_is_missing_is_told(session: Session, start: Start, tmp_path: Path) -> None:
    session.correct(0, DRAGON)
    start(folder=tmp_path / "other")
    (tmp_path / "state" / session.id / "document-1.json").unlink()
    answer = start().get(session.path)
    assert answer.status_code == 422 and "expected document 1 of the session" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("manual.po", "manual.en.po"),
        ("manual.es.po", "manual.en.po"),
        ("manual.EN.po", "manual.en.po"),
        ("manual.pot", "manual.en.po"),
        ("esther.es", "esther.en"),
        ("esther", "esther.en"),
        ("v1.2 notes.md", "v1.2 notes.en.md"),
        (".po", ".po.en"),
    ],
)
def test_an_export_has_the_target_language_in_its_name(session: Session, name: str, expected: str) -> None:
    session.ask("PATCH", "/documents/1", json={"name": name})
    found = session.ask("GET", "/documents/1/export").headers["content-disposition"]
    assert found.endswith(f"filename*=UTF-8''{expected.replace(' ', '%20')}")


def test_sentences_have_states_that_outlive_the_server(start: Start, tmp_path: Path) -> None:
    """Of a catalogue, and by what is done: looked at, written and left, confirmed; also after a kill."""
    session = Session(start())
    assert start().get("/api/system").json()["states"] == [
        "new",
        "machine",
        "repeated",
        "edited",
        "confirmed",
    ]

    def states(session: Session) -> list[str]:
        return [one["state"] for one in session.ask("GET", "/documents/1")["text"]]

    session = Session(start(), session.id)
    made = session.add(CATALOGUE, "a.po")
    assert (made["sentences"], made["corrected"]) == (6, 1)
    assert states(session) == ["confirmed", "edited", "new", "new", "new", "repeated"]
    shown = session.show(1)
    assert (shown["state"], shown["target"], shown["draft"]) == ("edited", None, "red")
    shown = session.show(0)
    assert (shown["state"], shown["target"], shown["draft"]) == ("confirmed", "the house", None)
    for index in (2, 3, 4, 5):
        session.show(index)
    draft = {"text": " the dragon ", "revision": 0}
    kept = session.ask("PUT", "/documents/1/sentences/2/draft", json=draft)
    assert (kept["state"], kept["draft"]) == ("edited", "the dragon")
    session.correct(4, "is")
    session.ask("PUT", "/documents/1/sentences/4/draft", json=draft, status=409)
    session.settled(1)
    expected = ["confirmed", "edited", "edited", "machine", "confirmed", "repeated"]
    before = session.ask("GET", "/documents/1")["text"]
    assert states(session) == expected
    shutil.copytree(tmp_path / "state", tmp_path / "killed")
    killed = Session(start(folder=tmp_path / "killed", close=False), session.id)
    assert killed.ask("GET", "/documents/1")["text"] == before
    session = Session(start(), session.id)
    assert session.ask("GET", "/documents/1")["text"] == before
    machine = session.show(2)["text"]
    kept = session.ask("PUT", "/documents/1/sentences/2/draft", json={"text": machine, "revision": 0})
    assert (kept["state"], kept["draft"], kept["machine"]) == ("machine", None, machine)
    kept = session.ask("PUT", "/documents/1/sentences/1/draft", json={"text": "", "revision": 0})
    assert kept["state"] == "machine" and kept["draft"] is None
    session.ask("PUT", "/documents/1/sentences/1/draft", json={"text": "a\0", "revision": 0}, status=422)
    session.ask("PUT", "/documents/1/sentences/9/draft", json=draft, status=404)
    exported = session.ask("GET", "/documents/1/export").text
    assert exported == CATALOGUE.replace('msgid "es"\nmsgstr ""', 'msgid "es"\nmsgstr "is"')


def test_another_desk_is_told_of_the_sentences_that_have_changed(session: Session) -> None:
    known = session.ask("GET", "/documents/1")

    def changes(after: int) -> tuple[int, list[int]]:
        found = session.ask("GET", "/documents/1/changes", params={"after": after})
        now = session.ask("GET", "/documents/1")
        for one in found["sentences"]:
            assert one == {**now["text"][one["index"]], "index": one["index"]}
        return now["events"], [one["index"] for one in found["sentences"]]

    assert changes(known["events"]) == (known["events"], [])
    session.ask("PUT", "/documents/1/sentences/2/draft", json={"text": "a house", "revision": 0})
    session.correct(0, DRAGON)
    session.settled(1)
    events, changed = changes(known["events"])
    assert changed == [0, 2] and changes(events) == (events, [])
    session.ask("PUT", "/documents/1/sentences/2/draft", json={"text": "", "revision": 0})
    assert changes(events)[1] == [2] and changes(0)[1] == [2, 0]


def test_the_words_of_a_large_document_are_read_apart_from_the_decoder(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a catalogue of 100,000 messages takes seconds, in which others work."""
    threads, plain = set[str](), Received.units

    def units(self: Received) -> Any:
        threads.add(threading.current_thread().name)
        return plain(self)

    monkeypatch.setattr(Received, "units", units)
    session = Session(client)
    session.add(CATALOGUE, "a.po")
    session.show(0)
    assert threads and not any(name.startswith("decoder") for name in threads)


def test_a_confirmed_draft_is_none_any_more_and_is_exported(session: Session) -> None:
    session.add(CATALOGUE, "a.po")
    body = {"target": "green", "revision": 0}
    session.ask("PUT", "/documents/2/sentences/1", json=body)
    text = session.ask("GET", "/documents/2")["text"]
    assert (text[1]["state"], text[1]["target"], text[1]["draft"]) == ("confirmed", "green", None)
    exported = session.ask("GET", "/documents/2/export").text
    assert exported == CATALOGUE.replace("#, fuzzy\n", "").replace("red", "green")
    memory = ET.fromstring(session.ask("GET", "/memory.tmx").content)
    assert [one.text for one in memory.iter("seg")] == ["verde", "green"]  # what was corrected
