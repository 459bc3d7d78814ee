from __future__ import annotations

import importlib.util
import json
import shutil
import signal

import pytest
from support import command, killed_at_save
from support.run_files import events, sessions, weights
from support.world import write_parallel_text

from hopefear.base.files import alone_in
from hopefear.grammars.build import Recipe, build

pytestmark = pytest.mark.long(50)
SETTINGS = ("--set", "k=20", "--set", "line_search_passes=2", "--set-mert", "passes=2", "--sentences", 10)
TWICE = ("--updates", 2, "--set", "save_every=2")
GIVEN_WEIGHTS = ("--set-mert", "k=1")
"""MERT keeps the weights that it begins with. Many derivations have equal scores by these: what MERT learns
depends on which of them are in a list."""


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    """Return the folder of a text, and of systems built from it: `folds` has three, `whole` none."""
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


@pytest.fixture(scope="module")
def alone(systems, tmp_path_factory):
    """Return the folder of a run of two updates in one process, and what it printed on standard error."""
    folder = tmp_path_factory.mktemp("alone")
    given = (systems / "folds", "-s", systems / "test.f", "-r", systems / "test.e", *SETTINGS, *TWICE)
    done = command.call(["hols", *map(str, given), "-o", "run"], b"", folder)
    assert done.returncode == 0, done.stderr
    return folder / "run", done.stderr.decode()


def test_rules_learn_on_the_folds(tmp_path, systems, arguments, run):
    """Only α is free in the line searches: the feature that counts as dense fires nowhere."""
    only_step = (*GIVEN_WEIGHTS, "--set", "dense=PassThrough")
    done = run("hols", *arguments, *only_step, "-o", "run", "--updates", 2, "--parts", 2)
    learned_in = events(tmp_path / "run")
    assert [update["sentences"] for update in learned_in] == [20, 20]
    assert done.stderr.splitlines()[-1] == "learned weights: run/weights.final"
    assert [(update["held_out"], update["chosen"]) for update in learned_in] == [(True, True), (False, True)]
    for update in learned_in:
        low, high = update["search_interval"]
        assert low <= update["search_score"] <= high
        assert update["step"] > 0
        assert update["search_score"] > update["score"]
    for name in ("run", "run/mert"):
        (session,) = sessions(tmp_path / name)
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


@pytest.mark.slow
def test_ablations(tmp_path, arguments, alone, run):
    """Models that have seen a text find its translations: the loss by the same weights is smaller."""
    for name, more in (("folds", ()), ("whole", ("--no-folds",))):
        run("hols", *arguments, *GIVEN_WEIGHTS, "-o", name, *more)
    folds, whole = (events(tmp_path / name)[0]["loss"] for name in ("folds", "whole"))
    assert whole < folds
    with_folds, _ = alone
    again = ("hols", *arguments, *TWICE, "-o", with_folds, "--resume")
    done = run(*again, "--no-conditioning", status=2)
    assert "expected conditioning=True, as in the checkpoint, got False" in done.stderr
    done = run(*again, "--set-mert", "k=7", status=2)
    assert "expected k=100, as in the checkpoint, got 7" in done.stderr
    for more, began in (
        (("--feature", "WordPairs"), "--feature RuleIndicators: expected the same, got WordPairs"),
        (("--held-out", 1), "--held-out 3: expected the same, got 1"),
        (("--no-folds",), "--no-folds not given: expected the same, got given"),
    ):
        assert f"the run began with {began}" in run(*again, *more, status=2).stderr


ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is not installed")


def fired(stderr):
    return [line for line in stderr.splitlines() if line.startswith("features in the development set: ")]


@pytest.mark.slow
@ray
def test_a_coordinator_that_is_killed_in_both_stages_goes_on(tmp_path, arguments, alone, run):
    """Two processes with an extractor, models and candidates of their own learn what one does, to the bit."""
    one, printed = alone
    here = ("hols", *arguments, *TWICE, "-o", "two")
    given = (*here, "--cluster", "local:2")
    checkpoint = tmp_path / "two" / "checkpoint"
    for where, words in (("gradient", here), ("line search", (*given, "--resume"))):
        killed_at_save.run_killed(where, words, tmp_path)
        assert killed_at_save.stage(checkpoint) == where
    assert not (tmp_path / "two" / "weights.final").exists()
    done = run(*given, "--resume")
    assert fired(done.stderr) == fired(printed) != []
    found = [[{**update, "seconds": 0} for update in events(run)] for run in (one, tmp_path / "two")]
    assert [update["sentences"] for update in found[0]] == [40, 40]
    assert found[1] == found[0]
    assert weights(tmp_path / "two" / "weights.final") == weights(one / "weights.final")


@pytest.mark.slow
def test_stopped_it_goes_on(tmp_path, arguments, alone, run, start):
    given = ("hols", *arguments, *TWICE, "-o", "run")
    process = start(*given)
    for line in process.stderr:
        if line.startswith("pass 1:"):  # of Mert
            process.send_signal(signal.SIGINT)
            break
    assert process.wait() == 130
    for name in ("run", "run/mert"):
        (session,) = sessions(tmp_path / name)
        ended = (tmp_path / name / "weights.final").exists()  # Mert, if the signal came in its last pass
        assert session["status"] == ("finished" if ended else "stopped")
    assert not (tmp_path / "run" / "weights.final").exists()
    for more, began in (("--held-out", 1), "--held-out 3"), (("--sentences", 9), "--sentences 10"):
        refused = run(*given, *more, "--resume", status=2)
        assert f"run/mert/run.json: the run began with {began}: expected the same, got" in refused.stderr
    run(*given, "--resume")
    for name in ("weights.final", "mert/weights.final"):
        assert (tmp_path / "run" / name).read_bytes() == (alone[0] / name).read_bytes()


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
