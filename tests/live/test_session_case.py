"""The case of words that corrections teach to a system whose tokens are in small letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import LIVE, adapting_decoder, session_of

from hopefear.decoder import Segment
from hopefear.live import Forget, LiveSession, StoredSession, Withdrawn
from hopefear.live.experts import UNTOUCHED
from hopefear.text import CaseCounts, Language, Profile, TextSystem, split_line


@pytest.fixture
def session(tmp_path: Path) -> LiveSession:
    return session_of(adapting_decoder(plain_system(tmp_path)), expert=None, forget=Forget(most=3))


def plain_system(folder: Path) -> Path:
    """Write a system of tokens in small letters whose text has London and the house."""
    path = LIVE.write(folder)
    counts = CaseCounts()
    counts.add(split_line("In London the house is green.", "en"))
    text = TextSystem(Language("es"), Language("en", counts.casing()), Profile.named("plain"))
    text.of_plain_tokens().save(folder / "text.json")
    with path.open("a") as file:
        file.write("# hopefear: text=text.json\n")
    return path


def segment(text: str, *references: str) -> Segment:
    return Segment((), text=text, references=references)


def correct(session: LiveSession, *texts: str) -> int:
    made = segment(*texts)
    session.answer(made)
    return session.correct(made).correction.number


def shown(session: LiveSession, text: str) -> str:
    return session.answer(segment(text)).forest.written()


def test_a_name_is_written_as_it_was_corrected_and_the_untouched_system_is_as_before(
    session: LiveSession,
) -> None:
    correct(session, "la casa es Zorgulo", "the house is Dragon")
    assert "Dragon" in shown(session, "la casa verde es Zorgulo")
    # A word that no rule translates is the same in the translation, and so is its case.
    untouched = session.answer(segment("la casa es dragon")).untouched
    assert untouched is not None and untouched.endswith("dragon")
    other = session_of(session.decoder, expert=UNTOUCHED)
    assert shown(other, "la casa es dragon") == untouched


def test_a_capital_at_the_start_says_nothing(session: LiveSession) -> None:
    correct(session, "Zorgulo es verde", "Dragon is green")
    assert "dragon" in shown(session, "la casa es zorgulo")


def test_a_title_of_a_word_in_small_letters_says_nothing(session: LiveSession) -> None:
    correct(session, "la casa es zorgulo", "the house is Dragon")
    assert "dragon" in shown(session, "la casa verde es zorgulo")


def test_most_corrections_count_and_those_that_are_gone_do_not(session: LiveSession) -> None:
    line = "la casa verde es Zorgulo"
    first = correct(session, "la casa es Zorgulo", "the house is Dragon")
    correct(session, "es muy Zorgulo", "is very dragon")
    assert "dragon" in shown(session, line)  # one against one
    session.take(Withdrawn(first))
    correct(session, "verde Zorgulo es verde", "green Dragon is green")
    correct(session, "es muy Zorgulo", "is very Dragon")
    assert "Dragon" in shown(session, line)
    for _ in range(3):  # what is older is forgotten
        correct(session, "la casa es Zorgulo", "the house is dragon")
    assert "dragon" in shown(session, line)


def test_forms_that_are_as_frequent_are_chosen_from_alike_after_a_restart(tmp_path: Path) -> None:
    line, ini = "la casa verde es Zorgulo", plain_system(tmp_path)

    def new() -> LiveSession:
        return session_of(adapting_decoder(ini), expert=None, forget=Forget(most=2))

    with StoredSession(new(), tmp_path / "s") as stored:
        for word in ("Dragon", "DRAGON", "Dragon"):
            correct(stored.session, "la casa es Zorgulo", f"the house is {word}")
        stored.save()
        said = shown(stored.session, line)
    with StoredSession(new(), tmp_path / "s", resume=True) as stored:
        assert stored.session.active.corrections.keys() == {2, 3}
        assert shown(stored.session, line) == said


def test_what_the_system_writes_with_capitals_stays(session: LiveSession) -> None:
    for _ in range(3):
        correct(session, "la casa es Londres", "the house is london")
    assert "London" in shown(session, "la casa verde es Londres")
