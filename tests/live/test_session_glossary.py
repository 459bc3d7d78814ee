"""The glossary of a session: terms come, win, and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import adapting_decoder, example, session_of, write_written_system

from hopefear.base import InputError
from hopefear.decoder import Segment
from hopefear.live import StoredSession, TermAdded, TermRemoved

ADDED, REMOVED = TermAdded("casa", "mansion"), TermRemoved("casa", "mansion")


def test_terms_come_and_go_in_one_session(ini: Path) -> None:
    for rules in (True, False):
        decoder = adapting_decoder(ini, rules=rules, model=False)
        session, other = session_of(decoder), session_of(decoder)
        before = session.translate(example("la casa verde")).viterbi()
        session.take(ADDED)
        session.take(TermAdded("verde", "emerald"))
        said = session.translate(example("la casa verde")).viterbi().split()
        assert {"mansion", "emerald"} < {*said}
        assert other.translate(example("la casa verde")).viterbi() == before
        session.take(TermRemoved("verde", "emerald"))
        assert "emerald" not in session.translate(example("la casa verde")).viterbi()
        session.take(REMOVED)
        assert session.translate(example("la casa verde")).viterbi() == before


def test_a_term_joins_those_of_files(ini: Path) -> None:
    ini.with_name("g.tsv").write_text("verde\temerald\n")
    with ini.open("a") as file:
        file.write("# hopefear: glossary=g.tsv\n")
    session = session_of(adapting_decoder(ini))
    session.take(ADDED)
    assert {"mansion", "emerald"} < {*session.translate(example("la casa verde")).viterbi().split()}


def test_terms_win_over_sentences_that_are_close_but_not_over_the_same_one(ini: Path) -> None:
    session = session_of(adapting_decoder(ini), expert=None)
    session.correct(example("la casa verde es muy muy muy muy verde ||| the home is so very green"))
    close = example("la casa verde es muy muy muy muy muy verde")
    assert "home" in session.translate(close).viterbi()
    session.take(ADDED)
    assert "mansion" in session.translate(close).viterbi()
    same = example("la casa verde es muy muy muy muy verde")
    assert session.translate(same).viterbi() == "the home is so very green"


def test_inflections_of_terms_are_listed(ini: Path) -> None:
    ini.with_name("g.tsv").write_text("verde\temerald\n")
    with ini.open("a") as file:
        file.write("# hopefear: glossary=g.tsv\n")
    session = session_of(adapting_decoder(ini))
    session.take(ADDED)
    assert session.terms(example("las casas verdes")) == {(1, 2): ["mansion"], (2, 3): ["emerald"]}
    session.take(TermAdded("casas verdes", "houses"))
    assert session.terms(example("las casas verdes")) == {(1, 3): ["houses"]}
    session.take(REMOVED)
    assert session.terms(example("la casa")) == {}


def test_what_cannot_be_is_refused_and_changes_nothing(ini: Path) -> None:
    session = session_of(adapting_decoder(ini))
    with pytest.raises(KeyError):
        session.take(REMOVED)
    session.take(ADDED)
    with pytest.raises(KeyError):
        session.take(ADDED)
    with pytest.raises(InputError, match="expected a term of 1 to 40 words, got 41"):
        session.take(TermAdded("x " * 41, "y"))
    with pytest.raises(InputError, match="expected a term and its translation, got ' '"):
        TermAdded("casa", " ")
    assert session.events == 1 and [*session.active.terms] == [ADDED.term]


def test_terms_outlive_the_process(ini: Path) -> None:
    for resume in (False, True):
        session = session_of(adapting_decoder(ini))
        with StoredSession(session, ini.with_name("s"), resume=resume) as stored:
            if not resume:
                session.take(ADDED)
                stored.save()
                session.take(TermAdded("verde", "emerald"))
            assert {"mansion", "emerald"} == {*session.translate(example("casa verde")).viterbi().split()}


def test_terms_are_as_written_if_the_system_is(tmp_path: Path) -> None:
    session = session_of(adapting_decoder(write_written_system(tmp_path)))
    segment = Segment.from_input("La casa es verde.")
    for term in (TermAdded("Casa", "Dragon"), TermAdded("casa", "dragon"), TermRemoved("Casa", "Dragon")):
        session.take(term)
        assert " dragon " in session.translate(segment).restored().text
    session.take(TermRemoved("casa", "dragon"))
    assert "dragon" not in session.translate(segment).restored().text
