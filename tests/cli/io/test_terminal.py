"""What the command line shows at a terminal: bars, and lines that stand alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from support.terminal import screen_of

from ..conftest import COMMAND


def bars_and_lines(screen: list[str], unit: str = "sentence") -> tuple[list[str], list[str]]:
    bars = [line for line in screen if f"{unit}/s]" in line or f"{unit}/s," in line or f"s/{unit}" in line]
    return bars, [line for line in screen if line not in bars]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tuner", "before", "note"),
    [
        ("Mira", r"BLEU [\d.]+ while learning", r"pseudo-document BLEU [\d.]+, development [\d.]+"),
        ("Pro", r"BLEU [\d.]+ before, [\d.]+ on", r"pool BLEU [\d.]+, development [\d.]+"),
    ],
)
def test_tune_shows_pass_and_score(toy: Path, tuner: str, before: str, note: str) -> None:
    (toy / "in").write_text("la casa roja la casa ||| the red home the home\nla casa la casa ||| home\n")
    command = [*COMMAND, "tune", "-c", "cdec.ini", "-w", "weights", "-s", "in", "-o", "run", "--tuner", tuner]
    command += ["--dev-source", "dev", "--dev-reference", "ref", "--passes", "2", "--set", "patience=9"]
    command += ["--feature", "RuleIndicators"]
    (toy / "dev").write_text("la casa la casa\n")
    (toy / "ref").write_text("the home the home\n")
    bars, lines = bars_and_lines(screen_of(command, cwd=toy))
    bar, report = bars
    assert re.match(r"report: 100%\|.*\| 1/1 \[", report)  # of the held-out sentences
    assert re.match(rf"pass 2 of 2: 100%\|.*\| 4/4 \[.*, {note}\]$", bar)
    for number, line in enumerate(lines[:2], 1):
        assert re.match(rf"pass {number}: {before}", line) and line.endswith(" s")
    assert lines[2].startswith("features while tuning: RuleIndicators: ")
    assert lines[3] == "report: run/report.html" and lines[-1] == "learned weights: run/weights.final"
    change = (
        r"BLEU of the 1 sentence of the held-out set: [\d.]+ → [\d.]+, difference [\d.]+ \[.*\], p = [\d.]+"
    )
    assert len(lines) == 6 and re.fullmatch(change, lines[4])


def test_decode_has_a_total_for_a_file_and_warnings_stand_alone(toy: Path) -> None:
    (toy / "in").write_text("la casa\nbanana\nla\n")
    command = [*COMMAND, "decode", "-c", "cdec.ini", "-w", "weights"]
    for arguments, total in (["-i", "in"], "3/3"), ([], "3/3"), ([], "3sentence"):
        pipe = subprocess.Popen(["cat", "in"], stdout=subprocess.PIPE, cwd=toy)
        with (toy / "in").open() as file:
            stdin = pipe.stdout if total == "3sentence" else file
            bars, lines = bars_and_lines(screen_of([*command, *arguments], cwd=toy, status=1, stdin=stdin))
        pipe.communicate()
        (bar,) = bars
        assert re.match(rf"translating: .*{total} \[", bar)
        (line,) = lines
        assert line.startswith("hopefear: ")
