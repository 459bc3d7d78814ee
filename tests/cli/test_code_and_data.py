"""Folders of runs and results are data: what they name as a class is not loaded (SECURITY.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hopefear.metrics.catalogue import metrics
from hopefear.plugins.registry import known
from hopefear.tuners.catalogue import tuners

from .conftest import Run

EVIL = """\
from pathlib import Path
Path({ran!r}).touch()
from hopefear.metrics import Bleu
from hopefear.feature_extractors import RuleIndicators
from hopefear.tuners import Mira
class E(RuleIndicators): pass
class M(Bleu): pass
class T(Mira): pass
"""
"""A module whose import is noticed, with classes that would do."""


@pytest.fixture
def ran(corpus: Path) -> Callable[[], bool]:
    """Tell whether the module `EVIL` beside everything has been imported since the last question."""
    mark = corpus / "ran"
    (corpus / "evil.py").write_text(EVIL.format(ran=str(mark)))

    def tell() -> bool:
        there = mark.exists()
        mark.unlink(missing_ok=True)
        return there

    return tell


def poison(folder: Path) -> int:
    """Name a class of the module in place of each name of a catalogue in a folder's JSON; count the files."""
    names = {name: "E" for name in known()}
    names |= {name: "M" for name in metrics.known()} | {name: "T" for name in tuners.known()}
    pattern = re.compile(rf'"({"|".join(map(re.escape, names))})(?=["| ])', re.IGNORECASE)
    by_lower = {name.lower(): kind for name, kind in names.items()}
    changed = 0
    for path in folder.rglob("*.json*"):
        if path.suffix in (".json", ".jsonl"):
            text = path.read_text("utf-8")
            evil = pattern.sub(lambda found: f'"evil:{by_lower[found[1].lower()]}', text)
            path.write_text(evil, "utf-8")
            changed += evil != text
    return changed


def test_a_run_of_tune(run: Run, corpus: Path, sample: Path, ran: Callable[[], bool]) -> None:
    given = ["-c", sample / "cdec.ini", "-w", sample / "weights.init", "-s", "es", "-r", "en.0"]
    given += [
        "--passes",
        "1",
        "-o",
        "run",
        "--feature",
        "RuleIndicators",
        "--tuner",
        "Mira",
        "--metric",
        "bleu",
    ]
    run("tune", *given)
    run("features", "run", "--sentences", "2")
    assert poison(corpus / "run")
    message = "expected the name of an installed class, got the path of one: run/run.json is data"
    assert message in run("features", "run", status=2).stderr
    run("report", "run")
    run("tune", *given, "--resume", status=2)
    assert not ran()
    run("features", "run", "--sentences", "2", "--allow-code")
    assert ran()


def test_a_run_that_names_another_configuration(
    run: Run, corpus: Path, sample: Path, ran: Callable[[], bool]
) -> None:
    given = ["-c", sample / "cdec.ini", "-w", sample / "weights.init", "-s", "es", "-r", "en.0"]
    run("tune", *given, "--passes", 1, "-o", "run")
    other = corpus / "other"
    other.mkdir()
    text = (sample / "cdec.ini").read_text().replace("=grammar", f"={sample}/grammar")
    text = text.replace("KLanguageModel lm", f"KLanguageModel {sample}/lm")
    (other / "cdec.ini").write_text(f"{text}\nfeature_function=evil:E\n")
    record = corpus / "run" / "run.json"
    facts = json.loads(record.read_text())
    facts["sessions"][0]["folder"] = str(other)
    command = facts["sessions"][0]["command"]
    command[command.index(str(sample / "cdec.ini"))] = "other/cdec.ini"
    record.write_text(json.dumps(facts))
    assert "evil:E: expected the name of an installed class" in run("features", "run", status=2).stderr
    assert not ran()
    command[command.index("other/cdec.ini")] = "cdec.ini"  # there is one only in the stored folder
    record.write_text(json.dumps(facts))
    refused = run("features", "run", status=2).stderr
    assert f"cdec.ini: no such file; the run was started in {other}: start this command there" in refused
    assert not ran()
