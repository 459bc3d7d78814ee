"""``hopefear report``, and the report of ``hopefear tune``."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hopefear.reports import read_sentences

from ..conftest import Run


def test_tune_writes_a_report(run: Run, corpus: Path, tune: tuple[object, ...]) -> None:
    tune = (*tune, "--passes", 1)
    done = run(*tune, "-o", "run", "--report-sentences", "5", draw=True)
    assert "report: run/report.html\nBLEU of 5 of the " in done.stderr
    assert re.search(r"set: [\d.]+ → [\d.]+, difference \S+ \[\S+, \S+\], p = [\d.]+\nlearned", done.stderr)
    page = corpus / "run" / "report.html"
    assert len(read_sentences(corpus / "run")) == 5
    content = page.read_bytes()
    page.unlink()
    assert f"report: {page.relative_to(corpus)}" in run("report", "run").stderr
    assert page.read_bytes() == content
    run(*tune, "-o", "other", "--report-sentences", "0", "--set", "C=0.5", draw=True)
    assert not (corpus / "other" / "sentences.jsonl.gz").exists()
    done = run("features", "run", "--sentences", "6", "--json")
    assert {"LanguageModel", "WordPenalty"} <= {row["family"] for row in json.loads(done.stdout)}
    assert b"Feature families" in page.read_bytes()
    assert "expected the folder of a finished run" in run("features", "es", status=2).stderr
    run("report", "run", "other", "-o", "both.html")
    assert "C=0.5" in (corpus / "both.html").read_text("utf-8")


def test_a_folder_without_a_run(run: Run, tmp_path: Path) -> None:
    assert "expected the log of a tuning run, got no file" in run("report", ".", status=2).stderr
