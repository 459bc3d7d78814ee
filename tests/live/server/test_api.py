"""The HTTP API: translate, correct, and see what was learned."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient
from support.live_server import BYTES, Session
from support.small_session import WEIGHTS, adapting_decoder, example

from hopefear.base import InputError
from hopefear.decoder import Weights, create_consensus
from hopefear.live import Forget, LiveSession
from hopefear.live.events import Event, Measured
from hopefear.live.server import Access, Received, ServerLimits, SessionStore, TranslationSystem
from hopefear.metrics import Bleu, Ksmr, Ter
from hopefear.tuners import Mira

Start = Callable[..., TestClient]

DRAGON = "the house is dragon"


def test_an_unknown_word_is_known_in_the_next_sentence(session: Session) -> None:
    first = session.ask("GET", "/documents/1/sentences/0")
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
    (tmp_path / "grammar").write_text(
        "[X] ||| a ||| u v ||| p=1\n[X] ||| a ||| w x ||| p=0.95\n[X] ||| a ||| w y ||| p=0.9\n"
        "[X] ||| a ||| w z ||| p=0.9\n[X] ||| a ||| r s ||| p=-1\n"
    )
    (tmp_path / "cdec.ini").write_text("formalism=scfg\ngrammar=grammar\n")
    (tmp_path / "weights").write_text("p 1\n")
    client = start(config=tmp_path / "cdec.ini", consensus=create_consensus("linear"))
    session = Session(client)
    session.add("a\n")
    shown = session.ask("GET", "/documents/1/sentences/0")
    assert shown["text"] == "w x" and len(shown["confidence"]) == 2
    assert " ".join(one["text"] for one in shown["phrases"]) == "w x"
    assert session.ask("GET", "/documents/1/sentences/0/untouched")["text"] == "w x"
    typed = session.ask("POST", "/documents/1/sentences/0/completion", json={"text": "u"})
    assert typed["rest"] == " v"


def test_phrases_make_up_the_translation(session: Session) -> None:
    for index in range(3):
        shown = session.ask("GET", f"/documents/1/sentences/{index}")
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


def reasons(session: Session, index: int, word: str, document: int = 1) -> list[dict[str, object]]:
    shown = session.ask("GET", f"/documents/{document}/sentences/{index}")
    place = shown["text"].split().index(word)
    path = f"/documents/{document}/sentences/{index}/reasons"
    return session.ask("GET", path, params={"begin": place, "end": place + 1})


def test_a_changed_word_has_its_reason_which_is_taken_back(session: Session) -> None:
    first = session.ask("GET", "/documents/1/sentences/2")["text"].split()[0]
    assert reasons(session, 2, first) == []
    session.correct(0, DRAGON)
    (reason,) = [one for one in reasons(session, 1, "dragon") if one["kind"] == "rule"]
    assert "zorgulo" in reason["source"].split() and "dragon" in reason["target"].split()
    assert (reason["number"], reason["place"]) == (1, [1, 0])
    session.ask("DELETE", f"/corrections/{reason['number']}", status=204)
    assert "dragon" not in session.ask("GET", "/documents/1/sentences/1")["text"].split()
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
    before = session.ask("GET", "/documents/1/sentences/0")["text"]
    session.correct(0, "the raw house")
    shown = session.ask("GET", "/documents/1/sentences/2")["text"].split()
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


def test_a_pair_without_a_document_is_learned(session: Session) -> None:
    pair = {"source": "zorgulo", "target": "dragon"}
    assert session.ask("POST", "/corrections", json=pair, status=201)["number"] == 1
    (best,) = session.ask("POST", "/translate", json={"source": "el zorgulo"})["nbest"]
    assert best["text"] == "el dragon"
    state = session.settled(1)
    assert state["corrections"][0]["rules"] == [["zorgulo", "dragon"]]


def test_the_state_tells_scores_weights_and_rules(session: Session) -> None:
    shown = [session.ask("GET", "/documents/1/sentences/0")["text"]]
    untouched = [session.ask("GET", f"/documents/1/sentences/{i}/untouched")["text"] for i in range(2)]
    targets = [DRAGON, "the dragon is green"]
    shown.append(session.correct(0, targets[0], next=1)["next"]["text"])
    session.correct(1, targets[1])
    state = session.settled(2)
    assert (state["accepted"], state["kept"]) == (2, 2)
    references = [[target] for target in targets]
    expected = {
        name + kind: metric.scores(metric.corpus_stats(texts, references)).mean()
        for name, texts in (("", shown), ("untouched_", untouched))
        for kind, metric in (("hter", Ter()), ("ksmr", Ksmr()))
    }
    point = state["points"][-1]
    assert {name: point[name] for name in expected} == pytest.approx(expected, abs=0.005)
    assert point["hter"] < point["untouched_hter"]
    assert state["seconds_a_sentence"] is None  # nobody has counted
    weights = Weights()
    path = session.ask("GET", "/weights")
    learned = dict(line.split(" ") for line in path.text.splitlines() if line)
    for moved in state["weights"]:
        assert float(learned[moved["name"]]) == pytest.approx(moved["now"])
        if not moved["name"].startswith("PostEdit"):  # these begin with a prior
            assert moved["before"] == pytest.approx(WEIGHTS.get(moved["name"], 0.0))
    sizes = [abs(moved["now"] - moved["before"]) for moved in state["weights"]]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] > 0
    assert len(weights) == 0
    rules = state["corrections"][-1]["rules"]
    assert rules[0] == ["zorgulo", "dragon"]
    assert not any(source == "la" for source, _ in rules)  # "la" with "the" was known


def test_a_correction_is_withdrawn(session: Session) -> None:
    session.correct(0, DRAGON)
    assert "dragon" in session.ask("GET", "/documents/1/sentences/1")["text"]
    assert session.ask("GET", "/corrections/1")["target"] == DRAGON
    session.ask("DELETE", "/corrections/1", status=204)
    assert "dragon" not in session.ask("GET", "/documents/1/sentences/1")["text"]
    assert session.ask("GET")["corrections"] == []
    assert session.ask("GET", "/documents/1")["text"][0]["target"] == DRAGON
    session.ask("DELETE", "/corrections/1", status=404)
    session.ask("GET", "/corrections/1", status=404)


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
    assert "zorgulo" in session.ask("GET", "/documents/1/sentences/1")["text"]
    assert "zorgulo" in session.ask("GET", "/documents/1/sentences/0")["text"]
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
    assert "dragon" in session.ask("GET", "/documents/1/sentences/1")["text"]


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
        shown: str = session.ask("GET", "/documents/1/sentences/0")["text"]
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
    assert "wyvern" not in session.ask("GET", "/documents/1/sentences/1")["text"]
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


def test_sessions_know_nothing_of_each_other(client: TestClient) -> None:
    first, second = Session(client), Session(client)
    for session in (first, second):
        session.add()
    first.correct(0, DRAGON)
    assert "dragon" in first.ask("GET", "/documents/1/sentences/1")["text"]
    assert "dragon" not in second.ask("GET", "/documents/1/sentences/1")["text"]
    second.correct(0, "the house is wyvern")
    assert "dragon" in first.ask("GET", "/documents/1/sentences/1")["text"]
    assert "wyvern" in second.ask("GET", "/documents/1/sentences/1")["text"]
    names = [one["id"] for one in client.get("/api/sessions").json()]
    assert names == [first.id, second.id]


def test_documents_of_one_session_share_what_is_learned(session: Session) -> None:
    assert session.add("el zorgulo\n", "b.txt")["number"] == 2
    session.correct(0, DRAGON)
    assert session.ask("GET", "/documents/2/sentences/0")["text"] == "el dragon"
    assert [one["corrected"] for one in session.ask("GET")["documents"]] == [1, 0]


def test_nothing_is_lost_when_the_server_ends(start: Start, tmp_path: Path) -> None:
    session = Session(start())
    session.add()
    session.correct(0, DRAGON)
    session.correct(1, "the dragon is green")
    session.ask("DELETE", "/corrections/2", status=204)
    before = session.settled(2)
    again = Session(start(), session.id)
    after = again.ask("GET")
    assert after == before
    assert again.ask("GET", "/documents/1/sentences/2") == session_text(again, 2)
    assert again.correct(2, "the green house")["number"] == 3


def session_text(session: Session, index: int) -> object:
    return session.ask("GET", f"/documents/1/sentences/{index}")


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
    assert "dragon" in early.ask("GET", "/documents/1/sentences/1")["text"]
    late = Session(start(folder=tmp_path / "killed late", close=False), session.id)
    late.correct(2, "the green house")
    assert late.settled(3)["points"][1] == before["points"][-1]
    targets = [one["target"] for one in late.ask("GET", "/documents/1")["text"]]
    assert targets == [DRAGON, "the dragon is green", "the green house"]


def effort(keys: int, clicks: int, seconds: float) -> dict[str, float]:
    return {"keys": keys, "clicks": clicks, "seconds": seconds}


def test_a_report_compares_the_work_with_that_of_the_untouched_system(session: Session) -> None:
    session.add("la casa\n")
    targets = [DRAGON, "the dragon is green", "the green house"]
    shown = []
    for i, target in enumerate(targets):
        shown.append(session.ask("GET", f"/documents/1/sentences/{i}")["text"])
        session.correct(i, target, effort=effort(10, 1, 2.5))
    places = [*((1, i) for i in range(3)), (2, 0)]
    shown.append(session.ask("GET", "/documents/2/sentences/0")["text"])
    untouched = [session.ask("GET", f"/documents/{n}/sentences/{i}/untouched")["text"] for n, i in places]
    session.correct(0, "the house", document=2)
    state = session.settled(4)
    assert state["seconds_a_sentence"] == 2.5
    report = session.ask("GET", "/report")
    references = [[one] for one in (*targets, "the house")]
    for name, metric in (("hter", Ter()), ("ksmr", Ksmr()), ("bleu", Bleu())):
        scores = [
            metric.score(metric.corpus_stats(one, references).sum(axis=0)) for one in (shown, untouched)
        ]
        found = report[name]
        assert [found["shown"], found["untouched"]] == pytest.approx(scores)
        assert found["difference"] == pytest.approx(scores[0] - scores[1])
        assert found["interval"][0] <= found["difference"] <= found["interval"][1]
        assert 0 < found["p"] <= 1
    assert (report["sentences"], report["counted"]) == (4, 3)
    assert (report["keys"], report["clicks"], report["seconds"]) == (30, 3, 7.5)
    assert report["unchanged"] == sum(a == b for a, (b,) in zip(shown, references, strict=True))
    parts = [(one["name"], one["sentences"], one["seconds"]) for one in report["documents"]]
    assert parts == [("a.txt", 3, 7.5), ("a.txt", 1, None)]
    assert sum(one["sentences"] for one in report["experts"]) == 4
    assert report["points"] == state["points"]


def test_a_long_sentence_that_is_accepted_counts_as_much_as_a_short_one(start: Start) -> None:
    """Over all words together the rate would fall from 50 % to less than one; a point is of 30 sentences."""
    session = Session(start(Access(rate=1e9, burst=1e9)))
    session.add("\n".join(["casa"] * 31 + ["la casa " * 90]))
    shown = []
    for i in range(2):
        shown.append(session.ask("GET", f"/documents/1/sentences/{i}")["text"])
        session.correct(i, "verde grande")
    before = session.settled(2)["points"][-1]["hter"]
    shown.append(session.ask("GET", "/documents/1/sentences/31")["text"])
    session.correct(31, shown[2])
    rates = [Ter().score(Ter().stats(text, ["verde grande"])) for text in shown[:2]]
    assert before == pytest.approx(sum(rates) / 2, abs=0.005) and max(rates) > 0
    assert session.settled(3)["points"][-1]["hter"] == pytest.approx(sum(rates) / 3, abs=0.005)
    for i in range(2, 31):
        session.correct(i, session.ask("GET", f"/documents/1/sentences/{i}")["text"])
    # Of the latest 30 sentences, 29 and the long one were accepted as they were shown.
    assert session.settled(32)["points"][-1]["hter"] == 0.0


def test_a_sentence_that_is_corrected_twice_is_measured_once_by_what_was_shown_first(
    start: Start, tmp_path: Path
) -> None:
    session = Session(start())
    session.add()
    first = session.ask("GET", "/documents/1/sentences/0")["text"]
    session.correct(0, "a thing", effort=effort(5, 0, 1))
    session.ask("GET", "/documents/1/sentences/0")  # the machine has learned what it is
    session.correct(0, DRAGON, revision=1, effort=effort(2, 1, 0.5))
    session.settled(2)
    found = session.ask("GET", "/report")
    expected = Ter().score(Ter().stats(first, [DRAGON]))
    assert found["sentences"] == 1 and found["hter"]["shown"] == pytest.approx(expected)
    assert (found["keys"], found["clicks"], found["seconds"]) == (7, 1, 1.5)
    events = [json.loads(line.partition(" ")[2]) for line in journal(tmp_path, session)]
    again = [one for one in events if one["event"] == "Corrected"][1]
    assert not again.get("costs")  # what an expert has learned from the sentence is no reason to trust it


def test_a_sentence_is_counted_once_also_if_one_of_its_corrections_is_too_long(start: Start) -> None:
    session = Session(start(limits=ServerLimits(words=8)))
    session.add()
    first = session.ask("GET", "/documents/1/sentences/0")["text"]
    session.correct(0, "a thing", effort=effort(5, 0, 1))
    assert session.correct(0, "a " * 9, revision=1)["number"] is None
    session.correct(0, DRAGON, revision=2, effort=effort(2, 1, 0.5))
    session.settled(2)
    found = session.ask("GET", "/report")
    assert found["sentences"] == 1 and found["keys"] == 7
    assert found["hter"]["shown"] == pytest.approx(Ter().score(Ter().stats(first, [DRAGON])))


def journal(tmp_path: Path, session: Session) -> list[str]:
    return (tmp_path / "state" / session.id / "state.journal").read_text("utf-8").splitlines()


def test_a_session_that_measured_other_things_is_measured_anew(start: Start, tmp_path: Path) -> None:
    session = Session(start())
    session.add()
    session.correct(0, DRAGON)
    before = session.settled(1)
    shutil.copytree(tmp_path / "state", tmp_path / "older")
    log = tmp_path / "older" / session.id / "state.journal"
    events = [Event.parse(line) for line in journal(tmp_path, session)]
    short = [replace(one, statistics=(1.0, 2.0)) if isinstance(one, Measured) else one for one in events]
    log.write_bytes(b"".join(one.line() for one in short))
    older = Session(start(folder=tmp_path / "older", close=False), session.id)
    assert older.ask("GET")["points"] == before["points"]


def test_the_document_and_a_memory_are_exported(session: Session) -> None:
    session.correct(1, "the dragon is green")
    session.ask("POST", "/corrections", json={"source": "muy", "target": "very"}, status=201)
    answer = session.ask("GET", "/documents/1/export")
    assert answer.text == "la casa es zorgulo\nthe dragon is green\nla casa verde\n"
    assert (
        answer.headers["content-disposition"]
        == "attachment; filename=\"a.en.txt\"; filename*=UTF-8''a.en.txt"
    )
    memory = session.ask("GET", "/memory.tmx")
    segments = [one.text for one in ET.fromstring(memory.content).iter("seg")]
    assert segments == ["el zorgulo es verde", "the dragon is green", "muy", "very"]


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


def test_corrections_are_forgotten(start: Start) -> None:
    session = Session(start(forget=Forget(most=1)))
    session.add()
    session.correct(0, DRAGON)
    session.correct(2, "the green house")
    state = session.settled(2)
    assert [one["number"] for one in state["corrections"]] == [2]
    assert "dragon" not in session.ask("GET", "/documents/1/sentences/1")["text"]
    assert state["documents"][0]["corrected"] == 2


def test_a_removed_session_is_gone(session: Session, tmp_path: Path) -> None:
    session.ask("DELETE", status=204)
    session.ask("GET", status=404)
    assert not (tmp_path / "state" / session.id).exists()
    assert session.client.get("/api/sessions").json() == []


def test_the_api_is_described(client: TestClient) -> None:
    found = client.get("/api/openapi.json").json()
    assert found["info"]["title"] == "hopefear serve"
    methods = {(method, path) for path, each in found["paths"].items() for method in each}
    sentence = "/api/sessions/{session}/documents/{document}/sentences/{index}"
    assert {("put", sentence), ("post", "/api/sessions/{session}/translate")} <= methods
    accepted = found["paths"][sentence]["put"]["responses"]["200"]["content"]["application/json"]["schema"]
    assert accepted["$ref"].endswith("/Accepted")


def test_the_page_is_part_of_the_package(client: TestClient) -> None:
    page = client.get("/")
    assert page.status_code == 200 and "<textarea" in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for name in ("page.js", "page.css", "icon.svg"):
        assert client.get(f"/{name}").status_code == 200, name
        assert name in page.text
    assert client.get("/sentence.js").status_code == 200  # a module that page.js imports
    assert "http" not in page.text.replace("http-equiv", "")


def test_one_server_at_a_time_uses_a_folder(session: Session, system: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another server is using this folder"):
        SessionStore(
            TranslationSystem(adapting_decoder(system), lambda: Mira.paper(C=0.1)), tmp_path / "state"
        )


def test_what_links_in_the_folder_lead_to_stays_as_it_is(system: Path, tmp_path: Path) -> None:
    shared, folder = tmp_path / "shared", tmp_path / "state"
    shared.write_text("for all")
    shared.chmod(0o644)
    folder.mkdir()
    (folder / "link").symlink_to(shared)
    (folder / "lost").symlink_to(tmp_path / "nothing")
    SessionStore(TranslationSystem(adapting_decoder(system), lambda: Mira.paper(C=0.1)), folder).close()
    assert shared.stat().st_mode & 0o777 == 0o644 and folder.stat().st_mode & 0o777 == 0o700


def test_a_session_of_another_system_is_refused_by_name(start: Start, system: Path, tmp_path: Path) -> None:
    session = Session(start())
    session.client.post(f"{session.path}/documents", content=b"la", headers=BYTES)
    start(folder=tmp_path / "other")
    other = TranslationSystem(adapting_decoder(system, model=False), lambda: Mira.paper(C=0.1))
    store = SessionStore(other, tmp_path / "state")
    with pytest.raises(InputError, match="expected a session that adapts"):
        store.open(session.id)
    store.close()


def test_a_damaged_log_is_refused_by_line(start: Start, tmp_path: Path) -> None:
    session = Session(start())
    session.add()
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
def test_damaged_files_are_refused_by_name(start: Start, tmp_path: Path, name: str, content: str) -> None:
    session = Session(start())
    session.add()
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


def test_a_correction_of_no_sentence_is_refused_by_line(start: Start, tmp_path: Path) -> None:
    session = Session(start())
    session.add()
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
    store = SessionStore(
        TranslationSystem(adapting_decoder(system), lambda: Mira.paper(C=0.1)), tmp_path / "state"
    )
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


def test_a_document_gets_another_name(session: Session, start: Start) -> None:
    assert session.ask("PATCH", "/documents/1", json={"name": "b.txt"})["name"] == "b.txt"
    session.ask("PATCH", "/documents/1", json={"name": ""}, status=422)
    session.ask("PATCH", "/documents/2", json={"name": "a"}, status=404)
    session = Session(start(), session.id)
    assert session.ask("GET", "/documents/1")["name"] == "b.txt"
    exported = session.ask("GET", "/documents/1/export")
    assert 'filename="b.en.txt"' in exported.headers["content-disposition"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "a.txt: expected a document, got an empty file"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0", "the file is a picture"),
        ("a.docx", b"PK\3\4", "expected a file with one of the endings"),
    ],
)
def test_a_wrong_file_is_refused_with_what_was_expected(
    session: Session, name: str, content: bytes, message: str
) -> None:
    assert message in session.add(content, name, status=422)["detail"]


def test_a_deleted_document_is_gone_and_what_it_taught_stays(
    session: Session, start: Start, tmp_path: Path
) -> None:
    session.add("el zorgulo\n", "b.txt")
    session.correct(0, DRAGON)
    session.ask("DELETE", "/documents/1", status=204)
    assert not (tmp_path / "state" / session.id / "document-1.json").exists()

    def is_so(session: Session) -> None:
        session.ask("GET", "/documents/1", status=404)
        session.ask("DELETE", "/documents/1", status=404)
        state = session.ask("GET")
        assert [one["number"] for one in state["documents"]] == [2]
        assert [one["target"] for one in state["corrections"]] == [DRAGON]
        assert session.ask("GET", "/corrections/1")["target"] == DRAGON
        assert session.ask("GET", "/documents/2/sentences/0")["text"] == "el dragon"

    is_so(session)
    session = Session(start(), session.id)
    is_so(session)
    session.ask("DELETE", "/documents/2", status=204)
    session = Session(start(), session.id)
    assert session.add()["number"] == 3  # no number is used twice
    session.ask("DELETE", "/corrections/1", status=204)
    assert "zorgulo" in session.ask("GET", "/documents/3/sentences/0")["text"]


def test_a_kill_while_a_document_is_deleted(session: Session, start: Start, tmp_path: Path) -> None:
    """The file may still be there; and what was measured may be lost, but not the rest of the log."""
    folder = tmp_path / "state" / session.id
    kept = (folder / "document-1.json").read_bytes()
    session.correct(0, DRAGON)
    before = session.settled(1)["points"]
    session.ask("DELETE", "/documents/1", status=204)
    killed = tmp_path / "killed"
    shutil.copytree(tmp_path / "state", killed)
    (killed / session.id / "document-1.json").write_bytes(kept)
    log = killed / session.id / "state.journal"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(line for line in lines if b'"Measured"' not in line))
    again = Session(start(folder=killed, close=False), session.id)
    assert again.settled(1)["points"] == before
    assert again.ask("GET")["documents"] == [] and not (killed / session.id / "document-1.json").exists()


def test_a_document_that_is_missing_is_told(session: Session, start: Start, tmp_path: Path) -> None:
    session.correct(0, DRAGON)
    start(folder=tmp_path / "other")
    (tmp_path / "state" / session.id / "document-1.json").unlink()
    answer = start().get(session.path)
    assert answer.status_code == 422 and "expected document 1 of the session" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("manual.po", "manual.en.po"),
        ("manual.es.po", "manual.en.po"),
        ("manual.EN.po", "manual.en.po"),
        ("manual.pot", "manual.en.po"),
        ("esther.es", "esther.en"),
        ("esther", "esther.en"),
        ("v1.2 notes.md", "v1.2 notes.en.md"),
        (".po", ".po.en"),
    ],
)
def test_an_export_has_the_target_language_in_its_name(session: Session, name: str, expected: str) -> None:
    session.ask("PATCH", "/documents/1", json={"name": name})
    found = session.ask("GET", "/documents/1/export").headers["content-disposition"]
    assert found.endswith(f"filename*=UTF-8''{expected.replace(' ', '%20')}")


CATALOGUE = """msgid "la casa"
msgstr "the house"

#, fuzzy
msgid "verde"
msgstr "red"

msgid "zorgulo"
msgstr ""

msgid "la"
msgstr ""

msgid "es"
msgstr ""

msgctxt "again"
msgid "la"
msgstr ""
"""


def test_sentences_have_states_that_outlive_the_server(start: Start, tmp_path: Path) -> None:
    """Of a catalogue, and by what is done: looked at, written and left, confirmed; also after a kill."""
    session = Session(start())
    assert start().get("/api/system").json()["states"] == [
        "new",
        "machine",
        "repeated",
        "edited",
        "confirmed",
    ]

    def states(session: Session) -> list[str]:
        return [one["state"] for one in session.ask("GET", "/documents/1")["text"]]

    session = Session(start(), session.id)
    made = session.add(CATALOGUE, "a.po")
    assert (made["sentences"], made["corrected"]) == (6, 1)
    assert states(session) == ["confirmed", "edited", "new", "new", "new", "repeated"]
    shown = session.ask("GET", "/documents/1/sentences/1")
    assert (shown["state"], shown["target"], shown["draft"]) == ("edited", None, "red")
    shown = session.ask("GET", "/documents/1/sentences/0")
    assert (shown["state"], shown["target"], shown["draft"]) == ("confirmed", "the house", None)
    for index in (2, 3, 4, 5):
        session.ask("GET", f"/documents/1/sentences/{index}")
    draft = {"text": " the dragon ", "revision": 0}
    kept = session.ask("PUT", "/documents/1/sentences/2/draft", json=draft)
    assert (kept["state"], kept["draft"]) == ("edited", "the dragon")
    session.correct(4, "is")
    session.ask("PUT", "/documents/1/sentences/4/draft", json=draft, status=409)
    session.settled(1)
    expected = ["confirmed", "edited", "edited", "machine", "confirmed", "repeated"]
    before = session.ask("GET", "/documents/1")["text"]
    assert states(session) == expected
    shutil.copytree(tmp_path / "state", tmp_path / "killed")
    killed = Session(start(folder=tmp_path / "killed", close=False), session.id)
    assert killed.ask("GET", "/documents/1")["text"] == before
    session = Session(start(), session.id)
    assert session.ask("GET", "/documents/1")["text"] == before
    machine = session.ask("GET", "/documents/1/sentences/2")["text"]
    kept = session.ask("PUT", "/documents/1/sentences/2/draft", json={"text": machine, "revision": 0})
    assert (kept["state"], kept["draft"], kept["machine"]) == ("machine", None, machine)
    kept = session.ask("PUT", "/documents/1/sentences/1/draft", json={"text": "", "revision": 0})
    assert kept["state"] == "machine" and kept["draft"] is None
    session.ask("PUT", "/documents/1/sentences/1/draft", json={"text": "a\0", "revision": 0}, status=422)
    session.ask("PUT", "/documents/1/sentences/9/draft", json=draft, status=404)
    exported = session.ask("GET", "/documents/1/export").text
    assert exported == CATALOGUE.replace('msgid "es"\nmsgstr ""', 'msgid "es"\nmsgstr "is"')


def test_another_desk_is_told_of_the_sentences_that_have_changed(session: Session) -> None:
    known = session.ask("GET", "/documents/1")

    def changes(after: int) -> tuple[int, list[int]]:
        found = session.ask("GET", "/documents/1/changes", params={"after": after})
        now = session.ask("GET", "/documents/1")
        for one in found["sentences"]:
            assert one == {**now["text"][one["index"]], "index": one["index"]}
        return now["events"], [one["index"] for one in found["sentences"]]

    assert changes(known["events"]) == (known["events"], [])
    session.ask("PUT", "/documents/1/sentences/2/draft", json={"text": "a house", "revision": 0})
    session.correct(0, DRAGON)
    session.settled(1)
    events, changed = changes(known["events"])
    assert changed == [0, 2] and changes(events) == (events, [])
    session.ask("PUT", "/documents/1/sentences/2/draft", json={"text": "", "revision": 0})
    assert changes(events)[1] == [2] and changes(0)[1] == [2, 0]


def test_the_words_of_a_large_document_are_read_apart_from_the_decoder(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a catalogue of 100,000 messages takes seconds, in which others work."""
    threads, plain = set[str](), Received.units

    def units(self: Received) -> Any:
        threads.add(threading.current_thread().name)
        return plain(self)

    monkeypatch.setattr(Received, "units", units)
    session = Session(client)
    session.add(CATALOGUE, "a.po")
    session.ask("GET", "/documents/1/sentences/0")
    assert threads and not any(name.startswith("decoder") for name in threads)


def test_a_confirmed_draft_is_none_any_more_and_is_exported(session: Session) -> None:
    session.add(CATALOGUE, "a.po")
    body = {"target": "green", "revision": 0}
    session.ask("PUT", "/documents/2/sentences/1", json=body)
    text = session.ask("GET", "/documents/2")["text"]
    assert (text[1]["state"], text[1]["target"], text[1]["draft"]) == ("confirmed", "green", None)
    exported = session.ask("GET", "/documents/2/export").text
    assert exported == CATALOGUE.replace("#, fuzzy\n", "").replace("red", "green")
    memory = ET.fromstring(session.ask("GET", "/memory.tmx").content)
    assert [one.text for one in memory.iter("seg")] == ["verde", "green"]  # what was corrected


def test_a_sentence_that_was_shown_before_a_restart_is_measured_and_teaches_experts(
    session: Session, start: Start, tmp_path: Path
) -> None:
    """As if the server had not ended: all experts are asked once more."""
    session.ask("GET", "/documents/1/sentences/0")
    again = Session(start(), session.id)
    again.correct(0, DRAGON)
    again.settled(1)
    log = (tmp_path / "state" / again.id / "state.journal").read_text().splitlines()
    (event,) = (json.loads(line[17:]) for line in log if '"Corrected"' in line)
    assert set(event["costs"]) == {"certain", "untouched", "adapted", "learned"}
