"""Names of files that are not UTF-8."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

ODD = os.fsdecode(b"b\xff")

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="this system has no such names")


@pytest.fixture
def folder(toy: Path) -> Path:
    for name in ("weights", "cdec.ini", "grammar"):
        (toy / name).rename(toy / f"{name}{ODD}")
    (toy / f"cdec.ini{ODD}").write_bytes(b"formalism=scfg\nfeature_function=WordPenalty\n")
    for name, text in (
        ("in", "la casa\nla\n"),
        ("reference", "the house\nthe\n"),
        ("align", "0-0 1-1\n0-0\n"),
    ):
        (toy / f"{name}{ODD}").write_text(text)
    return toy


@pytest.fixture
def settings() -> list[str]:
    return ["-c", f"cdec.ini{ODD}", "-w", f"weights{ODD}"]


def test_sentences_and_weights(folder: Path, settings: list[str], run) -> None:
    (folder / f"in{ODD}").write_text('<seg grammar="grammar">la casa</seg>\n')
    (folder / f"grammar{ODD}").rename(folder / "grammar")
    assert run("decode", *settings, "-i", f"in{ODD}").stdout == "the house\n"
    assert run("explain", *settings, "-i", f"in{ODD}", "--html", f"page{ODD}").stdout == ""
    assert "the house" in (folder / f"page{ODD}").read_text("utf-8")


def test_compiled_grammars(folder: Path, run) -> None:
    run("compile-grammar", f"grammar{ODD}", "-o", f"x{ODD}.hfg")
    run("compile-grammar", "--check", f"x{ODD}.hfg")


def test_a_run_and_its_report(folder: Path, settings: list[str], run) -> None:
    (folder / f"cdec.ini{ODD}").write_bytes(b"formalism=scfg\nadd_pass_through_rules=true\n")
    tuned = ["tune", *settings, "-s", f"in{ODD}", "-r", f"reference{ODD}", "-o", f"run{ODD}"]
    run(*tuned, "--passes", "1")
    record = json.loads((folder / f"run{ODD}" / "run.json").read_bytes().decode("utf-8"))
    given = [file["path"] for files in record["sessions"][0]["files"].values() for file in files]
    assert any(path.endswith(f"in{ODD}") for path in given)
    run("report", f"run{ODD}")
    assert "runb\\udcff" in (folder / f"run{ODD}" / "report.html").read_text("utf-8")
    run(*tuned, "--passes", "2", "--resume")


def test_texts_and_systems(folder: Path, run) -> None:
    text = ["-s", f"in{ODD}", "-t", f"reference{ODD}", "-a", f"align{ODD}"]
    run("extract", *text, "-i", f"in{ODD}", "-o", f"x{ODD}")
    build = ["build", *text, "-o", f"system{ODD}", "--discount-fallback"]
    run(*build)
    assert "nothing changed" in run(*build).stderr


def test_texts_that_are_not_utf_8_are_refused(folder: Path, settings: list[str], run) -> None:
    for given in (["la", "-r", ODD], [ODD], ["la", "--rival", ODD]):
        assert run("explain", *settings, *given, status=2).stderr.startswith("hopefear: ")
