"""``hopefear train-transformer`` of a system and of two files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.killed_at_save import run_killed
from support.transformers import OPTIONS, need_neural
from support.world import write_parallel_text

BUILD = ("-s", "train.f", "-t", "train.e", "-a", "train.align", "-i", "test.f", "-o", "system")


@pytest.fixture(name="text")
def parallel_text(tmp_path: Path, run) -> Path:
    need_neural()
    write_parallel_text(tmp_path, 30)
    return tmp_path


def test_the_text_of_a_system_is_that_of_its_files(text, run):
    run("build", *BUILD, "--discount-fallback")
    done = run("train-transformer", "system", "-o", "nmt", "--passes", 1, *OPTIONS).stderr.splitlines()
    assert done[0].startswith("27 sentence pairs, ") and done[0].endswith(" in 1 layers of width 8")
    assert done[1].startswith("pass 1: loss ") and ", BLEU " in done[1]
    assert done[2].startswith("nmt: perplexity ")
    run("train-transformer", "-s", "train.f", "-t", "train.e", "-o", "whole", "--passes", 2, *OPTIONS)
    run("train-transformer", "system", "-o", "nmt", "--passes", 2, "--resume", *OPTIONS)
    for path in (text / "whole").iterdir():
        assert (text / "nmt" / path.name).read_bytes() == path.read_bytes(), path.name
    done = run("train-transformer", "system", "-o", "nmt", "--resume", "--seed", 1, *OPTIONS, status=2)
    assert "nmt/checkpoint: expected a training with seed 1, got 0" in done.stderr


def test_a_killed_training_ends_with_the_same_bytes(text, run):
    options = ("-s", "train.f", "-t", "train.e", "--passes", 3, *OPTIONS)
    run("train-transformer", *options, "-o", "whole")
    run_killed(1, ["train-transformer", *options, "-o", "nmt"], text)
    run_killed(1, ["train-transformer", *options, "-o", "nmt", "--resume"], text)
    run("train-transformer", *options, "-o", "nmt", "--resume")
    for path in (text / "whole").iterdir():
        assert (text / "nmt" / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected a system, or --source and --target"),
        (("-s", "train.f"), "expected a system, or --source and --target"),
        (("none", "-s", "train.f"), "expected a system, or --source and --target, got both"),
        (("none",), "none/build.json: "),
        (("-s", "train.f", "-t", "short"), "short:3: expected as many lines as in the other files"),
        (("-s", "short", "-t", "short", "--max-words", 1), "short: expected at least 2 sentence pairs"),
        (("-s", "train.f", "-t", "train.e", "--set", "width=x"), "width"),
        (
            ("-s", "train.f", "-t", "train.e", "--resume"),
            "nmt/checkpoint: no such file; expected a checkpoint",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:left out")
def test_wrong_input_is_refused(text, run, arguments, message):
    (text / "short").write_text("a b\nc d\n")
    done = run("train-transformer", *arguments, "-o", "nmt", status=2)
    assert message in done.stderr
    shutil.rmtree(text / "nmt", ignore_errors=True)
