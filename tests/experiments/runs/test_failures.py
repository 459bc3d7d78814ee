"""What fails is tried again, then marked, and the rest goes on."""

from __future__ import annotations

import errno
import os
from concurrent.futures import Future
from pathlib import Path

import pytest
from support.plans import experiment as make_experiment

from hopefear.base import InputError
from hopefear.experiments import Result, read_failures, read_runs
from hopefear.experiments.runs import experiment, tuning
from hopefear.parallel import Serial, Threads, WorkerDied

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")
MERT, MIRA, PRO = (f"base-{tuner}-dev-all-draw0-seed0" for tuner in ("MERT", "MIRA", "PRO"))


@pytest.fixture
def found(tmp_path):
    (tmp_path / "cdec.ini").write_text("formalism=scfg\n")
    (tmp_path / "weights").write_text("F 1\n")
    (tmp_path / "dev.es").touch()
    return make_experiment(tmp_path, PLAN)


@pytest.fixture
def tried(monkeypatch, in_this_process):
    """What was tried, in order; calls raise what `errors` has for their cell, one after the other."""
    tried, errors = [], {}

    def run_cell(folder, cell):
        tried.append(cell.name)
        if errors.get(cell.name):
            raise errors[cell.name].pop(0)
        columns = (cell.name, "base", cell.tuner.name, "dev", 1, 0, 0, "dev", 1, "BLEU", "BLEU", 30.0)
        return [Result(*columns, 1, 1, 1.0, "")]

    monkeypatch.setattr(tuning, "run_cell", run_cell)
    return tried, errors


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out/checkpoint")


@pytest.mark.parametrize("executor", [None, Serial(), Threads(2)])
def test_what_fails_once_is_done(found, tried, executor):
    tried, errors = tried
    errors[MERT] = [FULL]
    assert [run.cell for run in found.run(executor=executor)] == [MERT, MIRA, PRO]
    assert sorted(tried) == sorted([MERT, MERT, MIRA, PRO])
    assert found.failures == read_failures(found.folder) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (FULL, "[Errno 28] No space left on device: 'out/checkpoint'"),
        (InputError("no words", path="dev.es", line=3), "dev.es:3: no words"),
        (KeyError("plugin"), "KeyError: 'plugin'"),
        (MemoryError(), "MemoryError: "),
    ],
)
def test_what_fails_twice_is_marked_and_the_rest_is_done(found, tried, error, reason):
    tried, errors = tried
    errors[MERT] = [error, error]
    told = []
    runs = found.run(executor=Serial(), on_failure=told.append)
    assert [run.cell for run in runs] == [MIRA]
    assert tried == [MERT, MIRA, MERT]
    assert [(one.cell, one.reason) for one in told] == [
        (MERT, reason),
        (PRO, f"the run {MERT}, whose weights it starts from, failed"),
    ]
    assert found.failures == read_failures(found.folder) == told
    assert read_runs(found.folder) == runs


def test_what_workers_die_of_is_not_tried_again(found, tried):
    """The executor has done that."""

    class Deadly(Serial):
        def submit(self, task, item):
            if item.name != MIRA:
                return super().submit(task, item)
            future = Future()
            future.set_exception(WorkerDied("two workers died", times=2))
            return future

    assert [run.cell for run in found.run(executor=Deadly())] == [MERT, PRO]
    assert [(one.cell, one.reason) for one in found.failures] == [(MIRA, "two workers died")]


class Lost(Serial):
    """Does a task, and has no worker for another."""

    workers = 2

    def __init__(self):
        self.left = 1

    def submit(self, task, item):
        if self.left:
            self.left -= 1
            return super().submit(task, item)
        future = Future()
        future.set_exception(WorkerDied("no worker is left"))
        return future


def test_without_workers_it_ends_and_accuses_no_cell(found, tried):
    tried, _ = tried
    with pytest.raises(WorkerDied, match="no worker is left"):
        found.run(executor=Lost())
    assert tried == [MERT]
    assert [run.cell for run in read_runs(found.folder)] == [MERT] and read_failures(found.folder) == []
    assert [run.cell for run in found.run(executor=Serial())] == [MERT, MIRA, PRO]


def test_results_that_cannot_be_written_now_are_written_later(found, tried, monkeypatch):
    from hopefear.experiments.runs import experiment

    write, left = experiment.write_runs, [FULL, FULL]

    def write_runs(*arguments):
        if left:
            raise left.pop()
        write(*arguments)

    monkeypatch.setattr(experiment, "write_runs", write_runs)
    runs = found.run(executor=Serial())
    assert read_runs(found.folder) == runs and not left


@pytest.mark.slow
def test_a_cell_has_a_process_of_its_own(found):
    """It has found that there are no sentences."""
    del found.cells[1:]
    assert found.run(executor=Serial()) == []
    assert "dev.es: expected sentences" in found.failures[0].reason


def test_relative_paths_are_those_of_who_runs_it(found, tried, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    task = tuning.RunCell(Path("out"), Path("nowhere"))
    assert task(found.cells[0]).reason == "[Errno 2] No such file or directory: 'nowhere'"


def test_first_seeds_come_before_second_ones(tmp_path, found, tried):
    tried, _ = tried
    text = PLAN.replace('tuners = ["MERT", "MIRA"]', 'tuners = ["MERT", "MIRA"]\nseeds = [0, 1]')
    make_experiment(tmp_path, text).run(executor=Serial())
    second = [name.replace("seed0", "seed1") for name in (MERT, MIRA)]
    assert tried == [MERT, MIRA, PRO, *second]


def test_only_some_of_the_runs_and_what_they_start_from(found, tried):
    tried, _ = tried
    assert [run.cell for run in found.run(executor=Serial(), only=["*-PRO-*"])] == [MERT, PRO]
    assert tried == [MERT, PRO]
    tried.clear()
    with pytest.raises(InputError, match=rf"expected a pattern of the plan's runs \({MERT}, \.\.\.\), got"):
        found.run(executor=Serial(), only=["*-MIRA-*", "MIRA"])
    assert tried == []


def test_only_what_the_runs_need_is_prepared(tmp_path, found, tried, monkeypatch):
    made = []

    def prepare(folder, preparation):
        made.append(preparation.output)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / preparation.output).write_text("[X] ||| a ||| b\n")

    monkeypatch.setattr(experiment, "prepare", prepare)
    text = PLAN.replace(
        "[systems.base]", '[systems.base]\n[systems.more]\nfeatures = ["SoftSyntax -t {prepared}/b"]'
    )
    for name, words in (("a", ""), ("b", " {prepared}/a"), ("c", "")):
        text += f'[[prepare]]\noutput = "{name}"\ncommand = "hopefear list{words} {{output}}"\n'
    found = make_experiment(tmp_path, text.replace("tuners = [", 'systems = ["base", "more"]\ntuners = ['))
    found.run(executor=Serial(), only=["base-MIRA-*"])
    assert made == []
    found.run(executor=Serial(), only=["more-MIRA-*"])
    assert made == ["a", "b"]
    found.run(executor=Serial())
    assert made == ["a", "b", "a", "b", "c"]


def test_what_is_prepared_inside_another_output_is_found_from_the_set(tmp_path, found, tried, monkeypatch):
    made = []

    def prepare(folder, preparation):
        made.append(preparation.output)
        output = folder / preparation.output
        if output.name == "system":
            output.mkdir(parents=True)
            (output / "cdec.ini").write_text("formalism=scfg\n")
        else:
            output.write_text("[X] ||| a ||| b\n")

    monkeypatch.setattr(experiment, "prepare", prepare)
    text = PLAN.replace("[systems.base]", '[systems.base]\nfeatures = ["SoftSyntax -t table"]')
    for output, words in (("system", ""), ("system/table", " {prepared}/system"), ("system/other", "")):
        text += f'[[prepare]]\noutput = "{output}"\ncommand = "hopefear list{words} {{output}}"\n'
    found = make_experiment(tmp_path, text.replace('"cdec.ini"', '"{prepared}/system/cdec.ini"'))
    found.run(executor=Serial(), only=["base-MIRA-*"])
    assert made == ["system", "system/table"]
