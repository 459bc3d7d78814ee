"""Finished runs whose plan has other metrics: their stored translations are scored anew."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from support.plans import experiment
from support.plans import finished as finished_run

from hopefear.experiments import Experiment, Result, read_failures, read_runs, read_statistics
from hopefear.experiments.cell_file import read_facts, write_facts
from hopefear.experiments.runs import scoring, tuning

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")

pytestmark = pytest.mark.usefixtures("in_this_process")


def by(*metrics: str) -> str:
    return PLAN.replace('["bleu"]', json.dumps(metrics))


@pytest.fixture(scope="module")
def scored_by_bleu(tmp_path_factory):
    return finished_run(tmp_path_factory.mktemp("bleu"), PLAN)[0].folder


@pytest.fixture(scope="module")
def new_runs(tmp_path_factory):
    return finished_run(tmp_path_factory.mktemp("both"), by("ter", "bleu"))[1]


@pytest.fixture
def finished(scored_by_bleu, tmp_path):
    shutil.copytree(scored_by_bleu, tmp_path / "out")
    return tmp_path


@pytest.fixture
def no_decoder(monkeypatch):
    def refuse(*arguments: object) -> None:
        pytest.fail("a decoder was made")

    monkeypatch.setattr(tuning, "Decoders", refuse)


def timeless(runs: list[Result]) -> list[Result]:
    return [replace(run, seconds=0.0) for run in runs]


def place_of(found: Experiment, tuner: str) -> Path:
    (cell,) = (cell for cell in found.cells if cell.tuner.name == tuner)
    return found.folder / "cells" / cell.name


@pytest.mark.usefixtures("no_decoder")
def test_other_metrics_give_the_rows_of_a_new_run(finished, new_runs):
    before = read_runs(finished / "out")
    found = experiment(finished, by("ter", "bleu"))
    told = []
    runs = found.run(on_cell=lambda cell, rows: told.append(cell.name), on_damage=lambda *_: pytest.fail())
    assert timeless(runs) == timeless(new_runs) and read_runs(found.folder) == runs
    assert told == [cell.name for cell in found.cells]
    assert {(run.cell, run.seconds) for run in runs} == {(run.cell, run.seconds) for run in before}
    for run in runs:
        assert read_statistics(found.folder, run).shape[0] == run.sentences
    assert found.run(on_cell=lambda cell, rows: pytest.fail(cell.name)) == runs

    back = experiment(finished, PLAN)
    assert back.run() == before
    assert not list(place_of(back, "MIRA").glob("*.2.npy"))


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_text("something else\n")])
def test_without_its_translations_a_run_is_made_again(finished, new_runs, harm):
    found = experiment(finished, by("ter", "bleu"))
    harm(place_of(found, "MIRA") / "test.txt")
    told = []
    runs = found.run(on_damage=lambda cell, error: told.append((cell.tuner.name, str(error))))
    assert timeless(runs) == timeless(new_runs)
    ((tuner, message),) = told
    assert tuner == "MIRA" and "test.txt: " in message and "repeat" not in message


def test_a_stop_loses_nothing(finished, new_runs, no_decoder, monkeypatch):
    found, saved = experiment(finished, by("ter", "bleu")), []
    save = scoring.np.save

    def stop(*arguments: object) -> None:
        saved.append(arguments)
        if len(saved) == 3:
            raise KeyboardInterrupt
        save(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(scoring.np, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            found.run()
    assert timeless(found.run()) == timeless(new_runs)


def test_a_metric_that_fails_changes_nothing(finished, no_decoder):
    before = read_runs(finished / "out")
    found = experiment(finished, by("bleu", "ter --max-words 1"))
    assert found.run() == []
    assert {failure.cell for failure in read_failures(found.folder)} == {cell.name for cell in found.cells}
    assert experiment(finished, PLAN).run() == before


def test_other_settings_are_run_again(finished, monkeypatch):
    made = []
    decoders = tuning.Decoders
    monkeypatch.setattr(
        tuning,
        "Decoders",
        lambda system, weights, tuner: made.append(tuner.name) or decoders(system, weights, tuner),
    )
    experiment(finished, by("ter").replace("Mira passes=1", "Mira passes=2")).run()
    assert made == ["MIRA", "PRO"]


def test_runs_that_do_not_tell_their_metrics_are_run_again(finished, new_runs, monkeypatch):
    found = experiment(finished, by("ter", "bleu"))
    for cell in found.cells:
        place = found.folder / "cells" / cell.name
        facts = read_facts(place)
        assert facts.pop("metrics") == ["bleu"]
        write_facts(place, facts, facts["files"])
    assert timeless(found.run(on_damage=lambda *_: pytest.fail())) == timeless(new_runs)
