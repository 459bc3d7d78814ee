"""A plugin that fails on a sentence: the command stops there, or skips it and goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from support import command
from support.run_files import weights
from support.world import configure
from typer.main import get_command

from hopefear.cli import app

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")

PLUGINS = '''
import numpy as np
from hopefear.plugins import EdgeFeatures, FeatureTable, RuleFeatures


class Raises(EdgeFeatures):
    """Fails on sentences with a word that it does not like."""

    def __init__(self, *, word: str = "roja"):
        self.word = word

    def fire(self, edges, segment):
        if self.word in (segment.tokens or ()):
            raise LookupError("no   red\\n things")
        return FeatureTable.from_pairs(len(edges), [(0, "First")])


class Bad(Raises):
    """Answers with a value that is none."""

    def fire(self, edges, segment):
        table = super(Bad, self).fire(edges, segment) if self.word not in segment.tokens else None
        return table or FeatureTable(("Odd",), np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0))


class Learner:
    pass
'''
TOY = ("-c", "cdec.ini", "-w", "weights")
INPUT = 'la casa\n<seg id="s2">la casa roja</seg>\nla\n'
RAISED = "plugin failing:Raises on sentence s2: failed: LookupError: no red things (failing.py:14, in fire)"


@pytest.fixture
def failing(toy: Path) -> Path:
    (toy / "failing.py").write_text(PLUGINS)
    configure(toy, "feature_function=failing:Raises")
    return toy


def test_the_default_is_to_stop(failing, run):
    done = run("decode", *TOY, text=INPUT, status=2)
    assert done.stdout == "the house\n"
    assert done.stderr == f"hopefear: standard input:2: {RAISED}\n"
    assert not (failing / "hopefear-errors.tsv").exists()


def test_debug_shows_the_whole_traceback_before_the_message(failing):
    (failing / "in").write_text(INPUT)
    done = command.call(["decode", *TOY, "-i", "in", "--debug"], b"", failing)
    assert done.returncode == 2
    shown = done.stderr.decode()
    causes = r'Traceback .*failing\.py", line 14, in fire.*The above exception.*FeatureError'
    assert re.search(causes, shown, re.S)
    assert shown.endswith(f"hopefear: in:2: {RAISED}\n")


def test_every_command_has_debug():
    def commands(group: Any) -> Iterator[Any]:
        yield group
        for one in getattr(group, "commands", {}).values():
            yield from commands(one)

    without = [
        one.name
        for one in commands(get_command(app))
        if one.callback is not None and not any("--debug" in option.opts for option in one.params)
    ]
    assert without == ["", "cdec-bridge", "text"]  # these groups themselves do nothing


@pytest.mark.parametrize("threads", [1, 3])
def test_skipped_sentences_are_written_down(failing, run, threads):
    done = run("decode", *TOY, "--on-error", "skip", "--threads", threads, text=INPUT)
    assert done.stdout == "the house\n\nthe\n"
    (line,) = (failing / "hopefear-errors.tsv").read_text().splitlines()
    assert line == f's2\tstandard input:2: {RAISED}\t<seg id="s2">la casa roja</seg>'
    assert done.stderr.splitlines() == [
        "hopefear: skipped 1 sentence; hopefear-errors.tsv has id, error and line of each"
    ]


def test_a_file_of_ones_own(failing, run):
    text = run("decode", *TOY, "-k", 1, "--on-error", "skip", "--errors", "bad.tsv", text=INPUT).stdout
    assert [line.split(" ||| ")[0] for line in text.splitlines()] == ["0", "2"]
    assert (failing / "bad.tsv").read_text().startswith("s2\t")
    run("decode", *TOY, "--on-error", "skip", "--errors", "bad.tsv", text="la\n")
    assert (failing / "bad.tsv").read_text() == ""
    assert "--on-error skip" in run("decode", *TOY, "--errors", "bad.tsv", text="la\n", status=2).stderr


def test_bad_answers(failing, run):
    ini = failing / "cdec.ini"
    ini.write_text(ini.read_text().replace("Raises", "Bad"))
    done = run("decode", *TOY, "--on-error", "skip", text=INPUT)
    assert done.stdout == "the house\n\nthe\n"
    name, error, line = (failing / "hopefear-errors.tsv").read_text().rstrip("\n").split("\t")
    assert (name, line) == ("s2", '<seg id="s2">la casa roja</seg>')
    assert "plugin failing:Bad on sentence s2: " in error
    assert "rows, one for each item, got 0" in error


def test_lines_that_are_wrong_themselves(toy, run):
    lines = b"la\n<seg id=1>la</seg>\n((('la',0),),)\n\xff\tx\nla ||| a ||| b\n" + (
        b'<seg grammar="nowhere">la</seg>\n\ncasa\nla\n'
    )
    done = run("decode", *TOY, "--on-error", "skip", "--threads", 2, text=lines)
    assert done.stdout == "the\n\n\n\n\n\n\nhouse\nthe\n"
    rows = [row.split(b"\t", 2) for row in (toy / "hopefear-errors.tsv").read_bytes().splitlines()]
    assert [int(row[0]) for row in rows] == [1, 2, 3, 4, 5]
    assert [row[2] for row in rows] == lines.split(b"\n")[1:6]
    assert b"expected UTF-8" in rows[2][1]


def test_a_sentence_without_translation_is_no_error(toy, run):
    done = run("decode", *TOY, "--on-error", "skip", text="la\nel perro\n", status=1)
    assert done.stdout == "the\n\n"
    assert "standard input:2" in done.stderr
    assert (toy / "hopefear-errors.tsv").read_text() == ""


def test_an_input_that_cannot_be_read_still_stops(toy, run):
    (toy / "bad.gz").write_bytes(b"\x1f\x8b no gz")
    run("decode", *TOY, "--on-error", "skip", "-i", "bad.gz", status=2)


def test_live_learning_goes_on(failing, run):
    lines = "la casa ||| the home\nla roja ||| a red one\nla casa ||| the home\n"
    done = run("decode", *TOY, "--learn", "mira", "--on-error", "skip", text=lines)
    first, second, third = done.stdout.splitlines()
    assert (first, second) == ("the house", "")
    assert third
    assert (failing / "hopefear-errors.tsv").read_text().endswith("\tla roja ||| a red one\n")
    assert run("decode", *TOY, "--learn", "mira", text=lines, status=2).stdout == "the house\n"


@pytest.mark.slow
@needs_ray
@pytest.mark.parametrize(
    "tuner",
    [
        ("Mira", "--set", "batch_size=2"),
        ("ParallelMira workers=2 schedule=length", "--passes", 1),
        ("Pro", "--passes", 1),
        ("Hols", "--set", "line_search_passes=1", "--set", "line_search_share=0.5"),
    ],
    ids=lambda tuner: tuner[0].split()[0],
)
def test_workers_and_threads_skip_the_same_sentences(failing, run, tuner):
    lines = ["la casa ||| the home", "la casa roja ||| the red home", "casa ||| home", "roja ||| red"]
    lines += ["la ||| the", "casa la ||| home the"]
    (failing / "in").write_text("".join(f"{line}\n" for line in lines))
    (failing / "dev").write_text("casa\ncasa roja\n")
    (failing / "dev.ref").write_text("home\nred home\n")
    options = ("--dev-source", "dev", "--dev-reference", "dev.ref", "--feature", "RuleIndicators")
    tune = ("tune", *TOY, "--source", "in", *options, "--on-error", "skip", "--tuner", *tuner)
    where = [("here",), ("cluster", "--cluster", "local:2")]
    learned, skipped = [], []
    for folder, *more in where if tuner[0] != "Mira" else where[:1]:
        done = run(*tune, "--output", folder, *more)
        assert "skipped 3 sentences" in done.stderr
        learned.append(weights(failing / folder / "weights.final"))
        skipped.append(sorted((failing / folder / "errors.tsv").read_text().splitlines()))
    # Workers may number features in another order, so that sums are rounded differently.
    assert learned[0] == pytest.approx(learned[-1], rel=1e-6)
    assert skipped[0] == skipped[-1]
    assert [row.split("\t")[2] for row in skipped[0]] == ["casa roja", lines[1], lines[3]]
    assert all(RAISED.split("s2")[0] in row for row in skipped[0])


def test_tuning_goes_on_without_the_sentence(failing, run):
    (failing / "in").write_text("la casa ||| the home\nla casa roja ||| the red home\ncasa ||| home\n")
    (failing / "dev").write_text("casa\nroja\n")
    (failing / "dev.ref").write_text("home\nred\n")
    options = ("tune", *TOY, "--source", "in", "--output", "run", "--passes", 2, "--set", "batch_size=1")
    assert RAISED.split("s2")[0] in run(*options, status=2).stderr
    dev = ("--dev-source", "dev", "--dev-reference", "dev.ref")
    done = run(*options, *dev, "--force", "--on-error", "skip")
    rows = [row.split("\t") for row in (failing / "run" / "errors.tsv").read_text().splitlines()]
    assert [(row[0], row[2]) for row in rows] == [("1", "la casa roja ||| the red home"), ("1", "roja")]
    assert "skipped 2 sentences" in done.stderr
    assert (failing / "run" / "weights.final").exists()
