"""Sentences as a page shows them: phrases, alternatives, reasons, completions, derivations."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.live_server import DRAGON, Session, Start
from support.sessions import VOTES, WEIGHTS, adapting_decoder, example

from hopefear.decoder import create_consensus


def reasons(session: Session, index: int, word: str, document: int = 1) -> list[dict[str, object]]:
    shown = session.show(index, document)
    place = shown["text"].split().index(word)
    path = f"/documents/{document}/sentences/{index}/reasons"
    return session.ask("GET", path, params={"begin": place, "end": place + 1})


def test_an_unknown_word_is_known_in_the_next_sentence(session: Session) -> None:
    first = session.show(0)
    assert first["source"] == ["la", "casa", "es", "zorgulo"] and first["unknown"] == [3]
    assert [one["unknown"] for one in first["phrases"]] == [False, False, False, True]
    accepted = session.correct(0, DRAGON, next=1)
    assert (accepted["number"], accepted["revision"], accepted["note"]) == (1, 1, None)
    following = accepted["next"]
    assert following["index"] == 1 and "dragon" in following["text"].split()
    assert following["unknown"] == [0]
    dragon = next(one for one in following["phrases"] if one["text"] == "dragon")
    assert dragon["learned"] and dragon["source"][1] == 2
    untouched = session.ask("GET", "/documents/1/sentences/1/untouched")["text"]
    assert "zorgulo" in untouched.split() and "dragon" not in untouched


def test_a_consensus_is_what_a_page_shows(start: Start, tmp_path: Path) -> None:
    client = start(config=VOTES.write(tmp_path), consensus=create_consensus("linear"))
    session = Session(client)
    session.add("a\n")
    shown = session.show(0)
    assert shown["text"] == "w x" and len(shown["confidence"]) == 2
    assert " ".join(one["text"] for one in shown["phrases"]) == "w x"
    assert session.ask("GET", "/documents/1/sentences/0/untouched")["text"] == "w x"
    typed = session.ask("POST", "/documents/1/sentences/0/completion", json={"text": "u"})
    assert typed["rest"] == " v"


def test_phrases_make_up_the_translation(session: Session) -> None:
    for index in range(3):
        shown = session.show(index)
        words = shown["text"].split()
        assert " ".join(one["text"] for one in shown["phrases"]) == shown["text"]
        for phrase in shown["phrases"]:
            begin, end = phrase["target"]
            assert phrase["text"] in " ".join(words[begin:end])


def test_alternatives_of_a_phrase(session: Session) -> None:
    path = "/documents/1/sentences/2/alternatives"
    found = session.ask("GET", path, params={"begin": 2, "end": 3})
    assert {one["text"] for one in found} == {"green", "raw", "verde"}
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    assert len(session.ask("GET", path, params={"begin": 2, "end": 3, "most": 1})) == 1
    session.ask("GET", "/documents/1/sentences/2/reasons", params={"begin": -1, "end": 3}, status=422)
    assert session.ask("GET", "/documents/1/sentences/2/reasons", params={"begin": 9, "end": 3}) == []
    assert session.ask("GET", path, params={"begin": 2, "end": 9}) == []


def test_a_changed_word_has_its_reason_which_is_taken_back(session: Session) -> None:
    first = session.show(2)["text"].split()[0]
    assert reasons(session, 2, first) == []
    session.correct(0, DRAGON)
    (reason,) = [one for one in reasons(session, 1, "dragon") if one["kind"] == "rule"]
    assert "zorgulo" in reason["source"].split() and "dragon" in reason["target"].split()
    assert (reason["number"], reason["place"]) == (1, [1, 0])
    session.ask("DELETE", f"/corrections/{reason['number']}", status=204)
    assert "dragon" not in session.show(1)["text"].split()
    assert reasons(session, 1, "zorgulo") == []


def test_terms_and_sentences_of_the_memory_are_reasons(session: Session) -> None:
    session.ask("PUT", "/terms", json={"source": "verde", "target": "olive"}, status=204)
    term = {"kind": "term", "source": "verde", "target": "olive"}
    (reason,) = [one for one in reasons(session, 2, "olive") if one["kind"] == "term"]
    assert reason.items() >= term.items() and reason["number"] is None
    session.correct(0, DRAGON)
    session.add("la casa es zorgulo\n")
    (reason,) = [one for one in reasons(session, 0, "dragon", document=2) if one["kind"] == "memory"]
    assert (reason["target"], reason["number"], reason["value"]) == (DRAGON, 1, 1.0)


def test_words_that_corrections_have_are_reasons(start: Start) -> None:
    """The n-gram model of the corrections prefers another word, which a rule has that was known."""
    session = Session(start(expert="adapted"))
    session.add("la casa verde\nel zorgulo verde\nzorgulo casa verde\n")
    before = session.show(0)["text"]
    session.correct(0, "the raw house")
    shown = session.show(2)["text"].split()
    found = [one for place in range(len(shown)) for one in reasons(session, 2, shown[place])]
    runs = [one["target"] for one in found if one["kind"] == "words"]
    assert runs and all(f" {run} " in " the raw house " and f" {run} " not in f" {before} " for run in runs)


def test_what_is_typed_is_completed(session: Session, system: Path) -> None:
    path = "/documents/1/sentences/2/completion"
    forest = adapting_decoder(system).translate(example("la casa verde"))
    for typed in ("", "the", "the ", "the g", "la h", "zzz "):
        found = session.ask("POST", path, json={"text": typed, "words": 2})
        assert typed + found["rest"] == forest.complete(typed)
        assert [one["word"] for one in found["words"]] == [
            one.word for one in forest.completer().after(typed).next_words(2)
        ]
    assert session.ask("POST", path, json={"text": "the"})["words"] == []
    session.ask("POST", path, json={"text": "a\x00"}, status=422)
    session.ask("POST", path, json={"text": "a", "words": 21}, status=422)
    session.ask("POST", "/documents/1/sentences/99/completion", json={"text": "a"}, status=404)
    assert session.ask("POST", path, json={"text": "the", "revision": 0})["rest"]
    session.correct(2, "the green house")
    assert session.ask("POST", path, json={"text": "the", "revision": 0}) == {"rest": "", "words": []}


def test_the_derivation_is_a_drawing_without_scripts(session: Session) -> None:
    answer = session.ask("GET", "/documents/1/sentences/2/derivation.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    texts = [text.text for text in ET.fromstring(answer.text).iter("{http://www.w3.org/2000/svg}text")]
    assert {"la", "casa", "verde"} <= set(texts)


def test_a_text_is_translated_with_its_n_best_list(session: Session, system: Path) -> None:
    found = session.ask("POST", "/translate", json={"source": "la casa verde", "nbest": 4})
    forest = adapting_decoder(system).translate(example("la casa verde"))
    assert [one["text"] for one in found["nbest"]] == list(forest.unique_kbest(4))
    best = found["nbest"][0]
    assert best["features"] == pytest.approx(dict(forest.viterbi_features()))
    assert best["score"] == pytest.approx(sum(WEIGHTS.get(n, 0) * v for n, v in best["features"].items()))
    session.correct(2, "the green house")
    found = session.ask("POST", "/translate", json={"source": "la casa verde"})
    (learned,) = found["nbest"]
    assert learned["text"] == "the green house"
    assert learned["alignment"] == [[0, 0], [1, 2], [2, 1]]


def test_a_sentence_that_nobody_opens_is_skimmed_and_learned_from_as_others(
    session: Session, start: Start
) -> None:
    shown = session.show(0)["text"]
    text = session.ask("POST", "/documents/1/sentences/1/skim", json={})["text"]
    listed = session.ask("GET", "/documents/1")["text"]
    assert (listed[1]["machine"], listed[1]["state"]) == (text, "machine")
    assert session.show(1)["text"] == text
    session.correct(0, DRAGON)
    assert session.ask("POST", "/documents/1/sentences/0/skim", json={})["text"] == shown
    assert session.ask("GET", "/documents/1")["text"][0]["target"] == DRAGON
    session.ask("POST", "/documents/1/sentences/9/skim", json={}, status=404)
