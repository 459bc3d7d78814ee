from __future__ import annotations

import signal
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import pytest
from support.plans import cells_here
from support.small_sample import small_sample
from typer.testing import CliRunner

from hopefear.cli import app
from hopefear.experiments import read_runs
from hopefear.parallel import Serial, WorkerDied

pytestmark = pytest.mark.long(29)

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")
ARGUMENTS = ("experiment", "plan.toml", "--data", "data", "-o", "out")
MIRA = "base-MIRA-dev-n5-draw0-seed0"


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "data").symlink_to(small_sample())
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


@pytest.fixture
def in_this_process():
    with cells_here():
        yield


@pytest.mark.slow
def test_results_and_report(tmp_path, plan, run):
    done = run(*ARGUMENTS, "--quick")
    score = {found.tuner: found for found in read_runs(tmp_path / "out")}["MIRA"].score
    assert f"{MIRA}: dev BLEU {score:.2f}\n" in done.stderr
    assert done.stderr.endswith("report: out/report.md\n")
    report = tmp_path / "out" / "report.md"
    text = report.read_text("utf-8")
    assert f"{score:.2f}" in text
    assert "`hopefear experiment plan.toml --data DATA --quick --output RESULTS`" in text
    report.unlink()
    assert run(*ARGUMENTS, "--quick", "--report").stderr == ""
    assert report.read_text("utf-8") == text


def test_a_run_that_cannot_be_scored_anew_is_named(tmp_path, plan, run, in_this_process):
    run(*ARGUMENTS, "--quick")
    plan.write_text('metrics = ["ter"]\n' + PLAN)
    lost = tmp_path / "out" / "cells" / MIRA / "dev.txt"
    lost.unlink()
    told = run(*ARGUMENTS, "--quick").stderr
    assert f"{MIRA}: run again, its translations cannot be scored: out/" in told and lost.exists()
    assert told.count("run again") == 1 and told.count(": dev TER ") == 2


@pytest.mark.slow
def test_stopped_it_goes_on(tmp_path, plan, run, start):
    plan.write_text(PLAN.replace("passes=3", "passes=100000"))
    process = start(*ARGUMENTS)
    assert process.stderr.readline().startswith("base-untuned-dev-n5-draw0-seed0: dev BLEU ")
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 130
    assert (
        process.stderr.read()
        == "stopped; the same command with --resume continues, with --report it writes a report\n"
    )
    assert not (tmp_path / "out" / "cells" / MIRA / "cell.json").exists()
    plan.write_text(PLAN)
    run(*ARGUMENTS, "--report")
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "- tuning runs: 1 of 2\n" in text
    assert text.endswith("\n- MIRA, dev, 5 sentences, draw 0, seed 0: base\n")
    lines = run(*ARGUMENTS, "--resume").stderr.splitlines()
    assert [line.partition(":")[0] for line in lines] == [MIRA, "report"]


@pytest.mark.parametrize(
    ("old", "new", "more", "message"),
    [
        ("", "", ("--report",), "out: expected an experiment's results, got no results.sqlite"),
        ("passes=3", "passes=x", (), "plan.toml:14: tuners.MIRA.line: Mira: passes must be a whole number"),
        ("passes=3", "passes=1", ("--jobs", "2", "--cluster", "local:2"), "expected --jobs or --cluster"),
        ("", "", ("--report", "--only", "*"), "--report excludes --only, because nothing is run"),
        ("", "", ("--render", "page.md", "--jobs", "2"), "--render excludes --jobs, because nothing is run"),
        ("", "", ("--report", "--export", "kept"), "--report excludes --export and --render"),
    ],
)
def test_what_is_wrong_is_told(plan, run, old, new, more, message):
    plan.write_text(PLAN.replace(old, new) if old else PLAN)
    assert message in run(*ARGUMENTS, *more, status=2).stderr


@pytest.mark.slow
def test_runs_on_a_cluster(tmp_path, plan, run, in_this_process):
    pytest.importorskip("ray")
    here = run(*ARGUMENTS, "--quick")
    there = run(*ARGUMENTS[:-1], "there", "--quick", "--cluster", "local:2")
    assert sorted(there.stderr.splitlines()[:-1]) == sorted(here.stderr.splitlines()[:-1])
    found = [
        [(row.cell, row.score, row.features) for row in read_runs(tmp_path / folder)]
        for folder in ("out", "there")
    ]
    assert found[0] == found[1] and len(found[0]) == 2


def test_on_a_cluster_without_workers_it_says_so_and_goes_on_later(
    tmp_path, plan, run, monkeypatch, in_this_process
):
    class Lost(Serial):
        def submit(self, task, item):
            if item.name != MIRA:
                return super().submit(task, item)
            future = Future()
            future.set_exception(WorkerDied("no worker is left"))
            return future

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hopefear.cli.options.Workers.open", lambda workers: nullcontext(Lost()))
    done = CliRunner().invoke(app, [*map(str, ARGUMENTS), "--quick", "--cluster", "local:2"])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[1:] == ["hopefear: no worker is left"]
    assert [row.tuner for row in read_runs(tmp_path / "out")] == ["untuned"]
    assert [line.partition(":")[0] for line in run(*ARGUMENTS, "--quick").stderr.splitlines()] == [
        MIRA,
        "report",
    ]


def test_a_run_that_fails_is_in_the_report_and_in_the_status(tmp_path, plan, run, in_this_process):
    plan.write_text(PLAN.replace("Mira passes=3", "Mert features=Nowhere k=5 passes=1"))
    reason = "Mert features=Nowhere k=5 passes=1: features to tune: no candidate has the feature Nowhere"
    assert f"{MIRA}: failed: {reason}\n" in run(*ARGUMENTS, status=1).stderr
    report = tmp_path / "out" / "report.md"
    text = report.read_text("utf-8")
    assert "- tuning runs: 1 of 2, 1 failed\n" in text
    assert f"## Runs that failed\n\n- `{MIRA}`: {reason}\n" in text
    assert reason in (tmp_path / "out" / "report.html").read_text("utf-8")
    run(*ARGUMENTS, "--report")
    assert report.read_text("utf-8") == text
    plan.write_text(PLAN)
    run(*ARGUMENTS)
    assert "failed" not in report.read_text("utf-8")


def test_a_report_has_no_rows_of_another_plan(tmp_path, plan, run, in_this_process):
    run(*ARGUMENTS, "--quick")
    assert (
        f"{MIRA}: left out of the report: its settings differ from those of the plan\n"
        in run(*ARGUMENTS, "--report").stderr
    )
    text = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "- tuning runs: 1 of 2\n" in text
    assert "MIRA" not in text.split("## Runs that are missing\n")[0]


@pytest.mark.slow
def test_the_plan_of_the_sample_needs_no_data(tmp_path, run):
    run("experiment", "sample", "-o", "out", "--only", "*untuned*")
    (found,) = {result.tested_on for result in read_runs(tmp_path / "out")}
    assert found == "test"
    assert "- tuning runs: 1 of 5\n" in (tmp_path / "out" / "report.md").read_text("utf-8")
