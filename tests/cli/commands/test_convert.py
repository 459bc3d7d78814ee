"""``hopefear convert``: what it writes, names and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFIG = """\
tm = thrax -owner pt -maxspan 10 -path grammar
feature-function = OOVPenalty
feature-function = WordPenalty
threads = 4
tm_pt_0 -1
OOVPenalty 1
"""


@pytest.fixture
def system(tmp_path: Path) -> Path:
    (tmp_path / "joshua.config").write_text(CONFIG)
    (tmp_path / "grammar").write_text("[X] ||| casa ||| house ||| -2\n[X] ||| casa ||| home ||| -1\n")
    return tmp_path


def test_the_system_translates(system: Path, run) -> None:
    done = run("convert", "joshua.config", "-o", "out")
    assert done.stdout == ""
    assert done.stderr == "hopefear: joshua.config:4: threads = 4 is not carried over\n"
    lines = run("decode", "-c", "out/cdec.ini", "-k", 2, text="casa roja\n").stdout.splitlines()
    # a cost of -1 or -2 has the value 1 or 2, and the weight -1; an unknown word costs 100
    assert [(line.split(" ||| ")[1], line.split(" ||| ")[-1]) for line in lines] == [
        ("home roja", "-101"),
        ("house roja", "-102"),
    ]


def test_the_decoder_can_be_named(system: Path, run) -> None:
    done = run("convert", "joshua.config", "-o", "out", "--from", "moses", status=2)
    assert done.stderr == (
        "hopefear: joshua.config:1: expected a section such as [feature], got "
        "'tm = thrax -owner pt -maxspan 10 -path grammar'\n"
    )
    done = run("convert", "joshua.config", "-o", "out", "--from", "pharaoh", status=2)
    assert done.stderr == "hopefear: expected moses or joshua, got 'pharaoh'\n"
    assert run("convert", "nothing", "-o", "out", status=2).stderr.startswith(
        "hopefear: nothing: cannot be read"
    )


def test_what_would_change_scores_is_refused(system: Path, run) -> None:
    (system / "joshua.config").write_text(CONFIG + "feature-function = RuleShape\nRuleShape_a 1\n")
    done = run("convert", "joshua.config", "-o", "out", status=2)
    assert done.stderr == (
        "hopefear: joshua.config:7: feature function RuleShape changes scores and cannot be carried over\n"
    )
    assert not (system / "out").exists()
