"""What users of the tools of the field reported, tried here: source, input and outcome of each report."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from support import CHECKOUT
from support.world import World

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPORTS: list[dict[str, Any]] = tomllib.loads(
    (CHECKOUT / "tests/support/input_files/public_reports.toml").read_text("utf-8")
)["reports"]
DECODE = ("decode", "-c", "cdec.ini", "-w", "weights", "-k", "1")
MODEL = "\n".join(
    (
        *("\\data\\", "ngram 1=4", "ngram 2=1", "{header}", "\\1-grams:", "-1\t<unk>", "-1\t<s>\t-0.1"),
        *("-1\t</s>", "-1\t{word}\t-0.1", "", "\\2-grams:", "{bigram}", "", "\\end\\", ""),
    )
)


@pytest.mark.parametrize("report", REPORTS, ids=[each["source"] for each in REPORTS])
def test_a_report(tmp_path, run, report):
    files, lines = dict(report.get("files", {})), ["add_pass_through_rules=true"]
    if "arpa" in report:
        word, header = report.get("word", "b"), report.get("header", "")
        bigram = report["arpa"].replace("b", word)
        files["lm.arpa"] = MODEL.format(header=header, word=word, bigram=bigram)
        lines.append("feature_function=KLanguageModel lm.arpa")
    if "config" in report:
        lines.append(report["config"])
    World("[X] ||| a ||| b ||| F=1\n", lines, {"F": 1}, files=files).write(tmp_path)
    text = report.get("input", "a " * report.get("repeat", 1) + "\n")
    done = run(*report.get("command", DECODE), text=text, status=report.get("status", 0))
    assert report["said"] in (done.stderr if done.returncode else done.stdout + done.stderr)


def test_there_are_thirty_reports() -> None:
    assert len({each["source"] for each in REPORTS}) == len(REPORTS) >= 30
