"""Words with any white space of Unicode are words of sessions, glossaries, memories and the HTTP API."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from support import world
from support.live_server import Session, small_store
from support.sessions import OPTIONS, adapting_decoder, example, session_of
from support.white_space import OF_WORDS, PRINTABLE
from support.world import World

from hopefear.base import InputError
from hopefear.live import RuleSides, TermAdded
from hopefear.live.server import Application

FORMS = ("n{}m", "{}", "{0}m{0}")


def write_system(folder: Path, words: list[str]) -> Path:
    rules = "".join(f"[X] ||| s{i} ||| {word} ||| F=1 ||| 0-0\n" for i, word in enumerate(words))
    return World(rules, OPTIONS).write(folder)


@pytest.mark.parametrize("form", FORMS)
def test_a_session_learns_words_with_white_space(tmp_path: Path, form: str) -> None:
    words = [form.format(character) for character in OF_WORDS]
    session = session_of(adapting_decoder(write_system(tmp_path, words)))
    source = " ".join(f"s{i}" for i in range(len(words)))
    assert session.translate(example(source)).viterbi() == " ".join(words)
    for word in words:
        segment = example(f"s0 {word} ||| {words[0]} E{word}")
        session.translate(segment)
        change = session.correct(segment)
        assert change.error is None
        assert (change.correction.source, change.correction.target) == (("s0", word), (words[0], f"E{word}"))
        assert ((word,), (f"E{word}",)) in [
            (rule.source, rule.target) for rule in session.learned_rules(segment)
        ]
        session.take(TermAdded(f"t{word}", f"T{word}"))
        assert session.translate(example(f"t{word} {word}")).viterbi() == f"T{word} E{word}"


@pytest.mark.parametrize("white", OF_WORDS)
def test_a_nonterminal_covers_words_of_white_space(white: str) -> None:
    pattern, _ = RuleSides(("a", 1, "b"), ("c", 1)).patterns()
    assert pattern.search(f" a {white} x{white}y b ")


@pytest.mark.parametrize("form", FORMS)
def test_files_of_terms_and_pairs_keep_white_space(tmp_path: Path, form: str) -> None:
    words = [form.format(character) for character in OF_WORDS]
    ini = write_system(tmp_path, words)
    table = "".join(f"a {word}\tE{word} b\n" for word in words)
    (tmp_path / "memory.tsv").write_text(table, "utf-8", newline="\n")
    (tmp_path / "terms.tsv").write_text(
        "".join(f"t{word}\tT{word}\n" for word in words), "utf-8", newline="\n"
    )
    world.configure(tmp_path, "# hopefear: glossary=terms.tsv")
    session = session_of(adapting_decoder(ini, memories=[tmp_path / "memory.tsv"]))
    for word in words:
        assert session.translate(example(f"a {word}")).viterbi() == f"E{word} b"
        assert session.translate(example(f"t{word}")).viterbi() == f"T{word}"


@pytest.mark.parametrize("content", ["", "source\ttarget\n", "# a comment\n", "\n \n"])
def test_an_empty_memory_is_refused(tmp_path: Path, content: str) -> None:
    memory = tmp_path / "memory.tsv"
    memory.write_text(content)
    with pytest.raises(InputError, match=r"memory\.tsv: expected sentence pairs, got an empty memory"):
        adapting_decoder(write_system(tmp_path, ["a"]), memories=[memory])


def test_a_server_keeps_white_space(tmp_path: Path) -> None:
    words = [f"n{character}m" for character in PRINTABLE]
    store = small_store(write_system(tmp_path, words), tmp_path / "state", languages=("es", "en"))
    with TestClient(Application(store, None, system="the tests"), base_url="http://localhost") as client:
        session = Session(client)
        lines = [" ".join((f"s{i}", word, "s1")) for i, word in enumerate(words)]
        session.add("".join(f"{line}\n" for line in lines))
        targets = [f"{word} E{word} {words[1]}" for word in words]
        for i, line in enumerate(lines[:4]):
            shown = session.show(i)
            assert shown["line"] == line
            assert shown["source"] == [f"s{i}", words[i], "s1"]
            assert len(shown["words"]) == 3
            session.correct(i, targets[i])
        state = session.settled(4)
        assert [each["target"] for each in state["corrections"]] == targets[3::-1]
        assert all([words[i], f"E{words[i]}"] in state["corrections"][3 - i]["rules"] for i in range(4))
        exported = session.ask("GET", "/documents/1/export").text
        assert exported.split("\n")[:4] == targets[:4]
