"""What a cell keeps, and when it is run again."""

from __future__ import annotations

import json
import multiprocessing
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from support.plans import experiment
from support.small_sample import small_sample
from support.waiting import wait_until

from hopefear.base import InputError
from hopefear.decoder import Segment, Weights
from hopefear.experiments import read_statistics
from hopefear.experiments.cell_file import write_facts
from hopefear.experiments.runs import tuning
from hopefear.plugins import FeatureTable, ListFeatures
from hopefear.tuners.contract import Record, RunFiles

HEAD = Path(__file__).with_suffix(".toml").read_text("utf-8")
RUN = '[[runs]]\ntune = ["dev"]\ntest = ["dev"]\nsizes = [5]\n'
ONE = f'{HEAD}{RUN}systems = ["rules"]\ntuners = ["FIRST"]\n'
CHAIN = (
    f'{ONE}{RUN}systems = ["base"]\ntuners = ["untuned"]\nstart = ["rules", "FIRST"]\n'
    f'{RUN}systems = ["base"]\ntuners = ["SECOND"]\nstart = ["base", "untuned"]\n'
)


def weights_of(found, cell):
    return (found.folder / "cells" / cell.name / "weights").read_text("utf-8")


def test_what_starts_from_a_run_is_done_again_with_it(tmp_path, in_this_process):
    experiment(tmp_path, CHAIN).run()
    again: list[str] = []
    found = experiment(tmp_path, CHAIN.replace('FIRST = "Mira passes=3', 'FIRST = "Mira passes=1'))

    def stop(cell, _):
        again.append(cell.name)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found.run(on_cell=stop)
    found.run(on_cell=lambda cell, _: again.append(cell.name))
    assert again == [cell.name for cell in found.cells]
    first, between, last = (weights_of(found, cell) for cell in found.cells)
    assert first == between != last
    found.run(on_cell=lambda cell, _: pytest.fail(cell.name))


class Listed(ListFeatures):
    """The length of a translation, in a list that the weights of a search find."""

    fires = ("Listed",)
    found: ClassVar[set[Path]] = set()

    def __init__(self, *, search_weights: Path) -> None:
        self.search_weights = search_weights

    def fire(self, translations: Sequence[str], segment: Segment) -> FeatureTable:
        self.found.add(self.search_weights)
        return FeatureTable.from_dense(self.fires, np.array([[float(len(each))] for each in translations]))


def test_a_feature_names_the_weights_that_a_run_starts_from(tmp_path, in_this_process):
    line = f"{__name__}:Listed --search-weights {{start}}"
    plan = ONE.replace("[tuners]", f'[systems.listed]\nfeatures = ["{line}"]\n\n[tuners]', 1)
    again = f'{RUN}systems = ["listed"]\ntuners = ["SECOND"]\n'
    found = experiment(tmp_path, f'{plan}{again}start = ["rules", "FIRST"]\n')
    found.run()
    assert Listed.found == {found.folder / "cells" / found.cells[0].name / "weights"}
    with pytest.raises(InputError, match=r"features: .*\{start\}: no such file"):
        experiment(tmp_path, plan + again).run()


def test_two_experiments_are_not_at_work_in_one_folder(tmp_path, in_this_process):
    found = experiment(tmp_path, ONE)
    second = experiment(tmp_path, ONE)

    def meet(cell, _):
        with pytest.raises(InputError, match="out: another experiment is using this folder"):
            second.run()

    assert found.run(on_cell=meet) == second.run()


def test_a_stop_between_checkpoint_and_log_costs_no_line(tmp_path, monkeypatch):
    (cell,) = (found := experiment(tmp_path, ONE)).cells
    real = RunFiles.add_pass

    def stop(files: RunFiles, record: Record) -> None:
        if record.pass_number == 2:
            raise KeyboardInterrupt
        real(files, record)

    monkeypatch.setattr(RunFiles, "add_pass", stop)
    with pytest.raises(KeyboardInterrupt):
        tuning.run_cell(found.folder, cell)
    monkeypatch.undo()
    tuning.run_cell(found.folder, cell)
    log = (found.folder / "cells" / cell.name / "log.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["pass_number"] for line in log] == [1, 2, 3]


def test_weights_say_how_features_were_selected(tmp_path, in_this_process):
    said = '# hopefear selection {"hash_bits": 20}\n'
    (tmp_path / "weights.init").write_text(said + (small_sample() / "weights.init").read_text("utf-8"))
    found = experiment(tmp_path, ONE.replace("{data}/weights.init", "weights.init"))
    found.run()
    written = Weights()
    written.read(found.folder / "cells" / found.cells[0].name / "weights")
    assert written.selection is not None and written.selection.hash_bits == 20
    assert any(name.startswith("H20#") for name, _ in written)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 2])
def test_what_is_ended_from_outside_is_tried_once_more(tmp_path, kills):
    found = experiment(tmp_path, ONE.replace("passes=3", "passes=20"))
    others = set(multiprocessing.active_children())

    def kill() -> None:
        wait_until(lambda: list(found.folder.glob("cells/*/log.jsonl")), "the log of a cell")
        killed: set[object] = set()

        def enough() -> bool:
            for process in set(multiprocessing.active_children()) - others - killed:
                process.kill()
                killed.add(process)
            return len(killed) >= kills

        wait_until(enough, "processes to kill")

    thread = threading.Thread(target=kill)
    thread.start()
    runs = found.run()
    thread.join()
    assert (len(runs), len(found.failures)) == ((1, 0) if kills == 1 else (0, 1))
    if kills == 1:
        assert runs[0].passes == 20
    else:
        assert found.failures[0].reason == "the process was ended by SIGKILL, perhaps for lack of memory"
    assert set(multiprocessing.active_children()) <= others


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"fingerprint": "FINGERPRINT", "runs": [{"cell": "c"}]}'])
def test_a_broken_cell_is_named(tmp_path, text):
    (cell,) = (found := experiment(tmp_path, ONE)).cells
    path = found.folder / "cells" / cell.name / "cell.json"
    path.parent.mkdir(parents=True)
    path.write_text(text.replace("FINGERPRINT", cell.fingerprint(tmp_path)))
    with pytest.raises(InputError, match="expected the results of a run") as caught:
        found.run()
    assert caught.value.path == str(path)
    other = replace(cell, seed=7).fingerprint(tmp_path)
    write_facts(path.parent, {"fingerprint": other, "runs": []})
    assert tuning.finished_runs(found.folder, cell) is None


def test_damaged_files_of_a_cell_are_named(tmp_path, in_this_process):
    again = f'{RUN}systems = ["rules"]\ntuners = ["untuned"]\nstart = ["base", "untuned"]\n'
    found = experiment(tmp_path, f'{HEAD}{RUN}systems = ["base"]\ntuners = ["untuned"]\n{again}')
    runs = found.run()
    first, second = (found.folder / "cells" / cell.name for cell in found.cells)

    def flip(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    statistics = first / "dev.1.npy"
    flip(statistics)
    message = "expected the content that was written, got a file with another checksum; remove "
    for read in (found.finished, found.run, lambda: read_statistics(found.folder, runs[0])):
        with pytest.raises(InputError, match=f"{message}the cell.json beside it to repeat the run") as caught:
            read()
        assert caught.value.path == str(statistics)
    (first / "cell.json").unlink()
    assert found.run() == runs
    facts = (second / "cell.json").read_text()
    (second / "cell.json").write_text(facts.replace('"size": 5', '"size": 6'))
    with pytest.raises(InputError, match=f"{message}the file to repeat the run") as caught:
        found.run()
    assert caught.value.path == str(second / "cell.json")
    (second / "cell.json").unlink()
    flip(first / "weights")
    assert [run.cell for run in found.run()] == [first.name]
    assert f"{first / 'weights'}: {message}" in found.failures[0].reason
