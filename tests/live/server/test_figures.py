"""What the state and the report tell of the work."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.live_server import DRAGON, Session, Start
from support.sessions import WEIGHTS

from hopefear.decoder import Weights
from hopefear.live.events import Event, Measured
from hopefear.live.server import Access, ServerLimits
from hopefear.metrics import Bleu, Ksmr, Ter


def effort(keys: int, clicks: int, seconds: float) -> dict[str, float]:
    return {"keys": keys, "clicks": clicks, "seconds": seconds}


def journal(tmp_path: Path, session: Session) -> list[str]:
    return (tmp_path / "state" / session.id / "state.journal").read_text("utf-8").splitlines()


def test_the_state_tells_scores_weights_and_rules(session: Session) -> None:
    shown = [session.show(0)["text"]]
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


def test_a_report_compares_the_work_with_that_of_the_untouched_system(session: Session) -> None:
    session.add("la casa\n")
    targets = [DRAGON, "the dragon is green", "the green house"]
    shown = []
    for i, target in enumerate(targets):
        shown.append(session.show(i)["text"])
        session.correct(i, target, effort=effort(10, 1, 2.5))
    places = [*((1, i) for i in range(3)), (2, 0)]
    shown.append(session.show(0, 2)["text"])
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
        shown.append(session.show(i)["text"])
        session.correct(i, "verde grande")
    before = session.settled(2)["points"][-1]["hter"]
    shown.append(session.show(31)["text"])
    session.correct(31, shown[2])
    rates = [Ter().score(Ter().stats(text, ["verde grande"])) for text in shown[:2]]
    assert before == pytest.approx(sum(rates) / 2, abs=0.005) and max(rates) > 0
    assert session.settled(3)["points"][-1]["hter"] == pytest.approx(sum(rates) / 3, abs=0.005)
    for i in range(2, 31):
        session.correct(i, session.show(i)["text"])
    # Of the latest 30 sentences, 29 and the long one were accepted as they were shown.
    assert session.settled(32)["points"][-1]["hter"] == 0.0


def test_a_sentence_that_is_corrected_twice_is_measured_once_by_what_was_shown_first(
    session: Session, tmp_path: Path
) -> None:
    first = session.show(0)["text"]
    session.correct(0, "a thing", effort=effort(5, 0, 1))
    session.show(0)  # the machine has learned what it is
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
    first = session.show(0)["text"]
    session.correct(0, "a thing", effort=effort(5, 0, 1))
    assert session.correct(0, "a " * 9, revision=1)["number"] is None
    session.correct(0, DRAGON, revision=2, effort=effort(2, 1, 0.5))
    session.settled(2)
    found = session.ask("GET", "/report")
    assert found["sentences"] == 1 and found["keys"] == 7
    assert found["hter"]["shown"] == pytest.approx(Ter().score(Ter().stats(first, [DRAGON])))


def test_a_session_that_measured_other_things_is_measured_anew(
    session: Session, start: Start, tmp_path: Path
) -> None:
    session.correct(0, DRAGON)
    before = session.settled(1)
    shutil.copytree(tmp_path / "state", tmp_path / "older")
    log = tmp_path / "older" / session.id / "state.journal"
    events = [Event.parse(line) for line in journal(tmp_path, session)]
    short = [replace(one, statistics=(1.0, 2.0)) if isinstance(one, Measured) else one for one in events]
    log.write_bytes(b"".join(one.line() for one in short))
    older = Session(start(folder=tmp_path / "older", close=False), session.id)
    assert older.ask("GET")["points"] == before["points"]


def test_a_sentence_that_was_shown_before_a_restart_is_measured_and_teaches_experts(
    session: Session, start: Start, tmp_path: Path
) -> None:
    """As if the server had not ended: all experts are asked once more."""
    session.show(0)
    again = Session(start(), session.id)
    again.correct(0, DRAGON)
    again.settled(1)
    log = (tmp_path / "state" / again.id / "state.journal").read_text().splitlines()
    (event,) = (json.loads(line[17:]) for line in log if '"Corrected"' in line)
    assert set(event["costs"]) == {"certain", "untouched", "adapted", "learned"}
