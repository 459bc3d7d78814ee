"""Runs that differ in the seed of the last line search share what comes before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.plans import experiment

from hopefear.base import InputError
from hopefear.experiments import Experiment

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


def weights(found):
    return {cell.name: (found.folder / "cells" / cell.name / "weights").read_text() for cell in found.cells}


@pytest.mark.slow
def test_they_learn_what_whole_runs_learn(tmp_path, in_this_process):
    shared = experiment(tmp_path / "shared", PLAN)
    assert [cell.start for cell in shared.cells[1:]] == 4 * ["rules-MERT-dev-all-draw0-seed0"]
    shared.run(jobs=2)
    (stage,) = (shared.folder / "stages").iterdir()
    apart = experiment(tmp_path / "apart", PLAN)
    for cell in apart.cells:  # each in a folder that has what it starts from only
        one = Experiment(apart.plan, apart.folder)
        one.cells = [other for other in apart.cells if other.name in (cell.name, cell.start)]
        one.run()
        for path in (apart.folder / "stages").glob("*"):
            path.unlink()
    assert weights(shared) == weights(apart)
    again = json.loads((shared.folder / "cells" / shared.cells[1].name / "log.jsonl").read_text())
    assert again["sentences"] == 8
    # What has changed before the last stage is not shared.
    other = experiment(tmp_path / "shared", PLAN.replace('["HOLS", "plain"]', '["long"]'))
    other.run()
    assert len(list(stage.parent.iterdir())) == 2
    # Where the run that is started from begins anew, so does the stage.
    before = stage.stat().st_mtime_ns
    changed = experiment(tmp_path / "shared", PLAN.replace("Mert passes=1", "Mert passes=2"))
    changed.run()
    assert stage.stat().st_mtime_ns > before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '["HOLS", "plain"]',
            '["MERT"]',
            "last_stage: expected Hols, which has a last line search, got 'MERT'",
        ),
        ("last_stage = true", "last_stage = 1", "last_stage: expected true or false, got a whole number"),
        ("seed = 0 }", 'seed = "0" }', "start.seed: expected a whole number, got text"),
        ("seed = 0 }", "sed = 0 }", "start.sed: "),
        ("seed = 0 }", 'tune = "none" }', "start.tune: "),
        (
            '{ system = "rules", tuner = "MERT", seed = 0 }',
            '["rules"]',
            r"start: expected a table, got a list",
        ),
        ("seed = 0 }", "seed = 7 }", "seed7: there is no such run"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, old, new, message):
    with pytest.raises(InputError, match=message):
        experiment(tmp_path, PLAN.replace(old, new))
