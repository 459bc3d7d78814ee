"""``hopefear train-joint``, and a system with the model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.world import configure, write_parallel_text

BUILD = ("-s", "train.f", "-t", "train.e", "-a", "train.align", "-i", "test.f", "-o", "system")
SMALL = ("--set", "embedding=8", "--set", "first=16", "--set", "history=2", "--set", "around=1")


@pytest.fixture(name="system")
def built_system(tmp_path: Path, run) -> Path:
    pytest.importorskip("torch", reason="needs PyTorch")
    write_parallel_text(tmp_path, 60)
    run("build", *BUILD, "--discount-fallback", "--folds", 3)
    return tmp_path


def test_a_model_is_trained_and_a_tuner_learns_its_weight(system, run):
    done = run("train-joint", "system", "-o", "system/joint.hfn", "--passes", 2, *SMALL).stderr.splitlines()
    assert done[0].startswith("54 sentence pairs, ")
    assert done[1].startswith("perplexity of 6 held-out sentences by an n-gram model of order 3: ")
    assert done[2].startswith("pass 1: loss ") and done[3].startswith("pass 2: loss ")
    assert done[4].startswith("system/joint.hfn: perplexity ")
    configure(system / "system", "feature_function=JointModel joint.hfn")
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
    assert "new.hfn.checkpoint: no such file; expected a checkpoint to resume from" in done.stderr


def test_the_model_of_a_fold_does_not_know_its_sentences(system, run):
    for path in ("train.f", "train.e"):  # a word of the first fold only, often enough to be known
        lines = (system / path).read_text().splitlines()
        lines[:3] = [f"own {line}" for line in lines[:3]]
        (system / path).write_text("\n".join(lines) + "\n")
    links = (system / "train.align").read_text().splitlines()
    links[:3] = ["0-0 " + re.sub(r"\d+", lambda i: str(int(i[0]) + 1), each) for each in links[:3]]
    (system / "train.align").write_text("\n".join(links) + "\n")
    run("build", *BUILD, "--discount-fallback", "--folds", 3)
    options = ("system", "-o", "system/joint.hfn", "--passes", 1, *SMALL, "--folds")
    done = run("train-joint", *options).stderr
    folds = [system / "system" / f"fold-{k}" for k in (1, 2, 3)]
    models = [system / "system/joint.hfn", *(fold / "joint.hfn" for fold in folds)]
    assert [b"\nown" in path.read_bytes() for path in models] == [True, False, True, True]
    assert [f"{path.relative_to(system)}: perplexity" in done for path in models] == [True] * 4
    before = [path.read_bytes() for path in models]
    for path in models[2:]:  # as if it had been stopped in the second fold
        path.unlink()
        path.with_name("joint.hfn.checkpoint").unlink()
    run("train-joint", *options, "--resume")
    assert [path.read_bytes() for path in models] == before
    for folder in (system / "system", *folds):
        configure(folder, "feature_function=JointModel joint.hfn")
    run("train", "system", "--feature", "RuleIndicators", "-o", "learned", "--sentences", 10)
    learned = (system / "learned/weights.final").read_text()
    assert "\nJointModel " in learned and "\nR:X:" in learned


def test_folds_that_a_system_has_not_are_refused(system, run):
    run("build", *BUILD, "--discount-fallback")
    done = run("train-joint", "system", "-o", "joint.hfn", "--folds", status=2)
    assert "expected a system with folds: build it with --folds 5" in done.stderr
