from __future__ import annotations

import signal

import pytest

from hopefear.experiments import read_runs
from hopefear.grammars.sample import sample_path

PLAN = """
title = "One tuner"
weights = "{data}/weights.init"

[sets.dev]
config = "{data}/cdec.ini"
source = "{data}/dev.es"
references = ["{data}/dev.en.0"]

[systems.base]

[tuners]
untuned = "none"
MIRA = "Mira passes=3"

[quick.tuners]
MIRA = "Mira passes=1"

[[runs]]
tune = ["dev"]
test = ["dev"]
sizes = [5]

[[tables]]
title = "All"
rows = ["tuner"]
"""
ARGUMENTS = ("experiment", "plan.toml", "--data", sample_path(), "-o", "out")
MIRA = "base-MIRA-dev-n5-draw0-seed0"


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


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


def test_stopped_it_goes_on(tmp_path, plan, run, start):
    plan.write_text(PLAN.replace("passes=3", "passes=100000"))
    process = start(*ARGUMENTS)
    assert process.stderr.readline().startswith("base-untuned-dev-n5-draw0-seed0: dev BLEU ")
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 130
    assert process.stderr.read() == "stopped; the same command goes on from here\n"
    assert not (tmp_path / "out" / "cells" / MIRA / "cell.json").exists()
    plan.write_text(PLAN)
    lines = run(*ARGUMENTS).stderr.splitlines()
    assert [line.partition(":")[0] for line in lines] == [MIRA, "report"]


@pytest.mark.parametrize(
    ("old", "new", "more", "message"),
    [
        ("", "", ("--report",), "out: expected an experiment's results, got no results.sqlite"),
        ("passes=3", "passes=x", (), "plan.toml:14: tuners.MIRA.line: Mira: passes must be a whole number"),
        ("dev.es", "dev.fr", (), "dev.fr: "),
        ("passes=3", "passes=0", (), f"{MIRA}: Mira passes=0: passes must be at least 1"),
    ],
)
def test_what_is_wrong_is_told(plan, run, old, new, more, message):
    plan.write_text(PLAN.replace(old, new) if old else PLAN)
    assert message in run(*ARGUMENTS, *more, status=2).stderr
