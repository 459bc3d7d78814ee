"""Corrections, rules and terms that a session learns, finds and withdraws."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from support.live_server import DRAGON, Session, Start

from hopefear.live import Forget
from hopefear.live.server import Access


def test_a_pair_without_a_document_is_learned(session: Session) -> None:
    pair = {"source": "zorgulo", "target": "dragon"}
    assert session.ask("POST", "/corrections", json=pair, status=201)["number"] == 1
    (best,) = session.ask("POST", "/translate", json={"source": "el zorgulo"})["nbest"]
    assert best["text"] == "el dragon"
    state = session.settled(1)
    assert state["corrections"][0]["rules"] == [["zorgulo", "dragon"]]


def test_a_correction_is_withdrawn(session: Session) -> None:
    session.correct(0, DRAGON)
    assert "dragon" in session.show(1)["text"]
    assert session.ask("GET", "/corrections/1")["target"] == DRAGON
    session.ask("DELETE", "/corrections/1", status=204)
    assert "dragon" not in session.show(1)["text"]
    assert session.ask("GET")["corrections"] == []
    assert session.ask("GET", "/documents/1")["text"][0]["target"] == DRAGON
    session.ask("DELETE", "/corrections/1", status=404)
    session.ask("GET", "/corrections/1", status=404)


def test_a_confirmed_sentence_is_opened_again(session: Session, start: Start) -> None:
    """What it taught is withdrawn, its text is the draft, and another desk's correction stays."""
    session.correct(0, DRAGON)
    path = "/documents/1/sentences/0"
    assert session.ask("GET", "/corrections/1")["sentence"] == {"document": 1, "index": 0, "revision": 1}
    session.ask("DELETE", path, params={"revision": 0}, status=409)
    opened = session.ask("DELETE", path, params={"revision": 1})
    assert (opened["state"], opened["target"], opened["draft"]) == ("edited", None, DRAGON)
    assert session.ask("GET", "/documents/1")["corrected"] == 0
    assert "dragon" not in session.show(1)["text"]
    session.ask("DELETE", path, params={"revision": 2}, status=404)
    session = Session(start(), session.id)
    assert session.ask("GET", "/documents/1")["text"][0] == opened
    changes = session.ask("GET", "/documents/1/changes", params={"after": 0})["sentences"]
    assert [one["index"] for one in changes if one["draft"] == DRAGON] == [0]


def test_corrections_are_found_by_words_of_theirs_and_of_their_rules(start: Start) -> None:
    session = Session(start(Access(rate=1e9, burst=1e9)))
    session.add()
    for number in range(40):
        pair = {"source": f"la palabra{number}", "target": f"the Word{number}"}
        session.ask("POST", "/corrections", json=pair, status=201)
    session.correct(0, DRAGON)
    session.settled(41)

    def numbers(**query: object) -> list[int]:
        return [one["number"] for one in session.ask("GET", "/corrections", params=query)]

    assert numbers() == [one["number"] for one in session.ask("GET")["corrections"]] == [*range(41, 11, -1)]
    assert numbers(find="word3 ") == [] and numbers(find="word3", most=3) == [40, 39, 38]
    assert numbers(find="PALABRA0") == [1]
    assert numbers(find="zorgulo → dragon") == [41]
    session.ask("DELETE", "/corrections/1", status=204)
    assert numbers(find="palabra0") == []
    session.ask("GET", "/corrections", params={"most": 0}, status=422)


def test_a_rule_is_withdrawn_and_used_again(session: Session, start: Start) -> None:
    session.correct(0, DRAGON)
    session.settled(1)
    rule = {"source": "zorgulo", "target": "dragon"}
    for _ in range(2):
        session.ask("PUT", "/rules", json={**rule, "withdrawn": True}, status=204)
    assert "zorgulo" in session.show(1)["text"]
    assert "zorgulo" in session.show(0)["text"]
    state = session.ask("GET")
    assert state["withdrawn"] == [["zorgulo", "dragon"]]
    assert ["zorgulo", "dragon"] in state["corrections"][0]["rules"]
    session = Session(start(), session.id)
    assert session.ask("GET")["withdrawn"] == [["zorgulo", "dragon"]]
    session.ask("POST", "/corrections", json={"source": "zorgulo", "target": "dragon"}, status=201)
    assert session.settled(2)["corrections"][0]["rules"] == []
    for _ in range(2):
        session.ask("PUT", "/rules", json={**rule, "withdrawn": False}, status=204)
    assert session.ask("GET")["withdrawn"] == []
    assert "dragon" in session.show(1)["text"]


def test_rules_that_hold_a_withdrawn_one_are_listed_no_more(session: Session) -> None:
    session.correct(0, DRAGON)
    rules = session.settled(1)["corrections"][0]["rules"]
    assert ["es zorgulo", "is dragon"] in rules and ["zorgulo", "dragon"] in rules
    rule = {"source": "zorgulo", "target": "dragon"}
    session.ask("PUT", "/rules", json={**rule, "withdrawn": True}, status=204)
    left = session.ask("GET")["corrections"][0]["rules"]
    assert [one for one in left if "zorgulo" in one[0]] == [["zorgulo", "dragon"]]
    assert [one for one in rules if "zorgulo" not in one[0]] == left[1:]
    session.ask("PUT", "/rules", json={**rule, "withdrawn": False}, status=204)
    assert session.ask("GET")["corrections"][0]["rules"] == rules


def test_a_term_is_used_at_once_after_a_restart_and_until_it_is_removed(
    session: Session, start: Start
) -> None:
    def said() -> str:
        shown: str = session.show(0)["text"]
        return shown

    assert "zorgulo" in said()
    for source in ("zorgulo", " zorgulo "):
        session.ask("PUT", "/terms", json={"source": source, "target": "wyvern"}, status=204)
    assert "wyvern" in said()
    session = Session(start(), session.id)
    assert session.ask("GET")["terms"] == [["zorgulo", "wyvern"]]
    assert "wyvern" in said()
    for _ in range(2):
        body = {"source": "zorgulo", "target": "wyvern", "removed": True}
        session.ask("PUT", "/terms", json=body, status=204)
    assert session.ask("GET")["terms"] == [] and "zorgulo" in said()


@pytest.mark.parametrize(("source", "target"), [("", "b"), ("a", " "), ("a " * 41, "b"), ("\0", "b")])
def test_what_is_no_term(session: Session, source: str, target: str) -> None:
    body = {"source": source, "target": target}
    assert session.ask("PUT", "/terms", json=body, status=422)["detail"]
    assert session.ask("GET")["terms"] == []


@pytest.mark.parametrize(
    ("source", "target", "status"),
    [
        ("verde", "red", 404),
        ("el [X,1]", "the", 422),
        ("", "", 422),
        ("a " * 900, "b", 404),
        ("\0", "b", 422),
    ],
)
def test_what_is_no_rule_of_a_correction(session: Session, source: str, target: str, status: int) -> None:
    session.correct(0, DRAGON)
    body = {"source": source, "target": target, "withdrawn": True}
    assert session.ask("PUT", "/rules", json=body, status=status)["detail"]


def test_a_later_correction_of_a_sentence_takes_the_place_of_the_former(session: Session) -> None:
    session.correct(0, "the house is wyvern")
    session.correct(0, DRAGON, revision=1)
    state = session.settled(2)
    assert [one["number"] for one in state["corrections"]] == [2]
    assert "wyvern" not in session.show(1)["text"]
    assert session.ask("GET", "/documents/1")["text"][0] == {
        "source": "la casa es zorgulo",
        "state": "confirmed",
        "target": DRAGON,
        "draft": None,
        "machine": None,
        "revision": 2,
    }


def test_of_two_corrections_of_a_sentence_one_wins(session: Session) -> None:
    with ThreadPoolExecutor(8) as threads:

        def correct(number: int) -> int:
            body = {"target": f"the house is dragon{number}", "revision": 0}
            path = f"{session.path}/documents/1/sentences/0"
            return session.client.put(path, json=body).status_code

        answers = list(threads.map(correct, range(8)))
    assert sorted(answers) == [200] + [409] * 7
    kept = session.ask("GET", "/documents/1")["text"][0]
    assert kept["target"] == f"the house is dragon{answers.index(200)}" and kept["revision"] == 1
    assert session.ask("GET")["accepted"] == 1


def test_corrections_are_forgotten(start: Start) -> None:
    session = Session(start(forget=Forget(most=1)))
    session.add()
    session.correct(0, DRAGON)
    session.correct(2, "the green house")
    state = session.settled(2)
    assert [one["number"] for one in state["corrections"]] == [2]
    assert "dragon" not in session.show(1)["text"]
    assert state["documents"][0]["corrected"] == 2
