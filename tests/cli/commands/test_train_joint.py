"""``hopefear train-joint``, and a system with the model."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.small_parallel_text import write_parallel_text

BUILD = ("-s", "train.f", "-t", "train.e", "-a", "train.align", "-i", "test.f", "-o", "system")
SMALL = ("--embedding", 8, "--first", 16, "--history", 2, "--around", 1)


@pytest.fixture(name="system")
def built_system(tmp_path: Path, run) -> Path:
    pytest.importorskip("torch", reason="needs PyTorch")
    write_parallel_text(tmp_path, 60)
    run("build", *BUILD, "--discount-fallback")
    return tmp_path


def test_a_model_is_trained_and_a_tuner_learns_its_weight(system, run):
    done = run("train-joint", "system", "-o", "system/joint.hfn", "--passes", 2, *SMALL).stderr.splitlines()
    assert done[0].startswith("54 sentence pairs, ")
    assert done[1].startswith("perplexity of 6 held-out sentences by an n-gram model of order 3: ")
    assert done[2].startswith("pass 1: loss ") and done[3].startswith("pass 2: loss ")
    assert done[4].startswith("system/joint.hfn: perplexity ")
    with (system / "system" / "cdec.ini").open("a") as ini:
        ini.write("feature_function=JointModel joint.hfn\n")
    run("tune", "-c", "system/cdec.ini", "-s", "test.f", "-r", "test.e", "-o", "run", "--passes", 2)
    learned = dict(
        line.split() for line in (system / "run/weights.final").read_text().splitlines() if line[0] != "#"
    )
    assert float(learned["JointModel"]) != 0
    assert len(run("decode", "-c", "system/cdec.ini", "-w", "run/weights.final", "-i", "test.f").stdout) > 50


def test_a_stopped_training_goes_on(system, run):
    run("train-joint", "system", "-o", "whole.hfn", "--passes", 3, *SMALL)
    run("train-joint", "system", "-o", "parts.hfn", "--passes", 1, *SMALL)
    run("train-joint", "system", "-o", "parts.hfn", "--passes", 3, "--resume", *SMALL)
    assert (system / "parts.hfn").read_bytes() == (system / "whole.hfn").read_bytes()
    for options, message in [
        ((*SMALL, "--seed", 1), "parts.hfn.checkpoint: expected a training with seed 1, got 0"),
        ((*SMALL, "--held-out", 3), "parts.hfn.checkpoint: expected a training with text "),
    ]:
        done = run("train-joint", "system", "-o", "parts.hfn", "--resume", *options, status=2)
        assert message in done.stderr
    done = run("train-joint", "system", "-o", "new.hfn", "--resume", *SMALL, status=2)
    assert "new.hfn.checkpoint: expected a checkpoint to resume from" in done.stderr
