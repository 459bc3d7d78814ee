"""``hopefear build --dev-source``: stages that learn, and a system that has what helps."""

from __future__ import annotations

import signal

import pytest
from support.world import contents, write_parallel_text

DEVELOPMENT = 9


@pytest.fixture
def arguments(tmp_path):
    write_parallel_text(tmp_path, 49, ambiguous=True)
    for side in ("f", "e", "align"):
        lines = (tmp_path / f"train.{side}").read_text("utf-8").splitlines(keepends=True)
        (tmp_path / f"dev.{side}").write_text("".join(lines[:DEVELOPMENT]), "utf-8")
        (tmp_path / f"text.{side}").write_text("".join(lines[DEVELOPMENT:]), "utf-8")
    return (
        *("build", "-s", "text.f", "-t", "text.e", "-a", "text.align", "-o", "system", "-i", "test.f"),
        *("--discount-fallback", "--dev-source", "dev.f", "--dev-reference", "dev.e"),
    )


def test_fast_tunes_the_weights(tmp_path, run, arguments):
    done = run(*arguments, "--effort", "fast")
    assert done.stderr.startswith("stages: system (less than a minute), weights (")
    system = tmp_path / "system"
    assert "weights=learned/weights/weights.final\n" in (system / "cdec.ini").read_text()
    assert "weights=weights.init\n" in (system / "base.ini").read_text()
    assert not (system / "fold-1").exists()
    tuned = run("decode", "-c", "system/cdec.ini", "-i", "dev.f").stdout
    given = ("-w", "system/learned/weights/weights.final", "-i", "dev.f")
    assert tuned == run("decode", "-c", "system/base.ini", *given).stdout
    assert tuned != run("decode", "-c", "system/base.ini", "-i", "dev.f").stdout
    page = (system / "report.html").read_text()
    assert "Chosen: <b>weights</b>" in page and "that had not seen it" not in page


@pytest.mark.slow
def test_good_chooses_on_held_out_parts(tmp_path, run, arguments):
    done = run(*arguments)
    stages = done.stderr.splitlines()[0]
    assert [stage.partition(" (")[0] for stage in stages.removeprefix("stages: ").split(", ")] == [
        *("system", "weights", "families on the text", "families")
    ]
    chosen = done.stderr.rpartition("chosen: ")[2].partition(":")[0]
    system = tmp_path / "system"
    config = (system / "cdec.ini").read_text()
    assert ("feature_function=RuleIndicators\n" in config) == (chosen == "families")
    assert f"weights=learned/{chosen}/weights.final\n" in config
    page = (system / "report.html").read_text()
    assert f"Chosen: <b>{chosen}</b>" in page and "that had not seen it" in page
    before = contents(system)
    assert "families: nothing changed" in run(*arguments).stderr
    assert contents(system) == before
    # What learns from the text begins with the base.
    run("train", "system", "--feature", "RuleIndicators", "-o", "more", "--report-sentences", 0)


@pytest.mark.slow
def test_text_as_written_is_learned_from(tmp_path, run, arguments):
    pytest.importorskip("eflomal")
    written = (*(word for word in arguments if word not in ("-a", "text.align")), "--languages", "en", "es")
    run(*written)
    assert run("decode", "-c", "system/cdec.ini", "-i", "dev.f").stdout.count("\n") == DEVELOPMENT
    assert "families: nothing changed" in run(*written).stderr


@pytest.mark.slow
def test_best_has_both_networks(tmp_path, run, arguments):
    for package in ("torch", "ctranslate2", "sentencepiece"):
        pytest.importorskip(package)
    done = run(*arguments, "--effort", "best")
    page = (tmp_path / "system" / "report.html").read_text()
    families = ("families", "families and joint model")
    for name in ("weights", *families, "joint model", "Transformer", "Transformer&#39;s translations", "all"):
        assert f"<tr><td>{name}</td>" in page or f"<tr><td><b>{name}</b></td>" in page
    assert "Transformer network: " in done.stderr
    assert run("decode", "-c", "system/cdec.ini", "-i", "dev.f").stdout.count("\n") == DEVELOPMENT
    assert "all: nothing changed" in run(*arguments, "--effort", "best").stderr


@pytest.mark.slow
def test_killed_it_goes_on(tmp_path, run, start, arguments):
    process = start(*arguments, "--effort", "fast")
    for line in process.stderr:
        if line.startswith("pass 2:"):
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    assert not (tmp_path / "system" / "cdec.ini").exists()
    done = run(*arguments, "--effort", "fast")
    assert "grammar: nothing changed" in done.stderr and "pass 1:" not in done.stderr
    assert (tmp_path / "system" / "cdec.ini").exists()


def test_what_does_not_fit_into_the_hours_is_left_out(tmp_path, run, arguments):
    done = run(*arguments, "--hours", 0)
    reason = "families on the text takes less than a minute, more than is left of 0 hours"
    assert f"left out: families: {reason}" in done.stderr
    assert "<h2>Left out</h2>" in (tmp_path / "system" / "report.html").read_text()
    assert not (tmp_path / "system" / "learned" / "text").exists()
    run("decode", "-c", "system/cdec.ini", "-i", "test.f")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--dev-source", "dev.f"), "--dev-source needs --dev-reference"),
        (("--dev-reference", "dev.e"), "--dev-reference needs --dev-source"),
        (("--effort", "fast"), "--effort and --hours are for --dev-source: expected --dev-source"),
        (("--hours", 1), "--effort and --hours are for --dev-source: expected --dev-source"),
        (
            ("--dev-source", "dev.f", "--dev-reference", "dev.e", "--folds", 0),
            "--effort good needs folds: expected at least 2, got 0",
        ),
    ],
)
def test_options_that_do_not_fit(tmp_path, run, arguments, options, message):
    done = run(*arguments[:-4], *options, status=2)
    assert message in done.stderr
    assert not (tmp_path / "system").exists()
