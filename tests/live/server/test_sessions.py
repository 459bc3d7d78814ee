"""Sessions and their files: names, restarts, kills, damage."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from support.live_server import BYTES, DRAGON, Session, Start, small_store

from hopefear.base import InputError
from hopefear.live import LiveSession
from hopefear.live.server import Received


def test_sessions_know_nothing_of_each_other(client: TestClient) -> None:
    first, second = Session(client), Session(client)
    for session in (first, second):
        session.add()
    first.correct(0, DRAGON)
    assert "dragon" in first.show(1)["text"]
    assert "dragon" not in second.show(1)["text"]
    second.correct(0, "the house is wyvern")
    assert "dragon" in first.show(1)["text"]
    assert "wyvern" in second.show(1)["text"]
    names = [one["id"] for one in client.get("/api/sessions").json()]
    assert names == [first.id, second.id]


def test_nothing_is_lost_when_the_server_ends(session: Session, start: Start, tmp_path: Path) -> None:
    session.correct(0, DRAGON)
    session.correct(1, "the dragon is green")
    session.ask("DELETE", "/corrections/2", status=204)
    before = session.settled(2)
    again = Session(start(), session.id)
    after = again.ask("GET")
    assert after == before
    assert again.show(2) == again.show(2)
    assert again.correct(2, "the green house")["number"] == 3


def test_a_killed_server_goes_on_with_what_it_has_accepted(start: Start, tmp_path: Path) -> None:
    """The files are copied while the server runs: as a kill at this moment would leave them."""
    client = start()
    session = Session(client)
    session.add()
    session.correct(0, DRAGON)
    shutil.copytree(tmp_path / "state", tmp_path / "killed early")
    session.correct(1, "the dragon is green")
    before = session.settled(2)
    shutil.copytree(tmp_path / "state", tmp_path / "killed late")
    log = tmp_path / "killed late" / session.id / "state.journal"
    log.write_bytes(log.read_bytes()[:-7])  # in the middle of the figures of the second correction
    early = Session(start(folder=tmp_path / "killed early", close=False), session.id)
    found = early.ask("GET")
    assert (found["accepted"], found["documents"][0]["corrected"]) == (1, 1)
    shutil.copytree(tmp_path / "killed early", tmp_path / "killed again")
    again = Session(start(folder=tmp_path / "killed again", close=False), session.id)
    assert again.ask("GET") == found
    assert again.ask("GET", "/documents/1")["text"][0]["target"] == DRAGON
    assert "dragon" in early.show(1)["text"]
    late = Session(start(folder=tmp_path / "killed late", close=False), session.id)
    late.correct(2, "the green house")
    assert late.settled(3)["points"][1] == before["points"][-1]
    targets = [one["target"] for one in late.ask("GET", "/documents/1")["text"]]
    assert targets == [DRAGON, "the dragon is green", "the green house"]


def test_changes_are_sent_as_events(client: TestClient, session: Session) -> None:
    """Ask the application itself: the test client waits for the end of a response."""
    import anyio

    session.correct(0, DRAGON)
    session.settled(1)
    sent: list[str] = []

    async def watch() -> None:
        asked = [{"type": "http.request", "body": b""}]

        async def receive() -> dict[str, object]:
            if asked:
                return asked.pop()
            await anyio.sleep_forever()
            raise AssertionError

        async def send(message: dict[str, object]) -> None:
            body = message.get("body", b"")
            assert isinstance(body, bytes)
            sent.append(body.decode())
            if "data:" in "".join(sent) and "\n\n" in "".join(sent):
                scope.cancel()

        headers = [(b"host", b"localhost")]
        request = {"type": "http", "method": "GET", "path": f"{session.path}/events", "headers": headers}
        request |= {"query_string": b"", "client": ("a", 1), "scheme": "http", "http_version": "1.1"}
        with anyio.CancelScope() as scope:
            await client.app(request, receive, send)  # type: ignore[arg-type]

    client.portal.call(watch)  # type: ignore[union-attr]
    line = next(line for line in "".join(sent).splitlines() if line.startswith("data: "))
    assert json.loads(line.removeprefix("data: "))["accepted"] == 1


def test_a_removed_session_is_gone(session: Session, tmp_path: Path) -> None:
    session.ask("DELETE", status=204)
    session.ask("GET", status=404)
    assert not (tmp_path / "state" / session.id).exists()
    assert session.client.get("/api/sessions").json() == []


def test_one_server_at_a_time_uses_a_folder(session: Session, system: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another server is using this folder"):
        small_store(system, tmp_path / "state")


def test_what_links_in_the_folder_lead_to_stays_as_it_is(system: Path, tmp_path: Path) -> None:
    shared, folder = tmp_path / "shared", tmp_path / "state"
    shared.write_text("for all")
    shared.chmod(0o644)
    folder.mkdir()
    (folder / "link").symlink_to(shared)
    (folder / "lost").symlink_to(tmp_path / "nothing")
    small_store(system, folder).close()
    assert shared.stat().st_mode & 0o777 == 0o644 and folder.stat().st_mode & 0o777 == 0o700


def test_a_session_of_another_system_is_refused_by_name(start: Start, system: Path, tmp_path: Path) -> None:
    session = Session(start())
    session.client.post(f"{session.path}/documents", content=b"la", headers=BYTES)
    start(folder=tmp_path / "other")
    store = small_store(system, tmp_path / "state", model=False)
    with pytest.raises(InputError, match="expected a session that adapts"):
        store.open(session.id)
    store.close()


def test_a_damaged_log_is_refused_by_line(session: Session, start: Start, tmp_path: Path) -> None:
    session.correct(0, DRAGON)
    session.settled(1)
    start(folder=tmp_path / "other")
    log = tmp_path / "state" / session.id / "state.journal"
    whole = log.read_text()
    log.write_text(whole.replace(" dragon", " dragoN", 1))
    answer = start().get(session.path)
    assert answer.status_code == 422
    assert f"{log}:1: expected an event of a session" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["about.json", "document-1.json"])
@pytest.mark.parametrize("content", ["", "[]", '{"name": 1}', '{"id": "a"}'])
def test_damaged_files_are_refused_by_name(
    session: Session, start: Start, tmp_path: Path, name: str, content: str
) -> None:
    start(folder=tmp_path / "other")
    damaged = tmp_path / "state" / session.id / name
    damaged.write_text(content)
    answer = start().get(session.path)
    assert answer.status_code == 422 and f"{damaged}: expected" in answer.json()["detail"]


def test_a_session_with_a_damaged_name_is_listed_and_the_others_go_on(start: Start, tmp_path: Path) -> None:
    old = Session(start())
    damaged = tmp_path / "state" / old.id / "about.json"
    damaged.write_text("{")
    client = old.client
    assert [one["id"] for one in client.get("/api/sessions").json()] == [old.id]
    answer = client.post("/translate", json={"q": "la casa verde", "source": "es", "target": "en"})
    assert answer.status_code == 200, answer.text  # in a session of its own
    new = Session(client)
    new.add()
    listed = client.get("/api/sessions").json()
    assert len(listed) == 3 and [one["id"] for one in listed[:1]] == [old.id]
    assert listed[0]["name"] == f"{old.id} (damaged)" and f"{damaged}: expected" in listed[0]["problem"]
    assert [one["problem"] for one in listed[1:]] == [None, None]
    assert damaged.read_text() == "{"


def test_a_correction_of_no_sentence_is_refused_by_line(
    session: Session, start: Start, tmp_path: Path
) -> None:
    session.correct(0, DRAGON)
    start(folder=tmp_path / "other")
    folder = tmp_path / "state" / session.id
    stored = json.loads((folder / "document-1.json").read_text())
    (folder / "document-1.json").write_text(json.dumps({**stored, "sentences": []}))
    answer = start().get(session.path)
    assert answer.status_code == 422
    assert f"{folder / 'state.journal'}:1: the event does not follow" in answer.json()["detail"]


def test_the_next_sentence_is_prepared_apart_from_the_decoder(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, str]] = []
    for name in ("prepare", "foresee"):
        monkeypatch.setattr(
            LiveSession, name, lambda _, segment, name=name: done.append((name, " ".join(segment.tokens)))
        )
    store = small_store(system, tmp_path / "state")
    service = store.create("one")
    service.documents.add(Received.read("a.txt", b"la casa\nel perro\n"))
    for index in (0, 1):
        service.translations.show(1, index)
        assert service.queue.pending() == ["prepare", "keep"]
        prepared = service.queue.step()
        assert prepared is not None
        assert (prepared.rest is None) == bool(index)  # behind the last sentence there is none
        if prepared.rest is not None:
            prepared.rest()
            assert service.queue.pending() == ["keep", "foresee"]
        while service.queue.step() is not None:
            pass
    store.close()
    assert done == [("prepare", "el perro"), ("foresee", "el perro")]


def test_a_session_gets_another_name(session: Session, start: Start) -> None:
    made = session.client.get("/api/sessions").json()[0]
    renamed = session.ask("PATCH", json={"name": "  Esther\n2 "})
    assert renamed == {**made, "name": "Esther 2"} and session.ask("GET")["name"] == "Esther 2"
    session.ask("PATCH", json={"name": " "}, status=422)
    session.ask("PATCH", json={"name": "a\0"}, status=422)
    session = Session(start(), session.id)
    assert session.client.get("/api/sessions").json() == [renamed]
    assert session.client.patch("/api/sessions/000000000000", json={"name": "a"}).status_code == 404
