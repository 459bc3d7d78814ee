from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from support.plans import experiment, finished
from support.process_groups import check_all_end_when_killed, needs_process_groups, running
from support.small_sample import small_sample
from support.waiting import wait_until

from hopefear.base import InputError
from hopefear.decoder import Decoder
from hopefear.experiments import Experiment, read_failures, read_plan, read_runs, read_statistics
from hopefear.experiments.runs.corpora import read_set
from hopefear.experiments.runs.tuning import run_cell
from hopefear.metrics import Bleu
from hopefear.plugins.corpus import read_corpus

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return finished(tmp_path_factory.mktemp("experiment"), PLAN, jobs=2)


@pytest.mark.slow
def test_every_cell_gives_a_row_for_each_test_set(done):
    found, runs = done
    assert len(found.cells) == 8
    assert [(run.cell, run.tested_on) for run in runs] == [
        (cell.name, name) for cell in found.cells for name in ("dev", "test")
    ]
    assert read_runs(found.folder) == runs
    assert {run.size for run in runs} == {15}
    assert {(run.tested_on, run.sentences) for run in runs} == {("dev", 15), ("test", 12)}


def test_rows_can_be_read_as_a_table(done):
    found, runs = done
    with sqlite3.connect(found.folder / "results.sqlite") as database:
        rows = database.execute("SELECT tuner, AVG(score) FROM runs GROUP BY tuner ORDER BY tuner").fetchall()
    database.close()
    assert [name for name, _ in rows] == ["MERT", "MIRA", "untuned"]
    assert rows[0][1] == pytest.approx(np.mean([run.score for run in runs if run.tuner == "MERT"]))


def test_statistics_and_translations_give_the_score(done):
    found, runs = done
    for run in runs:
        statistics = read_statistics(found.folder, run)
        assert statistics.shape[0] == run.sentences
        assert Bleu().score(statistics.sum(axis=0)) == pytest.approx(run.score)
        texts = (found.folder / "cells" / run.cell / f"{run.tested_on}.txt").read_text("utf-8").splitlines()
        assert len(texts) == run.sentences


def test_the_untuned_row_is_what_the_decoder_says(done):
    _found, runs = done
    sample = small_sample()
    corpus = read_corpus(sample / "test.es", [sample / "test.en.0", sample / "test.en.1"])[:12]
    decoder = Decoder(sample / "cdec.ini", weights=sample / "weights.init")
    texts = [forest.viterbi() for forest in decoder.translate_all(corpus)]
    statistics = Bleu().corpus_stats(texts, [segment.references for segment in corpus])
    untuned = [run for run in runs if run.tuner == "untuned" and run.tested_on == "test"]
    assert len(untuned) == 2
    for run in untuned:
        assert run.score == pytest.approx(Bleu().score(statistics.sum(axis=0)))
        assert (run.passes, run.seconds) == (0, 0)


def test_learning_helps_on_what_was_learned_from(done):
    _, runs = done
    score = {(run.tuner, run.system, run.draw): run.score for run in runs if run.tested_on == "dev"}
    for draw in (1, 2):
        assert score["MERT", "base", draw] > score["untuned", "base", draw]
        assert score["MIRA", "rules", draw] > score["untuned", "base", draw]


def test_a_run_starts_from_the_weights_it_is_told(done):
    found, _ = done
    cell = next(cell for cell in found.cells if cell.start is not None)
    learned = (found.folder / "cells" / cell.name / "log.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["pass_number"] for line in learned] == [1, 2]
    own = (found.folder / "cells" / cell.name / "weights").read_text("utf-8")
    assert "R:" in own


def test_what_is_done_is_not_done_again(done):
    found, runs = done
    assert Experiment(found.plan, found.folder).run(on_cell=lambda cell, rows: pytest.fail(cell.name)) == runs


def test_results_that_are_moved_keep_what_is_done(tmp_path):
    words = "ngrams --text {data}/dev.en.0 --order 2 --discount-fallback '0.5 1 1.5' --use ours -o {output}"
    text = PLAN[: PLAN.index("[systems.base]")]
    text += f'[[prepare]]\noutput = "lm.arpa"\ncommand = "{words}"\n'
    text += '[systems.base]\nfeatures = ["KLanguageModel -n Bigrams {prepared}/lm.arpa"]\n'
    text += '[tuners]\nMIRA = "Mira passes=1"\n[[runs]]\ntune = ["dev"]\ntest = ["dev"]\nsizes = [5]\n'
    found = experiment(tmp_path, text)
    runs = found.run()
    moved = found.folder.rename(tmp_path / "elsewhere")
    model = moved / "prepared" / "lm.arpa"
    model.write_text(model.read_text() + "\n")
    there = Experiment(read_plan(tmp_path / "plan.toml", moved, data=small_sample()), moved)
    assert there.run(on_cell=lambda cell, rows: pytest.fail(cell.name)) == runs
    assert model.read_text().endswith("\n\n"), "what was prepared is prepared again"


def test_a_cell_with_other_settings_is_run_again(tmp_path, in_this_process):
    text = PLAN[: PLAN.index("[[runs]]")] + '[[runs]]\ntune = ["dev"]\ntest = ["dev"]\nsizes = [5]\n'
    text += 'tuners = ["untuned", "MIRA"]\nsystems = ["base"]\n'
    experiment(tmp_path, text).run()
    again = []
    experiment(tmp_path, text.replace("passes=2", "passes=1")).run(on_cell=lambda c, _: again.append(c.name))
    assert again == ["base-MIRA-dev-n5-draw0-seed0"]


def test_a_stopped_cell_goes_on_as_if_it_had_not_been_stopped(done, tmp_path, monkeypatch):
    found, runs = done
    cell = next(cell for cell in found.cells if cell.tuner.name == "MERT")
    from hopefear.experiments.runs import scoring

    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scoring.np, "save", stop)
    with pytest.raises(KeyboardInterrupt):
        run_cell(tmp_path, cell)
    monkeypatch.undo()
    place = tmp_path / "cells" / cell.name
    assert (place / "checkpoint").exists() and not list(place.glob("*.npy*"))
    resumed = run_cell(tmp_path, cell)
    assert not (place / "checkpoint").exists()
    expected = [run for run in runs if run.cell == cell.name]
    assert [(run.score, run.passes, run.features) for run in resumed] == [
        (run.score, run.passes, run.features) for run in expected
    ]


def test_failures_are_told_and_the_rest_is_done(tmp_path, in_this_process):
    text = PLAN.replace('MERT = "Mert passes=4', 'MERT = "Mert features=Nowhere passes=4').replace(
        "draws = [1, 2]", ""
    )
    found = experiment(tmp_path, text)
    told = []
    found.run(on_failure=told.append)
    assert found.failures == read_failures(found.folder) == told
    tuned, started = found.failures
    assert "no candidate has the feature Nowhere" in tuned.reason
    assert started.reason == f"the run {tuned.cell}, whose weights it starts from, failed"
    assert [run.tuner for run in read_runs(found.folder)] == ["untuned", "untuned", "MIRA", "MIRA"]


def test_settings_are_chosen_by_cross_validation(tmp_path, in_this_process):
    text = PLAN[: PLAN.index("[[runs]]")].replace(
        'untuned = "none"', 'SVM = { line = "StructuralSvm k=10 passes=1", grid = { Q = [0.001, 1000] } }'
    )
    text += '[[runs]]\ntune = ["dev"]\ntest = ["test"]\ntuners = ["SVM"]\nsystems = ["base"]\n'
    found = experiment(tmp_path, text)
    found.run()
    (cell,) = found.cells
    settings = json.loads((found.folder / "cells" / cell.name / "cell.json").read_text("utf-8"))["settings"]
    assert settings["Q"] in ("0.001", "1000")


def test_a_tuner_is_chosen_on_held_out_parts(tmp_path, in_this_process):
    chosen = "CrossValidated choices=unchanged,'Mira C=1e-12 rate=0 warm_up=0' folds=2 passes=1"
    text = PLAN[: PLAN.index("[[runs]]")].replace('untuned = "none"', f'chosen = "{chosen}"')
    text += '[[runs]]\ntune = ["dev"]\ntest = ["test"]\ntuners = ["chosen"]\nsystems = ["base"]\n'
    found = experiment(tmp_path, text)
    found.run()
    (cell,) = found.cells
    facts = json.loads((found.folder / "cells" / cell.name / "cell.json").read_text("utf-8"))
    assert facts["settings"] == {"choice": "unchanged"}  # a tuner that learns nothing is no better
    (unchanged, score), (_, of_lazy) = facts["choices"]
    assert (unchanged, score) == ({"choice": "unchanged"}, of_lazy)
    (run,) = facts["runs"]
    assert run["passes"] == 0 < run["seconds"]


def test_draws_are_parts_in_order(tmp_path):
    plan = experiment(tmp_path, PLAN).plan
    whole = read_set(plan.sets["dev"])
    assert len(whole) == 30
    parts = [read_set(plan.sets["dev"], size=15, draw=draw) for draw in (1, 2)]
    assert parts[0] != parts[1]
    for part in parts:
        indices = [segment.index for segment in part]
        assert indices == sorted(set(indices)) and len(indices) == 15
        assert all(whole[segment.index] == segment for segment in part)
    with pytest.raises(InputError, match="at least 31 sentences"):
        read_set(plan.sets["dev"], size=31)


def test_a_preparation_that_fails_is_told(tmp_path):
    text = PLAN + (
        '[[prepare]]\noutput = "sample.txt"\n'
        'command = "hopefear decode -c {data}/cdec.ini -w {data}/weights.init -i {data}/none -o {output}"\n'
    )
    with pytest.raises(InputError, match="ended with status 2"):
        experiment(tmp_path, text).run()
    assert not (tmp_path / "out" / "prepared" / "sample.txt").exists()


def test_settings_that_cannot_be_chosen_are_told_and_the_rest_is_done(tmp_path, in_this_process):
    text = PLAN[: PLAN.index("[[runs]]")].replace(
        'MERT = "Mert', 'SVM = { line = "StructuralSvm k=10 passes=1", grid = { Q = [1, 10] } }\nMERT = "Mert'
    )
    text += '[[runs]]\ntune = ["dev"]\ntest = ["test"]\ntuners = ["SVM", "untuned"]\nsystems = ["base"]\n'
    text += "sizes = [1]\n"
    found = experiment(tmp_path, text)
    found.run()
    (failure,) = found.failures
    assert "expected candidates of at least 2 segments, got 1" in failure.reason
    assert [run.tuner for run in read_runs(found.folder)] == ["untuned"]


def test_hols_takes_gradients_over_the_sets_it_is_told(tmp_path, in_this_process):
    text = PLAN[: PLAN.index("[[runs]]")].replace(
        'untuned = "none"', 'HOLS = "Hols k=10 line_search_k=10 line_search_passes=2 restarts=1"'
    )
    text += '[[runs]]\ntune = ["dev"]\ntest = ["test"]\ntuners = ["HOLS"]\n'
    text += 'systems = ["rules"]\nsizes = [10]\n'
    found = experiment(tmp_path, text + 'training = ["test"]\n')
    (run,) = found.run()
    log = (found.folder / "cells" / run.cell / "log.jsonl").read_text("utf-8")
    assert json.loads(log)["sentences"] == 12  # of the test set; it learned from 10
    assert run.size == 10
    found = experiment(tmp_path, text.replace('["HOLS"]', '["MIRA"]') + 'training = ["test"]\n')
    assert found.run() == []
    assert "training folds are for Hols only" in found.failures[0].reason


@pytest.mark.slow
@needs_process_groups
def test_no_process_outlives_one_that_was_killed(tmp_path):
    text = PLAN.replace('MERT = "Mert passes=4 k=50 restarts=2"\n', "").replace(
        '\nstart = ["base", "MERT"]', ""
    )
    experiment(tmp_path, text.replace("passes=2", "passes=1000"))
    code = (
        "from pathlib import Path\n"
        "from hopefear.experiments import Experiment, read_plan\n"
        "if __name__ == '__main__':\n"
        "    folder = Path('.')\n"
        f"    plan = read_plan(folder / 'plan.toml', folder / 'out', data=Path({str(small_sample())!r}))\n"
        "    Experiment(plan, folder / 'out').run(jobs=2)\n"
    )
    (tmp_path / "run.py").write_text(code)
    with running(tmp_path / "run.py") as process:
        wait_until(lambda: list(tmp_path.glob("out/cells/*MIRA*/log.jsonl")), "a log", process)
        check_all_end_when_killed(process)
    assert not list(tmp_path.rglob("*.part"))
