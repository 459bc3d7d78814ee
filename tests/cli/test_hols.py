from __future__ import annotations

import importlib.util
import json
import shutil
import signal
import subprocess
import sys

import pytest
from support import killed_at_stage
from support.small_parallel_text import write_parallel_text

from hopefear.base.files import alone_in
from hopefear.grammars.build import Recipe, build

pytestmark = pytest.mark.long
SETTINGS = ("--set", "k=20", "--set", "line_search_passes=2", "--set-mert", "passes=2", "--sentences", 10)


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """Give the folder of a text, and of systems built from it: `folds` has three, `whole` none."""
    folder = tmp_path_factory.mktemp("systems")
    write_parallel_text(folder, ambiguous=True)
    texts = {"source": folder / "train.f", "target": folder / "train.e", "alignment": folder / "train.align"}
    for name, folds in (("folds", 3), ("whole", 0)):
        recipe = Recipe(**texts, inputs=(folder / "test.f",), folds=folds, discount_fallback=True)
        build(recipe, folder / name)
    return folder


@pytest.fixture
def arguments(systems):
    return (systems / "folds", "-s", systems / "test.f", "-r", systems / "test.e", *SETTINGS)


def weights(path):
    return dict(line.split(" ") for line in path.read_text("utf-8").splitlines() if line[0] != "#")


def test_rules_learn_on_the_folds(tmp_path, systems, arguments, run):
    done = run("hols", *arguments, "-o", "run", "--updates", 2, "--parts", 2)
    updates = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    assert [update["sentences"] for update in updates] == [20, 20]
    assert done.stderr.splitlines()[-1] == "learned weights: run/weights.final"
    assert [(update["held_out"], update["chosen"]) for update in updates] == [(True, True), (False, True)]
    for update in updates:
        low, high = update["search_interval"]
        assert low <= update["search_score"] <= high
    for name in ("run", "run/mert"):
        (session,) = json.loads((tmp_path / name / "run.json").read_text())["sessions"]
        assert session["status"] == "finished"
    learned = weights(tmp_path / "run" / "weights.final")
    assert any(name.startswith("R:") for name in learned)
    assert not any(name.startswith("R:") for name in weights(tmp_path / "run" / "mert" / "weights.final"))
    ready = ("decode", "-c", systems / "folds" / "cdec.ini", "-w", "run/weights.final")
    decoded = run(*ready, "--feature", "RuleIndicators", "-i", systems / "test.f")
    assert len(decoded.stdout.splitlines()) == 5
    with alone_in(tmp_path / "run", "run.lock", "run"):
        again = run("hols", *arguments, "-o", "run", "--force", status=2)
    assert again.stderr == "hopefear: run: another run is using this folder\n"
    again = run("hols", *arguments, "-o", "run", status=2)
    assert "holds a run already: expected --resume, --force or another folder" in again.stderr


def test_ablations(tmp_path, arguments, run):
    """Models that have seen a text find its translations: the loss is smaller."""
    losses = []
    for name, extra in (("folds", ()), ("whole", ("--no-folds",))):
        run("hols", *arguments, "-o", name, *extra)
        losses.append(json.loads((tmp_path / name / "log.jsonl").read_text())["loss"])
    assert losses[1] < losses[0]
    done = run("hols", *arguments, "-o", "folds", "--no-conditioning", "--resume", status=2)
    assert "expected conditioning=True, as in the checkpoint, got False" in done.stderr
    done = run("hols", *arguments, "-o", "folds", "--set-mert", "k=7", "--resume", status=2)
    assert "expected k=100, as in the checkpoint, got 7" in done.stderr


ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")


def fired(stderr):
    return [line for line in stderr.splitlines() if line.startswith("features in the development set: ")]


@ray
def test_a_coordinator_that_is_killed_in_both_stages_goes_on(tmp_path, arguments, run):
    """Two processes with an extractor, models and candidates of their own learn what one does, to the bit."""
    arguments = (*arguments, "--updates", 2, "--set", "save_every=2")
    alone = run("hols", *arguments, "-o", "one")
    given = ("hols", *arguments, "-o", "two", "--cluster", "local:2")
    checkpoint = tmp_path / "two" / "checkpoint"
    for number, where in enumerate(("gradient", "line search")):
        command = [sys.executable, killed_at_stage.__file__, where, *given, *(["--resume"] * number)]
        done = subprocess.run([*map(str, command)], cwd=tmp_path, capture_output=True, timeout=300)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert killed_at_stage.stage(checkpoint) == where
    assert not (tmp_path / "two" / "weights.final").exists()
    done = run(*given, "--resume")
    assert fired(done.stderr) == fired(alone.stderr) != []
    logs = [(tmp_path / name / "log.jsonl").read_text().splitlines() for name in ("one", "two")]
    one, two = ([{**json.loads(line), "seconds": 0} for line in log] for log in logs)
    assert [update["sentences"] for update in one] == [40, 40]
    assert two == one
    assert weights(tmp_path / "two" / "weights.final") == weights(tmp_path / "one" / "weights.final")


def test_stopped_it_goes_on(tmp_path, arguments, run, start):
    run("hols", *arguments, "-o", "whole", "--updates", 2)
    process = start("hols", *arguments, "-o", "run", "--updates", 2)
    for line in process.stderr:
        if line.startswith("pass 2:"):  # of Mert
            process.send_signal(signal.SIGINT)
            break
    assert process.wait() == 130
    for name in ("run", "run/mert"):
        (session,) = json.loads((tmp_path / name / "run.json").read_text())["sessions"]
        assert session["status"] == "stopped"
    run("hols", *arguments, "-o", "run", "--updates", 2, "--resume")
    for name in ("weights.final", "mert/weights.final"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--held-out", 4), "folds: expected --held-out from 1 to 3, the number of folds, got 4"),
        (("--set", "spam=1"), "Hols: unknown setting spam"),
        (("--feature", "Spam"), "Spam"),
    ],
)
def test_bad_settings_are_named(arguments, run, more, message):
    assert message in run("hols", *arguments, "-o", "run", *more, status=2).stderr


def test_a_changed_description_of_a_system_is_refused(tmp_path, systems, arguments, run):
    """Its settings and folds are those that were built, by their checksum."""
    shutil.copytree(systems / "folds", tmp_path / "folds")
    description = tmp_path / "folds" / "build.json"
    facts = json.loads(description.read_text())
    for ends in (None, [2**63], [*facts["ends"][:-1], facts["ends"][-1] - 1]):
        description.write_text(json.dumps({**facts, "ends": ends}))
        done = run("hols", "folds", *arguments[1:], "-o", "run", status=2)
        assert "folds/build.json: expected the description of a system: build it again" in done.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("whole", "whole: expected a system with folds: build it with --folds 5"),
        ("none", "none/build.json: cannot be read: No such file or directory"),
    ],
)
def test_no_folds(systems, arguments, run, name, message):
    assert message in run("hols", systems / name, *arguments[1:], "-o", "run", status=2).stderr
