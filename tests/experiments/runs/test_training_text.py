"""A plan that learns on the parallel text of a build, then conditions the weights on a development set."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from support.plans import experiment
from support.run_files import are_equal_but_for_rounding
from support.world import write_parallel_text

from hopefear.base import InputError
from hopefear.decoder import Weights
from hopefear.decoder.lengths import LEARNED_MAX_WORDS
from hopefear.experiments import Experiment
from hopefear.experiments.plan.cells import Cell
from hopefear.experiments.runs import make_decoder
from hopefear.experiments.runs.corpora import read_set
from hopefear.experiments.runs.points import Points
from hopefear.grammars.build import Recipe, build
from hopefear.grammars.built import Build
from hopefear.plugins import create
from hopefear.tuners.catalogue import make_tuner

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


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
    found = experiment(folder, PLAN)
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
        with pytest.raises(InputError, match="expected the key build beside text, and no keys but pop"):
            cells_with(folder, line)
    for old, new, message in (
        ("text = true", "text = true\npop_limit = 0", "pop_limit: expected a whole number >= 1"),
        ('source = "test.f"', 'source = "test.f"\npop_limit = 9', "expected text = true beside pop_limit"),
        ("text = true", "text = true\nneighbours = -1", "neighbours: expected a whole number >= 0"),
        ('source = "test.f"', 'source = "test.f"\nneighbours = 0', "expected text = true beside neighbours"),
    ):
        with pytest.raises(InputError, match=message):
            experiment(folder, PLAN.replace(old, new))


def cells_with(folder: Path, line: str) -> list[Cell]:
    return experiment(folder, PLAN.replace("text = true", f"text = true\n{line}")).cells


@pytest.mark.parametrize("line", ["pop_limit = 1", "neighbours = 9"])
def test_a_text_may_be_searched_less_and_leave_out_more(folder: Path, line: str) -> None:
    whole, same = cells_with(folder, "")
    cell, dev = cells_with(folder, line)
    prints = [one.fingerprint(folder) for one in (cell, whole, dev, same)]
    assert prints[0] != prints[1] and prints[2] == prints[3]
    segment = read_set(cell.tune, size=6, draw=1)[0]
    few, all_ = (make_decoder(each.system, each.tune, Weights()).translate(segment) for each in (cell, whole))
    assert len(few.edges) < len(all_.edges)


NESTED = """
[[runs]]
systems = ["rules"]
tuners = ["MIRA"]
tune = ["text"]
test = ["dev"]
sizes = [4, 8, 0]
nested = true
"""


NESTED_SETTINGS = "passes=1 k=3 batch_size=2 save_every=1"


def nested(folder: Path, text: str = NESTED) -> Experiment:
    head = PLAN.partition("[[runs]]")[0].replace("passes=1 k=3", NESTED_SETTINGS)
    return experiment(folder, head + text)


@pytest.mark.usefixtures("in_this_process")
def test_one_run_serves_nested_sizes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each size has what a run that ends after so many sentences learns, also if the run is stopped."""
    found = nested(folder)
    names = [f"rules-MIRA-text-{size}-draw0-seed0" for size in ("all", "n4", "n8")]
    assert [cell.name for cell in found.cells] == names
    system = Build.open(folder / "system")
    text = system.training_text(max_words=LEARNED_MAX_WORDS)
    order = list(map(int, np.random.default_rng([0, 1]).permutation(len(text))))
    cells = found.folder / "cells"
    learned = {}
    for size in (4, 8):
        decoder = system.leaving_out(features=lambda: [create("RuleIndicators")])
        tuner = make_tuner(f"Mira {NESTED_SETTINGS} shuffle=false", preset="text")
        tuner.fit(decoder, [text[number] for number in order[:size]])
        learned[size] = tuner.weights_

    def stop(points: Points) -> None:
        keep(points)
        if (cells / names[0] / "weights.4").exists():
            raise KeyboardInterrupt

    keep = Points.keep
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Points, "keep", stop)
        found.run()
    assert (cells / names[0] / "weights.4").exists() and not (cells / names[0] / "weights.8").exists()
    rows = found.run()
    assert found.failures == []
    assert [(row.size, row.passes) for row in rows] == [(20, 1), (4, 1), (8, 1)]
    for size, name in ((4, names[1]), (8, names[2])):
        assert are_equal_but_for_rounding(weights(cells / name / "weights"), learned[size])
        (record,) = (cells / name / "log.jsonl").read_text().splitlines()
        assert json.loads(record)["pass_number"] == 1
    seconds = [row.seconds for row in rows]
    assert 0 < seconds[1] < seconds[2] < seconds[0]


@pytest.mark.usefixtures("in_this_process")
def test_a_run_that_is_repeated_keeps_its_points_anew(folder: Path) -> None:
    found = nested(folder)
    found.run()
    whole = found.folder / "cells" / found.cells[0].name
    kept = {name: (whole / name).read_bytes() for name in ("weights.4", "weights.8")}
    (whole / "weights.4").write_bytes(kept["weights.4"].splitlines(keepends=True)[0])  # a damage
    (whole / "cell.json").unlink()  # as the message about the damage says
    found.run()
    assert found.failures == []
    assert {name: (whole / name).read_bytes() for name in kept} == kept


def test_nested_sizes_are_refused(folder: Path) -> None:
    for old, new, message in (
        ('["MIRA"]', '["summary"]', None),
        ("nested = true", "nested = 1", "nested: expected true or false, got a whole number"),
        ('"MIRA"', '"shards"', "nested: expected online tuners of one worker, got 'shards'"),
        ('"MIRA"', '"MERT"', "nested: expected online tuners of one worker, got 'MERT'"),
        ('"MIRA"', '"untuned"', "nested: expected online tuners of one worker, got 'untuned'"),
        ('test = ["dev"]', 'test = ["dev", "text"]', "nested: expected no test on the set learned from"),
    ):
        tuners = '[tuners]\nshards = "ParallelMira workers=2"\nMERT = "Mert"\nuntuned = "none"\n'
        text = PLAN.partition("[[runs]]")[0].replace("[tuners]\n", tuners) + NESTED.replace(old, new)
        with nullcontext() if message is None else pytest.raises(InputError, match=message):
            experiment(folder, text)


@pytest.mark.usefixtures("in_this_process")
def test_nested_sizes_are_smaller_than_the_text(folder: Path) -> None:
    found = nested(folder, NESTED.replace("[4, 8, 0]", "[4, 20, 0]"))
    found.run()
    assert {failure.cell for failure in found.failures} == {cell.name for cell in found.cells}
    assert "expected more than 20 sentences for nested sizes, got 20" in found.failures[0].reason


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("tune", ["dev", "text"])
def test_a_system_adds_a_model_of_the_search_to_a_build(folder: Path, tune: str) -> None:
    text = PLAN.replace("RuleIndicators", "KLanguageModel -n Second lm.arpa.gz")
    text = text[: text.rindex("[[runs]]")].replace('tune = ["text"]', f'tune = ["{tune}"]')
    found = experiment(folder, text.replace("sizes = [6]\ndraws = [1]", ""))
    (row,) = found.run()
    assert found.failures == []
    assert "Second" in weights(folder / "out" / "cells" / row.cell / "weights")
