from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from support.plans import finished

from hopefear.base import InputError
from hopefear.experiments import ExperimentReport, FailedRun, read_runs
from hopefear.metrics import Nist

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    found, runs = finished(folder, PLAN)
    ExperimentReport(found.folder, found.plan, runs, command="hopefear experiment plan.toml").write()
    return (
        found,
        (found.folder / "report.md").read_text("utf-8"),
        (found.folder / "report.html").read_text("utf-8"),
    )


@pytest.mark.slow
def test_the_report_tells_what_was_run(done):
    _, text, _ = done
    head = text.split("\n## ")[0].splitlines()
    assert head[:3] == ["# Two \\| tuners", "", "On the *sample*."]
    assert head[4:] == [
        "- command: `hopefear experiment plan.toml`",
        "- metrics: `BLEU|order:4|reflen:closest|case:mixed|tok:none|smooth:none`, "
        + re.findall("`TER.*`", text)[0],
        "- tuning runs: 8",
        "- seeds: 0",
        "- tested on: dev (5 to 10 sentences), test (10 sentences)",
    ]
    titles = re.findall("^## (.*)$", text, re.MULTILINE)
    assert titles == [
        "Data",
        "Scores",
        "Differences",
        "All runs while tuning",
        "Curve",
        "Curve",
    ]


def test_means_are_those_of_the_results(done):
    found, text, _ = done
    runs = [run for run in read_runs(found.folder) if run.tuner == "MERT" and run.metric == "BLEU"]
    first, second = (run.score for run in runs if (run.size, run.tested_on) == (5, "test"))
    row = next(line for line in text.splitlines() if line.startswith("| MERT"))
    mean, deviation = (first + second) / 2, abs(first - second) / 2**0.5
    assert f"{mean:.2f} ± {deviation:.2f}" in row
    assert "size 5, test, BLEU" in text and "TER: lower is better." in text


def test_pictures_lie_beside_and_are_in_the_page(done):
    found, text, html = done
    names = re.findall(r"!\[[\w ]+\]\((.*)\)", text)
    assert names == ["all-runs-while-tuning.png", "curve.png", "curve-2.png"]
    embedded = [b64decode(data) for data in re.findall(r'src="data:image/png;base64,([^"]*)"', html)]
    assert embedded == [(found.folder / name).read_bytes() for name in names]
    assert all(png.startswith(b"\x89PNG") and png.endswith(b"IEND\xaeB`\x82") for png in embedded)
    assert not list(found.folder.rglob("*.part"))


def test_the_page_is_well_formed_and_needs_no_network(done):
    _, _, html = done
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag not in ("meta", "img", "br", "input"):
                opened.append(tag)
            for name, value in attributes:
                assert name not in ("src", "href") or value.startswith("data:")

        def handle_endtag(self, tag):
            assert opened.pop() == tag

    Reader().feed(html)
    assert not opened and "http" not in html and "@import" not in html
    assert html.count("<table>") == 3 and html.count("<dialog") == 1 and "As it should be." in html


def test_the_same_results_give_the_same_report(done):
    found, *before = done
    ExperimentReport(
        found.folder, found.plan, read_runs(found.folder), command="hopefear experiment plan.toml"
    ).write()
    assert [(found.folder / name).read_text("utf-8") for name in ("report.md", "report.html")] == before


def test_a_report_on_what_is_there(done, tmp_path):
    found, *_ = done
    ExperimentReport(tmp_path, found.plan, []).write()
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "- tuning runs: 0 of 8" in text and text.count("No runs yet.") == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "report.md"]


def test_the_runs_that_are_missing(done):
    found, text, html = done
    assert "Runs that are missing" not in text + html
    runs = read_runs(found.folder)
    kept = [run for run in runs if run.tuner == "untuned" or (run.size, run.draw) == (10, 1)]
    failures = [FailedRun("base-untuned-dev-n5-draw1-seed0", "why")]
    kept = [run for run in kept if run.cell != failures[0].cell]
    ExperimentReport(found.folder, found.plan, kept, failures=failures).write()
    text = (found.folder / "report.md").read_text("utf-8")
    assert "- tuning runs: 4 of 8, 1 failed" in text
    listed = text.split("## Runs that are missing\n")[1].split("\n\n")[-1].splitlines()
    assert listed == [
        "- MERT, dev, 5 sentences, draws 1 and 2, seed 0: base",
        "- MERT, dev, 10 sentences, draw 2, seed 0: base",
    ]
    assert "<li>MERT, dev, 10 sentences, draw 2, seed 0: base</li>" in (
        found.folder / "report.html"
    ).read_text("utf-8")
    ExperimentReport(found.folder, found.plan, runs, command="hopefear experiment plan.toml").write()


def test_results_of_other_runs_or_without_statistics_are_refused(done, tmp_path):
    found, *_ = done
    with pytest.raises(InputError, match=r"expected statistics of sentences"):
        ExperimentReport(tmp_path, found.plan, read_runs(found.folder)).write()
    fewer = replace(found.plan, runs=(msgspec.structs.replace(found.plan.runs[0], draws=(1,)),))
    with pytest.raises(
        InputError, match=r"expected results of the plan's runs, got base-untuned-dev-n5-draw2"
    ):
        ExperimentReport(found.folder, fewer, read_runs(found.folder)).write()
    runs = [replace(run, tested_on="held out") for run in read_runs(found.folder)]
    with pytest.raises(InputError, match=r"expected .* the plan.*, got .*, tested on held out"):
        ExperimentReport(found.folder, found.plan, runs).write()


RUN_DATA = re.compile('<script type="application/octet-stream" id="run-data">(.*?)</script>')


def test_sentences_are_scored_by_a_metric_that_needs_the_references_of_all(done):
    found, *_ = done
    plan = replace(found.plan, metrics=("nist", *found.plan.metrics))
    ExperimentReport(found.folder, plan, read_runs(found.folder)).write()
    page = (found.folder / "report.html").read_text("utf-8")
    data = json.loads(zlib.decompress(b64decode(RUN_DATA.search(page)[1])))
    assert data["metric"] == "NIST" and data["lowerIsBetter"] is False
    rows = next(one["rows"] for one in data["sets"] if one["name"] == "test")
    metric = Nist().for_corpus([references for _, _, references, _, _ in rows])
    for _, _, references, texts, scores in rows:
        for text, score in zip(texts, scores, strict=True):
            assert score == pytest.approx(metric.score(metric.stats(text, references)), abs=0.005)
    ExperimentReport(
        found.folder, found.plan, read_runs(found.folder), command="hopefear experiment plan.toml"
    ).write()


def test_the_page_knows_that_of_an_error_rate_less_is_better(done):
    found, *_ = done
    ExperimentReport(
        found.folder, replace(found.plan, metrics=("ter", *found.plan.metrics)), read_runs(found.folder)
    ).write()
    page = (found.folder / "report.html").read_text("utf-8")
    data = json.loads(zlib.decompress(b64decode(RUN_DATA.search(page)[1])))
    assert data["metric"] == "TER" and data["lowerIsBetter"] is True
    ExperimentReport(
        found.folder, found.plan, read_runs(found.folder), command="hopefear experiment plan.toml"
    ).write()


def test_a_page_keeps_its_limit(done, monkeypatch):
    found, _, _ = done
    runs, plan = read_runs(found.folder), replace(found.plan, curves=())
    ExperimentReport(found.folder, plan, runs).write()
    sizes = []
    whole = (found.folder / "report.html").stat().st_size
    for limit in (whole, whole - 2_000, 0):
        monkeypatch.setattr("hopefear.experiments.report._LIMIT", limit)
        ExperimentReport(found.folder, plan, runs).write()
        text = (found.folder / "report.html").read_text("utf-8")
        assert len(text.encode()) <= limit or not limit  # 0: as small as it can be
        sizes.append(json.loads(zlib.decompress(b64decode(RUN_DATA.search(text)[1]))))
    shown = [[len(one["rows"]) for one in size["sets"]] for size in sizes]
    assert shown[0] == [one["sentences"] for one in sizes[0]["sets"]]
    assert sum(shown[1]) < sum(shown[0]) and not any(shown[2])
    assert all(size["runs"].keys() == {run.cell for run in runs} for size in sizes)
    curves = [[bool(run["curve"]) for run in size["runs"].values()] for size in sizes]
    assert any(curves[1]) and not any(curves[2])
