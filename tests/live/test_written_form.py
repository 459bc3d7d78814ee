"""The written form that corrections teach: corrected sentences come back, and signs follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import LIVE, adapting_decoder, session_of, write_written_system

from hopefear.decoder import Segment
from hopefear.live import Forget, LiveSession, Shown, StoredSession, TermAdded, Withdrawn
from hopefear.live.experts import CERTAIN, UNTOUCHED
from hopefear.text import Language, Profile, TextSystem

CORRECTED = "THE  king’s  House, — “is”  green ?"


@pytest.fixture(params=["plain", "rst"])
def ini(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a system of tokens of other tools, and one of text as written."""
    if request.param == "rst":
        return write_written_system(tmp_path)
    path = LIVE.write(tmp_path)
    text = TextSystem(Language("es"), Language("en"), Profile.named("rst")).of_plain_tokens()
    text.save(tmp_path / "text.json")
    with path.open("a") as file:
        file.write("# hopefear: text=text.json\n")
    return path


def new(ini: Path, **options: object) -> LiveSession:
    return session_of(adapting_decoder(ini), **{"expert": None, **options})


def correct(session: LiveSession, source: str, target: str, shown: Shown | None = None) -> int:
    segment = Segment((), text=source, references=(target,))
    session.answer(segment)
    return session.correct(segment, shown).correction.number


def said(session: LiveSession, source: str, document: int | None = None) -> str:
    return session.answer(Segment((), text=source), document).shown.written()


def test_a_corrected_sentence_comes_back_letter_for_letter(ini: Path) -> None:
    session = new(ini)
    number = correct(session, "La casa “es” verde?", CORRECTED)
    answer = session.answer(Segment((), text="La casa “es” verde?"))
    shown = answer.shown.restored()
    assert answer.expert == CERTAIN and shown.text == answer.forest.written() == CORRECTED
    parts = [shown.text[slice(*place)] for place in shown.places]
    assert "".join(parts) == CORRECTED.replace(" ", "")
    assert said(session, "La casa “es” verde") != CORRECTED
    session.take(Withdrawn(number))
    assert said(session, "La casa “es” verde?") != CORRECTED


@pytest.mark.parametrize("target", ["the house.", "``b`` the ``a`` ``c``", "``a``  ``a``", "."])
def test_so_does_one_that_loses_or_makes_up_pieces(ini: Path, target: str) -> None:
    """It is for this sentence alone: no other sentence loses a piece by it."""
    session = new(ini)
    correct(session, "La casa ``a``.", target)
    assert said(session, "La casa ``a``.") == target
    assert "``z``" in said(session, "La casa ``z``.")


def test_the_latest_correction_of_a_document_comes_before_others(ini: Path) -> None:
    session = new(ini)
    for number, target in enumerate(("The house.", "“The” house", "the HOUSE."), 1):
        correct(session, "La casa.", target, Shown("", place=(number, 0)))
    assert [said(session, "La casa.", document) for document in (1, 2, 3, 4)] == (
        ["The house.", "“The” house", "the HOUSE.", "the HOUSE."]
    )
    correct(session, "la casa.", "a house")
    assert [said(session, text) for text in ("La casa.", "la casa.")] == ["the HOUSE.", "a house"]


def test_a_full_match_has_the_pieces_of_this_sentence(ini: Path) -> None:
    session = new(ini)
    correct(session, "La casa ``a`` es :func:`b`.", "THE  ‘house’ :func:`b` is ``a``…")
    wanted = "THE  ‘house’ :func:`y` is ``x z``…"
    assert said(session, "La casa ``x z`` es :func:`y`.") == wanted


def test_a_memory_gives_full_matches_too(ini: Path) -> None:
    memory = ini.with_name("memory.tsv")
    memory.write_text("La casa ``a``.\tTHE ‘house’ —``a``…\n")
    session = session_of(adapting_decoder(ini, memories=[memory]), expert=None)
    assert said(session, "La casa ``a``.") == "THE ‘house’ —``a``…"
    assert said(session, "La casa ``b c``.") == "THE ‘house’ —``b c``…"
    correct(session, "La casa ``a``.", "``a`` house")
    assert said(session, "La casa ``a``.") == "``a`` house"


QUOTED = [
    ("“It’s” — green", '"casa" - "verde"', "“House” — “green”"),
    ("« It’s – green »", '"casa" - "verde"', "« House » – « green »"),
    ("„It“ is green ?", '"casa" verde?', "„House“ green ?"),
    ("「It」 is green", '"casa" verde', "「House」 green"),
]


@pytest.mark.parametrize(("taught", "source", "wanted"), QUOTED)
def test_signs_follow_corrections(ini: Path, taught: str, source: str, wanted: str) -> None:
    session, other = new(ini), new(ini)
    for word in ("casa", "verde"):
        session.take(TermAdded(word, {"casa": "house", "verde": "green"}[word]))
    correct(session, "es muy zorgulo", taught)
    assert said(session, source).casefold() == wanted.casefold()
    assert '"' in said(other, source)


def test_what_is_withdrawn_forgotten_or_replaced_does_not_count(ini: Path) -> None:
    session = new(ini, forget=Forget(most=2))
    line = '"casa" muy verde'
    before = said(session, line)
    first = correct(session, "es zorgulo", "“is” it")
    assert said(session, line).startswith("“")
    session.take(Withdrawn(first))
    assert said(session, line) == before
    for number, quoted in enumerate(("«is» it", "„is“ it", "‹is› it"), 2):
        correct(session, "es zorgulo", quoted, Shown("", replaces=number - 1 if number > 2 else None))
    assert said(session, line)[0] == "‹"
    for _ in range(2):
        correct(session, "es muy", "is very")
    assert said(session, line) == before


def test_the_written_form_outlives_the_process(ini: Path) -> None:
    line = '"casa" muy verde'
    with StoredSession(new(ini), ini.with_name("s")) as stored:
        correct(stored.session, "es zorgulo", "“is” it")
        stored.save()
        correct(stored.session, "La casa “es” verde?", CORRECTED)
        wanted = said(stored.session, line)
    with StoredSession(new(ini), ini.with_name("s"), resume=True) as stored:
        assert said(stored.session, line) == wanted and wanted[0] == "“"
        assert said(stored.session, "La casa “es” verde?") == CORRECTED


def test_the_untouched_system_writes_as_before(ini: Path) -> None:
    session = new(ini)
    correct(session, "es zorgulo", "“is” it")
    answer = session.answer(Segment((), text='"casa" es'))
    assert answer.untouched is not None and '"' in answer.untouched
    other = session_of(session.decoder, expert=UNTOUCHED)
    correct(other, "es zorgulo", "“is” it")
    assert '"' in said(other, '"casa" es')


def test_a_completion_has_the_signs_of_corrections(ini: Path) -> None:
    session = new(ini)
    correct(session, "es zorgulo", "“is” it")
    forest = session.answer(Segment((), text='casa "zorgulo" muy')).forest
    typed = forest.written().split("“")[0]
    rest = forest.complete(typed)[len(typed) :]
    assert "“" in rest and "”" in rest and '"' not in rest
