from __future__ import annotations

import signal

import pytest
from support.run_files import events, sessions, weights
from support.sessions import write_written_system
from support.waiting import PATIENCE, wait_until

from hopefear.base.files import alone_in


@pytest.fixture
def options(tune, corpus):
    return (*tune, "--reference", corpus / "en.1", "--passes", 3, "--output", "run")


def test_a_run_writes_weights_log_and_picture(options, run, tmp_path):
    done = run(*options, "--set", "batch_size=1", draw=True)
    folder = tmp_path / "run"
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "weights.final",
        "log.jsonl",
        "learning.png",
        "report.html",
        "change.json",
        "sentences.jsonl.gz",
        "weights.start",
        "run.json",
        "run.lock",
        "checkpoint",
    } | {f"weights.pass{n}" for n in (1, 2, 3)}
    assert [event["event"] for event in events(folder)] == 3 * (12 * ["update"] + ["pass"])
    assert [event["update"] for event in events(folder, "update")] == list(range(1, 37))
    assert weights(folder / "weights.final")["LanguageModel"] > 0
    assert (folder / "learning.png").read_bytes().startswith(b"\x89PNG")
    assert len([line for line in done.stderr.splitlines() if line.startswith("pass ")]) == 3
    passes = events(folder, "pass")
    assert all(low <= p["score"] <= high for p in passes for low, high in [p["score_interval"]])
    assert [p["chosen"] for p in passes] == [True, True, True]
    (session,) = sessions(folder)
    assert session["command"] == ["hopefear", *map(str, options), "--set", "batch_size=1"]
    assert (session["status"], session["passes"]) == ("finished", 3)
    assert list(session["files"]) == ["config", "weights", "source", "reference"]
    assert session["tuner"]["settings"]["batch_size"] == 1


LISTED = """
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopefear.plugins import FeatureTable, ListFeatures


@dataclass(kw_only=True)
class Listed(ListFeatures):
    search_weights: Path | None = None

    def fire(self, translations, segment):
        return FeatureTable.from_dense(("Letters",), np.array([[float(len(each))] for each in translations]))
"""


def test_weights_that_find_and_choose_are_warned_of(options, run, tmp_path):
    (tmp_path / "listed.py").write_text(LISTED)
    done = run(*options, "--passes", 1, "--feature", "listed:Listed")
    assert "Listed: the weights also search for the list that they choose from" in done.stderr
    found = tmp_path / "run" / "weights.final"
    done = run(*options[:-1], "two", "--passes", 1, "--feature", f"listed:Listed --search-weights {found}")
    assert "run away" not in done.stderr
    assert "Letters" in weights(tmp_path / "two" / "weights.final")


def test_a_run_is_not_overwritten(options, run, tmp_path):
    run(*options, "--passes", 1)
    before = (tmp_path / "run" / "weights.final").read_bytes()
    done = run(*options, status=2)
    assert "holds a run already" in done.stderr
    with alone_in(tmp_path / "run", "run.lock", "run"):
        done = run(*options, "--force", status=2)
    assert done.stderr == "hopefear: run: another run is using this folder\n"
    assert (tmp_path / "run" / "weights.final").read_bytes() == before
    run(*options, "--passes", 1, "--seed", 5, "--force")
    assert (tmp_path / "run" / "weights.final").read_bytes() != before


@pytest.mark.slow
def test_a_stopped_run_goes_on_to_the_same_weights(options, run, start, tmp_path):
    options = (*options, "--set", "batch_size=1")
    run(*options, "--output", "whole")
    process = start(*options)
    log = tmp_path / "run" / "log.jsonl"
    wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= 16, "16 updates")
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 130
    assert "--resume" in process.stderr.read()
    assert not (tmp_path / "run" / "weights.final").exists()
    run(*options, "--resume")
    for name in ("weights.pass3", "weights.final"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert [session["status"] for session in sessions(tmp_path / "run")] == ["stopped", "finished"]
    intervals = [
        [event["score_interval"] for event in events(tmp_path / name, "pass")] for name in ("run", "whole")
    ]
    assert intervals[0] == intervals[1] and None not in intervals[0]


def test_a_second_set_and_features(options, run, corpus, sample, tmp_path):
    second = ("--dev-source", corpus / "es", "--dev-reference", corpus / "en.1")
    feature = (
        "--feature",
        f"SoftSyntax trees={sample / 'dev.es.trees'}",
        "--feature",
        "StructuralDistortion",
    )
    run(*options, *second, *feature)
    passes = events(tmp_path / "run", "pass")
    assert all(0 < event["development_score"] < 100 for event in passes)
    best = max(passes, key=lambda event: event["development_score"])
    assert [event["pass_number"] for event in passes if event["chosen"]][-1] == best["pass_number"]
    for event in passes:
        low, high = event["development_interval"]
        assert low < event["development_score"] < high
    learned = weights(tmp_path / "run" / "weights.final")
    assert any(name.startswith("Distortion_") for name in learned)
    assert any(name.startswith("NP") for name in learned)


def test_references_behind_the_source(toy, run):
    (toy / "in").write_text("la casa ||| the home\nla ||| the\n")
    run("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-o", "run", "--passes", 5, "--set", "C=1")
    assert run("decode", "-c", "cdec.ini", "-w", "run/weights.final", text="la casa\n").stdout == "the home\n"


def test_another_oracle_and_metric(toy, run, tmp_path):
    (toy / "in").write_text("la casa ||| the home\nla ||| a\n")
    common = ("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "--passes", 5, "--set", "C=1")
    done = run(*common, "-o", "run", "--oracle", "Forced --k 20", "--metric", "ter")
    assert "TER" in done.stderr and "nothing to learn in 1 sentence," in done.stderr
    passes = events(tmp_path / "run", "pass")
    assert [(p["metric"], p["without_oracle"]) for p in passes] == 5 * [("TER", 1)]
    assert run("decode", "-c", "cdec.ini", "-w", "run/weights.final", text="la casa\n").stdout == "the home\n"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-s", "nowhere"], "nowhere: cannot be read"),
        (["-r", "short"], "short:1: expected 2 lines as in in, got 1"),
        ([], "in:1: expected a reference"),
        (["-r", "ref", "--tuner", "mert9"], "unknown tuner"),
        (["-r", "ref", "--set", "k=0"], "k must be at least 1"),
        (["-r", "ref", "--set", "average=some"], "average must be"),
        (["-r", "ref", "--oracle", "KBest"], "KBest: unknown oracle, near: KBestLocal"),
        (["-r", "ref", "--oracle", "KBestLocal", "--set", "k=5"], "k is for the default oracle only"),
        (["-r", "ref", "--metric", "ter"], "a forest can be searched by BLEU of order 4 only"),
        (["-r", "ref", "--dev-source", "in"], "--dev-reference"),
        (["-r", "ref", "--resume", "--force"], "--resume or --force"),
    ],
)
def test_what_does_not_fit_is_refused(toy, run, more, message):
    (toy / "in").write_text("la casa\nla\n")
    (toy / "ref").write_text("the home\nthe\n")
    (toy / "short").write_text("the home\n")
    done = run("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-o", "run", *more, status=2)
    assert message in done.stderr
    assert done.stdout == ""


def test_a_report_that_fails_is_told_with_a_reason_and_in_the_status(options, run, corpus, monkeypatch):
    def fail(*given):
        raise RuntimeError

    monkeypatch.setattr("hopefear.runs.folder.plot_learning", fail)
    done = run(*options, "--passes", 1, draw=True, status=1)
    assert "hopefear: run/learning.png: cannot be written: RuntimeError\n" in done.stderr
    assert (corpus / "run" / "weights.final").exists()


def test_a_run_does_not_go_on_with_the_same_texts_as_tokens(run, tmp_path):
    write_written_system(tmp_path)
    (tmp_path / "in").write_text("La casa es muy verde.\nEl zorgulo es verde.\n")
    (tmp_path / "ref").write_text("The house is very green.\nThe dragon is green.\n")
    given = ("tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-r", "ref", "-o", "run")
    run(*given, "--passes", 1)
    refused = run(*given, "--passes", 2, "--resume", "--tokens", status=2)
    assert "run began with --tokens not given: expected the same, got given" in refused.stderr
    run(*given, "--passes", 2, "--resume")
