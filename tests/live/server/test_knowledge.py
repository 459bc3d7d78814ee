"""Memories and glossaries that a client brings to a session, and the search in all that it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from support.live_server import BYTES, Session, Start
from support.world import write_parallel_text

from hopefear.grammars.build import Recipe, build

PAIRS = "la casa es grande\tthe house is very big\nel zorgulo duerme\tthe dragon sleeps\n"


def bring(session: Session, path: str, name: str, content: str, status: int = 201) -> Any:
    return session.ask(
        "POST", path, params={"name": name}, content=content.encode(), headers=BYTES, status=status
    )


@pytest.fixture
def written(start: Start, written: Any) -> Session:
    made = Session(start(config=written))
    made.add("La casa es grande.\n")
    return made


def test_a_memory_gives_matches_and_translations_until_it_is_removed(session: Session, start: Start) -> None:
    session.add("la casa es grande\nel zorgulo duerme\n", "b.txt")
    before = session.show(0, 2)["text"]
    assert bring(session, "/memories", "old.tsv", PAIRS) == {"name": "old.tsv", "pairs": 2}
    assert session.show(0, 2)["text"] == "the house is very big"
    (match,) = session.ask("GET", "/documents/2/sentences/1/matches")["memory"]
    assert (match["target"], match["percent"], match["corrected"]) == ("the dragon sleeps", 100, False)
    session = Session(start(), session.id)
    assert session.ask("GET")["memories"] == [{"name": "old.tsv", "pairs": 2}]
    assert session.show(0, 2)["text"] == "the house is very big"
    session.ask("DELETE", "/memories?name=old.tsv", status=204)
    session.ask("DELETE", "/memories?name=old.tsv", status=404)
    assert session.show(0, 2)["text"] == before
    assert session.ask("GET", "/documents/2/sentences/1/matches")["memory"] == []


def test_a_memory_of_the_same_name_takes_its_place(session: Session) -> None:
    session.add("la casa es grande\n", "b.txt")
    bring(session, "/memories", "old.tsv", PAIRS)
    bring(session, "/memories", "old.tsv", "la casa es grande\tthe home is big\n")
    assert session.ask("GET")["memories"] == [{"name": "old.tsv", "pairs": 1}]
    assert session.show(0, 2)["text"] == "the home is big"


def test_a_memory_is_of_one_session(session: Session, client: Any) -> None:
    other = Session(client)
    other.add("la casa es grande\n")
    before = other.show(0)["text"]
    bring(session, "/memories", "old.tsv", PAIRS)
    assert other.show(0)["text"] == before
    assert other.ask("GET")["memories"] == []


def test_a_memory_as_written(written: Session) -> None:
    tmx = (
        '<tmx version="1.4"><header srclang="es"/><body><tu>'
        '<tuv xml:lang="es"><seg>La casa es grande.</seg></tuv>'
        '<tuv xml:lang="en"><seg>The house is “very big”.</seg></tuv></tu></body></tmx>'
    )
    bring(written, "/memories", "old.tmx", tmx)
    (match,) = written.ask("GET", "/documents/1/sentences/0/matches")["memory"]
    assert (match["target"], match["percent"]) == ("The house is “very big”.", 100)


def test_terms_of_a_glossary_join_once(session: Session, start: Start) -> None:
    terms = "zorgulo\tdragon\ncasa\thome\n"
    assert bring(session, "/glossary", "terms.tsv", terms) == {"added": 2, "known": 0}
    assert bring(session, "/glossary", "terms.tsv", terms + "verde\tgreenish\n") == {"added": 1, "known": 2}
    assert "dragon" in session.show(1)["text"] or "home" in session.show(0)["text"]
    session = Session(start(), session.id)
    state = session.ask("GET")
    assert state["terms"] == [["verde", "greenish"], ["casa", "home"], ["zorgulo", "dragon"]]
    assert state["term_count"] == 3
    assert session.ask("GET", "/terms?find=HÓME") == [["casa", "home"]]
    gone = {"source": "casa", "target": "home", "removed": True}
    session.ask("PUT", "/terms", json=gone, status=204)
    assert session.ask("GET")["term_count"] == 2


@pytest.mark.parametrize(
    ("path", "name", "content", "message"),
    [
        ("/memories", "old.tsv", "", "old.tsv: expected sentence pairs, got an empty memory"),
        ("/memories", "old.tsv", "a\n", "old.tsv:1: expected source<TAB>target"),
        ("/memories", "old.exe", "a\tb\n", "old.exe: expected a file with one of the endings tmx"),
        ("/memories", "old.tmx", "<tmx", "old.tmx"),
        ("/memories", "", "a\tb\n", "expected a name"),
        ("/glossary", "t.tsv", "a\tb\n\tc\n", "t.tsv:2: expected source<TAB>target"),
        ("/glossary", "t.tsv", "", "t.tsv: expected terms, got an empty file"),
        ("/glossary", "a\0.tsv", "a\tb\n", "the name: expected text without control characters"),
    ],
)
def test_a_wrong_file_is_refused_by_its_name(
    session: Session, path: str, name: str, content: str, message: str
) -> None:
    detail = bring(session, path, name, content, 422)["detail"]
    assert message in detail and "/tmp" not in detail
    state = session.ask("GET")
    assert (state["terms"], state["memories"]) == ([], [])


def test_the_concordance_has_documents_corrections_and_memories(session: Session) -> None:
    bring(session, "/memories", "old.tsv", "más «casas»\tmore “houses”\n")
    session.correct(0, "the house is a dragon")
    session.ask("POST", "/corrections", json={"source": "casas", "target": "homes"}, status=201)
    lines = session.ask("GET", "/concordance", params={"find": "CASA"})
    assert [(line["source"], line["target"], line["origin"], line["place"]) for line in lines] == [
        ("la casa es zorgulo", "the house is a dragon", "a.txt", [1, 0]),
        ("casas", "homes", "a correction", None),
        ("más «casas»", "more “houses”", "a memory", None),
        ("la casa verde", "", "a.txt", [1, 2]),
    ]
    for wanted in ('mas "casas', 'MORE "houses"'):
        (line,) = session.ask("GET", "/concordance", params={"find": wanted})
        assert line["origin"] == "a memory"
    assert len(session.ask("GET", "/concordance", params={"find": "casa", "most": 2})) == 2
    session.ask("GET", "/concordance", params={"find": ""}, status=422)


def test_the_concordance_has_the_parallel_text_of_a_built_system(start: Start, tmp_path: Path) -> None:
    """Both sides, and no correction twice."""
    write_parallel_text(tmp_path, 300)
    texts = (tmp_path / f"train.{name}" for name in ("f", "e", "align"))
    names = zip(("source", "target", "alignment"), texts, strict=True)
    build(Recipe(**dict(names), order=2, discount_fallback=True), tmp_path / "system")
    session = Session(start(config=tmp_path / "system" / "cdec.ini"))
    session.ask("POST", "/corrections", json={"source": "veo la CASA", "target": "i see it"}, status=201)
    pairs = list(zip(*((tmp_path / f"train.{side}").read_text().splitlines() for side in "fe"), strict=True))
    wanted = pairs[250][1].split()[-1]
    having = [list(pair) for pair in pairs if f"{wanted}" in " ".join(pair)]
    lines = session.ask("GET", "/concordance", params={"find": wanted.upper(), "most": 100})
    assert [[line["source"], line["target"]] for line in lines] == having[:100]
    assert {line["origin"] for line in lines} == {"the system's text"}
    (line,) = session.ask("GET", "/concordance", params={"find": "i see it"})
    assert line["origin"] == "a correction"
    sides = ("\n".join(side for side in text[:100]).encode() for text in zip(*pairs, strict=True))
    for content, status in zip(sides, (201, 412), strict=True):  # the second is in the target language
        where = {"name": "a.txt", "check": True}
        session.ask("POST", "/documents", params=where, content=content, headers=BYTES, status=status)


def test_the_exported_memory_has_dates(session: Session) -> None:
    session.correct(1, "the dragon is green")
    units = ET.fromstring(session.ask("GET", "/memory.tmx").content).iter("tu")
    assert all(len(unit.attrib["creationdate"]) == len("20260101T000000Z") for unit in units)
