"""The HTTP API over a system of text as written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from support.live_server import Session, Start

from hopefear.live.server import ServerLimits

TEXT = "La casa es «zorgulo».\nZorgulo ``a b`` y :func:`len`.\nLa casa.\n"
CORRECTION = "The house is «London»."


@pytest.fixture
def session(start: Start, written: Path) -> Session:
    made = Session(start(config=written))
    made.add(TEXT)
    return made


def parts(text: str, places: list[tuple[int, int]]) -> list[str]:
    return [text[begin:end] for begin, end in places]


def test_the_system_says_that_texts_are_as_written(start: Start, written: Path) -> None:
    assert start(config=written).get("/api/system").json()["written"] is True
    assert start().get("/api/system").json()["written"] is False


def test_words_phrases_and_unknown_words_point_into_the_text(session: Session) -> None:
    shown = session.show(0)
    assert shown["line"] == "La casa es «zorgulo»."
    words = ["La", "casa", "es", "«", "zorgulo", "»", "."]
    assert shown["source"] == parts(shown["line"], shown["places"]) == words
    assert 4 in shown["unknown"] and not {0, 1, 2} & set(shown["unknown"])
    assert shown["text"].endswith("«zorgulo».") and shown["text"][0].isupper()
    assert [one["text"] for one in shown["phrases"]] == (
        parts(shown["text"], [one["place"] for one in shown["phrases"]])
    )
    assert "".join(one["text"] for one in shown["phrases"]) == shown["text"].replace(" ", "")
    assert "".join(parts(shown["text"], shown["words"])) == shown["text"].replace(" ", "")
    assert shown["complaints"] == []


def test_pieces_that_stay_are_not_unknown(session: Session) -> None:
    shown = session.show(1)
    assert shown["source"][:4] == ["Zorgulo", "``a b``", "y", ":func:`len`"]
    assert {0, 2} <= set(shown["unknown"]) and not {1, 3} & set(shown["unknown"])
    unknown = {one["text"]: one["unknown"] for one in shown["phrases"]}
    assert not unknown["``a b``"] and not unknown[":func:`len`"] and unknown["Zorgulo"]


def test_a_correction_as_written_is_learned_and_the_next_translation_is_written(session: Session) -> None:
    accepted = session.correct(0, f" {CORRECTION}\n", next=1)
    assert accepted["note"] is None
    following = accepted["next"]
    assert following["text"].startswith("London ``a b``")
    assert following["phrases"][0]["learned"] and following["phrases"][0]["text"] == "London"
    session.correct(1, "London ``a b`` and :func:`len`.")
    state = session.settled(2)
    assert [one["target"] for one in state["corrections"]] == ["London ``a b`` and :func:`len`.", CORRECTION]
    first = state["corrections"][1]
    assert first["source"] == "La casa es «zorgulo»."
    assert ["zorgulo", "London"] in first["rules"]
    places = first["places"]
    assert parts(first["source"], places[0])[4] == "zorgulo"
    assert parts(first["target"], places[1])[4] == "London"
    assert [4, 4] in first["links"]
    exported = session.ask("GET", "/documents/1/export").text
    assert exported == f"{CORRECTION}\nLondon ``a b`` and :func:`len`.\nLa casa.\n"
    memory = ET.fromstring(session.ask("GET", "/memory.tmx").content)
    assert [one.text for one in memory.iter("seg")][:2] == ["La casa es «zorgulo».", CORRECTION]


def test_a_repeated_sentence_comes_back_as_it_was_corrected(session: Session) -> None:
    session.add("La casa es «zorgulo».\nZorgulo ``c`` y :func:`d`.\n")
    wanted = ["THE  king’s “house”, —", "“London”:  :func:`len` & ``a b``…"]
    for index, target in enumerate(wanted):
        session.correct(index, target)
    shown = [session.show(index, 2) for index in (0, 1)]
    assert [one["text"] for one in shown] == [wanted[0], "“London”:  :func:`d` & ``c``…"]
    for one in shown:
        assert [phrase["text"] for phrase in one["phrases"]] == (
            parts(one["text"], [phrase["place"] for phrase in one["phrases"]])
        )
        assert "".join(parts(one["text"], one["words"])) == one["text"].replace(" ", "")
    (match,) = session.ask("GET", "/documents/2/sentences/1/matches")["memory"]
    assert match["target"] == "“London”:  :func:`d` & ``c``…"
    session.ask("DELETE", "/corrections/1", status=204)
    assert session.show(0, 2)["text"] != wanted[0]


def test_placeholders_of_a_catalogue_are_those_of_this_message(start: Start, written: Path) -> None:
    """A catalogue has pieces that the system does not know."""
    session = Session(start(config=written))
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    messages = ("La casa “%s” es %d.", "La casa “%q” es %u.", "La casa “%s” es %d!")
    session.add(head + "".join(f'#, c-format\nmsgid "{one}"\nmsgstr ""\n\n' for one in messages), "a.po")
    session.correct(0, "%d  is the HOUSE ‘%s’…")
    assert session.show(1)["text"] == "%u  is the HOUSE ‘%q’…"
    assert session.show(2)["text"] != "%d  is the HOUSE ‘%s’…"


def test_hter_counts_words_and_their_case(session: Session) -> None:
    shown = session.show(2)["text"]
    session.correct(2, shown)
    assert session.settled(1)["points"][-1]["hter"] == 0
    session.correct(2, shown.lower(), revision=1)  # one of three words has another case: counted once
    assert session.settled(2)["points"][-1]["hter"] == pytest.approx(100 / 3, abs=0.01)


def test_alternatives_are_as_they_stand_in_the_translation(session: Session) -> None:
    path = "/documents/1/sentences/2/alternatives"
    shown = session.show(2)
    found = session.ask("GET", path, params={"begin": 0, "end": 1})
    assert len(found) > 1
    if shown["phrases"][0]["source"] == [0, 1]:
        assert all(one["text"][0].isupper() for one in found)
    inside = session.ask("GET", path, params={"begin": 1, "end": 2})
    assert "house" in {one["text"] for one in inside}
    stays = session.ask("GET", "/documents/1/sentences/1/alternatives", params={"begin": 1, "end": 2})
    assert [one["text"] for one in stays] == ["``a b``"]


def test_an_n_best_list_has_texts_and_places(session: Session) -> None:
    source = "  La  casa ``a``."
    found: Any = session.ask("POST", "/translate", json={"source": source, "nbest": 3})
    assert parts(source, found["places"]) == ["La", "casa", "``a``", "."]
    for one in found["nbest"]:
        assert one["text"].endswith(" ``a``.") and one["text"][0].isupper()
        assert "".join(parts(one["text"], one["places"])) == one["text"].replace(" ", "")
        assert one["complaints"] == []


def test_limits_count_tokens(start: Start, written: Path) -> None:
    session = Session(start(config=written, limits=ServerLimits(words=4)))
    session.ask("POST", "/translate", json={"source": "La casa ``a b c d``."})
    answer = session.ask("POST", "/translate", json={"source": "La casa, ``a``."}, status=422)
    assert "expected a source of 1 to 4 words, got 5" in answer["detail"]
    session.ask("POST", "/translate", json={"source": " "}, status=422)


PAGE = """<html><body>
<p>La <b>casa</b> es
  zorgulo. El  zorgulo <img src="a.png"> es verde. <i>La casa.</i></p>
<p>Verde.</p>
</body></html>
"""


@pytest.fixture
def markup(start: Start, written: Path) -> Session:
    made = Session(start(config=written))
    made.add(PAGE, "a.html")
    return made


def test_a_paragraph_is_shown_sentence_by_sentence_with_its_codes(markup: Session) -> None:
    text = markup.ask("GET", "/documents/1")["text"]
    assert [one["source"] for one in text] == [
        "La <b>casa</b> es zorgulo.",
        'El zorgulo <img src="a.png"> es verde.',
        "La casa.",
        "Verde.",
    ]
    shown = markup.show(0)
    assert parts(shown["line"], shown["places"]) == shown["source"] == ["La", "casa", "es", "zorgulo", "."]
    assert parts(shown["line"], shown["kept"]) == ["<b>", "</b>"]
    assert re.search(r"<b>\w+</b>", shown["text"])
    shown = markup.show(1)
    assert parts(shown["line"], shown["kept"]) == ['<img src="a.png">']
    assert [re.findall(one, shown["line"]) for one in shown["kept_as"]] == [['<img src="a.png">']]
    assert shown["text"].count('<img src="a.png">') == 1 and not shown["complaints"]


def test_a_paragraph_is_written_when_all_its_sentences_are_corrected(markup: Session) -> None:
    accepted = markup.correct(0, "The house is London.")
    assert accepted["note"] is None
    assert accepted["complaints"] == ["the translation has no '<b>'", "the translation has no '</b>'"]
    assert markup.correct(0, "The <b>house</b> is London.", revision=1)["complaints"] == []
    assert markup.correct(1, 'London <img src="a.png"> is <b>green.')["complaints"] == [
        "the source has no '<b>'"
    ]
    markup.correct(3, "Green.")
    assert markup.ask("GET", "/documents/1/complaints") == [
        {"index": 1, "complaints": ["the source has no '<b>'"]}
    ]
    exported = markup.ask("GET", "/documents/1/export").text
    assert exported == PAGE.replace("Verde.", "Green.")
    markup.correct(1, 'London <img src="a.png"> is green.', revision=1)
    markup.correct(2, "The house.")
    assert markup.ask("GET", "/documents/1/complaints") == []
    markup.ask("GET", "/documents/2/complaints", status=404)
    exported = markup.ask("GET", "/documents/1/export").text
    assert (
        '<p>The <b>house</b> is London. London <img src="a.png"> is green. <i>The house.</i></p>' in exported
    )
    state = markup.settled(6)
    learned = {one["number"]: one for one in state["corrections"]}[5]
    source = parts(learned["source"], learned["places"][0])
    assert source == ["El", "zorgulo", '<img src="a.png">', "es", "verde", "."]
    assert [2, 1] in learned["links"]


def test_placeholders_of_a_catalogue_and_nesting_are_checked(start: Start, written: Path) -> None:
    session = Session(start(config=written))
    catalogue = '#, c-format\nmsgid "La casa %d."\nmsgstr ""\n\n'
    session.add(catalogue, "a.po")
    shown = session.show(0)
    assert parts(shown["line"], shown["kept"]) == ["%d"] and "%d" in shown["text"]
    assert session.correct(0, "The house.")["complaints"] == ["the translation has no '%d'"]
    assert session.correct(0, "The house %d.", revision=1)["complaints"] == []
    session.add("<p>La <b>casa <i>verde</i></b></p>", "b.html")
    body = {"target": "The <b>green <i>house</b></i>", "revision": 0}
    accepted = session.ask("PUT", "/documents/2/sentences/0", json=body)
    assert accepted["complaints"] == ["tags do not nest"]


def test_a_pair_of_no_document_is_checked(session: Session) -> None:
    pair = {"source": "La casa ``a``.", "target": "The house."}
    accepted = session.ask("POST", "/corrections", json=pair, status=201)
    assert accepted["complaints"] == ["the translation has no '``a``'"]


def test_documents_of_sessions_without_places_are_units(start: Start, written: Path, tmp_path: Path) -> None:
    session = Session(start(config=written))
    session.add(PAGE, "a.html")
    (path,) = (tmp_path / "state").glob("*/document-1.json")
    stored = json.loads(path.read_text())
    sentences = ["La casa es zorgulo. El zorgulo es verde. La casa.", "Verde."]
    path.write_text(json.dumps({**stored, "places": [], "sentences": sentences}))
    session = Session(start(config=written), session.id)
    shown = session.show(0)
    assert shown["line"] == sentences[0] and shown["kept"] == []
    session.correct(0, "The house.")
    exported = session.ask("GET", "/documents/1/export").text
    assert "<p>The house.</p>" in exported and "Verde." in exported


def test_matches_of_memory_and_glossary(start: Start, written: Path, tmp_path: Path) -> None:
    """Percentages are counted by hand: of 6 words one differs; of the same words the pieces or the case."""
    decoder_files = tmp_path / "old.tsv"
    decoder_files.write_text("La casa es muy grande.\tThe house is very tall.\n")
    session = Session(start(config=written, memories=[decoder_files]))
    lines = ["La casa es muy verde.", "La casa es muy grande."]
    session.add("\n".join([*lines, "la casa ``a`` es verde.", "la casa ``b`` es verde."]))

    def matches(index: int) -> Any:
        return session.ask("GET", f"/documents/1/sentences/{index}/matches")

    of_file = {"source": "La casa es muy grande.", "target": "The house is very tall."}
    first = {"memory": [{**of_file, "percent": 83, "corrected": False}], "terms": []}
    assert matches(0) == {**first, "foreign": [0, 1, 2, 3, 4]}
    assert matches(1)["memory"] == [{**of_file, "percent": 100, "corrected": False}]
    session.correct(0, "The house is very green.")
    session.correct(2, "the house ``a`` is green.")
    own = {"source": "La casa es muy verde.", "target": "The house is very green."}
    assert matches(1)["memory"] == [
        {**of_file, "percent": 100, "corrected": False},
        {**own, "percent": 83, "corrected": True},
    ]
    (found,) = matches(3)["memory"]
    assert (found["source"], found["percent"]) == ("la casa ``a`` es verde.", 99)
    assert found["target"].lower() == "the house ``b`` is green."
    session.ask("PUT", "/terms", json={"source": "casa", "target": "mansion"}, status=204)
    session.ask("PUT", "/terms", json={"source": "casa", "target": "home"}, status=204)
    assert matches(3)["terms"] == [{"place": [3, 7], "targets": ["mansion", "home"]}]
    session.ask("DELETE", "/corrections/1", status=204)
    assert len(matches(1)["memory"]) == 1
    session.ask("GET", "/documents/1/sentences/4/matches", status=404)


LONG = f"La casa {'muy ' * 6}verde."


def test_a_sentence_of_too_many_words_is_translated_by_hand(start: Start, written: Path) -> None:
    """It is confirmed and exported, also after a restart; nothing is learned from it."""
    limits = ServerLimits(words=8)
    session = Session(start(config=written, limits=limits))
    session.add(f"La casa.\n{LONG}\nVerde.\n")
    accepted = session.correct(0, "The house.", next=1)
    shown = accepted["next"]
    assert shown["problem"] == "the source has 10 words, more than 8"
    assert (shown["text"], shown["phrases"], shown["unknown"], shown["state"]) == ("", [], [], "new")
    assert parts(shown["line"], shown["places"])[:3] == ["La", "casa", "muy"]
    path = "/documents/1/sentences/1"
    assert session.ask("POST", f"{path}/completion", json={"text": "The"})["rest"] == ""
    assert session.ask("GET", f"{path}/alternatives", params={"begin": 0, "end": 1}) == []
    assert session.ask("GET", f"{path}/untouched")["text"] == ""
    assert session.ask("GET", f"{path}/matches") == {"memory": [], "terms": [], "foreign": []}
    assert session.ask("GET", f"{path}/derivation.svg", status=422)["detail"]
    accepted = session.correct(1, " The very green house. \n", next=2)
    assert (accepted["number"], accepted["revision"]) == (None, 1)
    assert accepted["note"] == "Nothing is learned from it: the source has 10 words, more than 8."
    assert accepted["next"]["index"] == 2
    session.correct(1, "Another.", status=409)
    session.correct(1, " ", revision=1, status=422)
    accepted = session.correct(2, "Green " * 9, next=1)  # a translation that is too long
    assert accepted["number"] is None and "the translation has 9 words" in accepted["note"]
    session.settled(1)
    session = Session(start(config=written, limits=limits), session.id)
    state = session.ask("GET")
    assert (state["accepted"], state["kept"]) == (1, 1)
    text = session.ask("GET", "/documents/1")["text"]
    assert [one["state"] for one in text] == ["confirmed"] * 3
    exported = session.ask("GET", "/documents/1/export").text
    assert exported == f"The house.\nThe very green house.\n{' '.join(['Green'] * 9)}\n"
    memory = ET.fromstring(session.ask("GET", "/memory.tmx").content)
    assert "The very green house." in [one.text for one in memory.iter("seg")]
    session.correct(0, "House " * 9, revision=1)  # which takes the place of what was learned
    assert session.ask("GET")["kept"] == 0


def test_rules_are_told_as_their_corrections_are_written(session: Session) -> None:
    """With capitals and blanks; what a rule leaves open is three dots. What matters most is first."""
    session.add("La casa es «Zorgulo».\nEl Zorgulo es muy verde.\n")
    session.correct(0, "The house is «London».", document=2)
    (learned,) = session.settled(1)["corrections"]
    assert learned["rules"][0] == ["zorgulo", "London"] and learned["written"][0] == ["Zorgulo", "London"]
    assert len(learned["written"]) == len(learned["rules"])
    shown = session.show(1, document=2)
    assert "London" in shown["text"]
    path = "/documents/2/sentences/1/reasons"
    told = session.ask("GET", path, params={"begin": 0, "end": len(shown["words"])})
    rules = [(each["source"], each["target"]) for each in told if each["kind"] == "rule"]
    assert any("Zorgulo" in source and "London" in target for source, target in rules)
    assert not any("[X" in side or "zorgulo" in side for rule in rules for side in rule)
