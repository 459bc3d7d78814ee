"""``hopefear watch``."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

from ..conftest import Run, Start


def test_a_run_that_has_ended(run: Run, corpus: Path, tune: tuple[object, ...]) -> None:
    run(*tune, "--passes", 1, "-o", "run", "--report-sentences", "5")
    assert not (corpus / "run" / "now.json").exists()
    shown = run("watch", "run", "--terminal").stdout
    assert f"{corpus.name}/run · Mira  [finished]  BLEU " in shown and "1 pass done" in shown
    refused = run("watch", "run", "--terminal", "--port", "8000", status=2)
    assert "--port is for the page: expected no --terminal" in refused.stderr


def test_a_page_for_this_machine(start: Start, tmp_path: Path) -> None:
    process = start("watch", "run")
    assert process.stderr is not None
    address = process.stderr.readline().removeprefix("ready: ").strip()
    with urlopen(address, timeout=60) as answer:
        assert b"prefers-color-scheme: dark" in answer.read()
    with urlopen(f"{address}board", timeout=60) as answer:
        assert "waiting" in answer.read().decode()
