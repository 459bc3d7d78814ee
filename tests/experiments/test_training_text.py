"""A plan that learns on the parallel text of a build, then conditions the weights on a development set."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

import pytest
from support.small_parallel_text import write_parallel_text

from hopefear.base import InputError
from hopefear.experiments import Experiment, read_plan
from hopefear.experiments.plan.cells import cells_of
from hopefear.grammars.build import Recipe, build

PLAN = """
title = "Learning on the text"

[sets.text]
build = "system"
text = true

[sets.dev]
build = "system"
source = "test.f"
references = ["test.e"]

[systems.rules]
features = ["RuleIndicators"]

[tuners]
MIRA = "Mira passes=1 k=3"
summary = "SummaryMira passes=2 k=3"

[[runs]]
systems = ["rules"]
tuners = ["MIRA"]
tune = ["text"]
test = ["dev"]
sizes = [6]
draws = [1]

[[runs]]
systems = ["rules"]
tuners = ["summary"]
tune = ["dev"]
test = ["dev"]
start = { system = "rules", tuner = "MIRA", tune = "text", size = 6, draw = 1, seed = 0 }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_parallel_text(tmp_path, 20, ambiguous=True)
    texts = {"source": tmp_path / "train.f", "target": tmp_path / "train.e"}
    recipe = Recipe(**texts, alignment=tmp_path / "train.align", folds=2, order=2, discount_fallback=True)
    build(recipe, tmp_path / "system")
    return tmp_path


def weights(path: Path) -> dict[str, float]:
    lines = path.read_text("utf-8").splitlines()
    return {name: float(value) for name, value in (line.split(" ") for line in lines if line[0] != "#")}


@pytest.mark.usefixtures("in_this_process")
def test_weights_of_the_text_are_conditioned(folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN)
    found = Experiment(read_plan(folder / "plan.toml", folder / "out"), folder / "out")
    rows = found.run()
    assert found.failures == []
    assert [(row.tuner, row.tuned_on, row.size) for row in rows] == [
        ("MIRA", "text", 6),
        ("summary", "dev", 5),
    ]
    learned, conditioned = (weights(folder / "out" / "cells" / row.cell / "weights") for row in rows)
    rules = [name for name in learned if name.startswith("R:")]
    assert len({round(conditioned[name] / learned[name], 6) for name in rules}) == 1
    (record,) = (folder / "out" / "cells" / rows[0].cell / "log.jsonl").read_text().splitlines()
    assert json.loads(record)["updates"] == 1  # of the batch size of hopefear train


def test_a_text_is_that_of_a_build_and_nothing_else(folder: Path) -> None:
    for line in ('source = "test.f"', "fold = 1", "sample = 3"):
        (folder / "plan.toml").write_text(PLAN.replace("text = true", f"text = true\n{line}"))
        with pytest.raises(InputError, match="expected the key build beside text, and no keys but those of"):
            read_plan(folder / "plan.toml", folder / "out")


def test_cells_of_other_sets_keep_their_fingerprints(folder: Path) -> None:
    """A cell without a text has the hash of its settings as they were before there were texts."""
    (folder / "plan.toml").write_text(PLAN)
    _, dev = cells_of(read_plan(folder / "plan.toml", folder / "out"))
    settings = dataclasses.asdict(dev)
    del settings["last_stage"], settings["tuner"]["live"], settings["tune"]["text"]
    del settings["tests"]["dev"]["text"]
    text = json.dumps(settings, default=str, sort_keys=True)
    assert dev.fingerprint() == hashlib.sha256(text.encode()).hexdigest()
