"""Sessions over a system of text as written: corrections are typed as text, and the next text is better."""

import json

import pytest
from support.command import call
from support.sessions import adapting_decoder, session_of, write_written_system

from hopefear.decoder import Segment
from hopefear.live import Corrected, StoredSession
from hopefear.live.events import Event
from hopefear.text.tokens import kind_of

DRAGON = "La casa es zorgulo. ||| The house is London."


@pytest.fixture
def written(tmp_path):
    return write_written_system(tmp_path)


def test_a_correction_as_written_teaches_words_with_their_case(written):
    session = session_of(adapting_decoder(written))
    segment = Segment.from_input(DRAGON)
    assert "zorgulo." in session.translate(segment).written()
    change = session.correct(segment)
    assert change.error is None
    assert change.correction.source == ("la", "casa", "es", "zorgulo", ".")
    assert change.correction.target == ("the", "house", "is", "London", ".")
    assert change.correction.texts() == ("La casa es zorgulo.", "The house is London.")
    forest = session.translate(Segment.from_input("La casa es «zorgulo»."))
    assert forest.written() == "The house is «London»."


def test_placeholders_of_a_correction_are_linked_with_those_of_the_source(written):
    session = session_of(adapting_decoder(written))
    segment = Segment.from_input("``a`` zorgulo ``b``. ||| ``b`` dragon ``a``.")
    change = session.correct(segment)
    assert change.correction.target == ("⟨literal⟩", "dragon", "⟨literal⟩", ".")
    assert {(0, 2), (2, 0)} <= set(change.correction.links)
    assert not {(0, 0), (2, 2)} & set(change.correction.links)
    rules = session.learned_rules(segment)
    whole = next(rule for rule in rules if rule.source == change.correction.source[:3])
    assert whole.target == ("⟨literal⟩", "dragon", "⟨literal⟩")
    assert {(0, 2), (2, 0)} <= set(whole.alignment)
    assert session.translate(segment).written().split()[1] == "dragon"


@pytest.mark.parametrize(
    "target", ["the dragon.", "the dragon ``a``.", "dragon.", "the dragon ``c`` and ``d``."]
)
def test_no_rule_loses_or_makes_up_a_placeholder(written, target):
    """Whatever a correction does with the pieces of its source, and whatever the aligner links."""
    session = session_of(adapting_decoder(written))
    segment = Segment.from_input(f"El ``a`` zorgulo ``b``. ||| {target}")
    for _ in range(2):
        change = session.correct(segment)
        assert change.error is None
    rules = session.learned_rules(Segment.from_input("El ``a`` zorgulo ``b``."))
    assert rules
    for rule in rules:
        sides = (rule.source, rule.target)
        kinds = [sum(isinstance(one, str) and kind_of(one) is not None for one in side) for side in sides]
        assert kinds[0] == kinds[1], rule
    shown = session.translate(Segment.from_input("El ``x`` zorgulo ``y``.")).restored()
    assert not shown.complaints
    assert sorted(one for one in shown.text.strip(".").split() if "`" in one) == ["``x``", "``y``"]


def test_a_session_goes_on_from_its_files_and_keeps_what_was_typed(written, tmp_path):
    state = tmp_path / "state"
    with StoredSession(session_of(adapting_decoder(written)), state) as stored:
        stored.session.correct(Segment.from_input(DRAGON))
    line = (tmp_path / "state.journal").read_text("utf-8")
    (event,) = (Event.parse(one) for one in line.splitlines())
    assert isinstance(event, Corrected)
    assert event.texts() == ("La casa es zorgulo.", "The house is London.")
    assert event.segment.references == ("the house is London .",)
    resumed = session_of(adapting_decoder(written))
    with StoredSession(resumed, state, resume=True) as stored:
        assert stored.replayed == 1
        forest = resumed.translate(Segment.from_input("La casa es zorgulo."))
        assert forest.written() == "The house is London."


def test_the_log_of_a_session_of_tokens_has_no_texts(ini, tmp_path):
    with StoredSession(session_of(adapting_decoder(ini)), tmp_path / "state") as stored:
        stored.session.correct(Segment.from_input("la casa ||| the house"))
    record = json.loads((tmp_path / "state.journal").read_text("utf-8").partition(" ")[2])
    assert set(record) == {"event", "number", "time", "segment", "links"}
    assert record["segment"] == {"tokens": ["la", "casa"], "references": ["the house"]}


@pytest.mark.parametrize("adapt", [[], ["--adapt", "rules,lm"]])
def test_decode_learns_from_lines_as_written(written, adapt):
    lines = f"{DRAGON}\nEl zorgulo es ``zorgulo``.\n"
    options = ["-c", "cdec.ini", "-w", "weights", "--learn", "mira", *adapt]
    result = call(["decode", *options], lines.encode(), written.parent)
    assert result.returncode == 0, result.stderr
    first, second = result.stdout.decode().splitlines()
    assert "zorgulo." in first
    assert ("London" if adapt else "zorgulo") in second.split()
    assert second[0].isupper() and second.endswith(" ``zorgulo``.")


def test_decode_gives_a_corrected_sentence_back_and_writes_signs_as_corrections_do(written):
    corrected = "THE  king’s  House, — “is”  ``a`` ?"
    lines = f'La casa "es" ``a``? ||| {corrected}\nLa casa "es" ``a``?\nLa casa "es" ``b``?\n"Muy" verde.\n'
    options = ["-c", "cdec.ini", "-w", "weights", "--learn", "mira", "--adapt", "rules,lm"]
    result = call(["decode", *options], lines.encode(), written.parent)
    assert result.returncode == 0, result.stderr
    first, same, other_piece, other = result.stdout.decode().splitlines()
    assert '"' in first and same == corrected
    assert other_piece == corrected.replace("``a``", "``b``")
    assert '"' not in other and {"“", "”"} & {*other}
