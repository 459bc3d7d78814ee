"""Archives of runs: tables and pictures without corpora and weights."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from support.plans import cells_here, experiment, finished
from support.small_sample import small_sample

from hopefear.base import InputError
from hopefear.experiments import ExperimentReport, export, opened, read_statistics, take_over

PLAN = Path(__file__).with_suffix(".toml").read_text("utf-8")

PICTURES = ("all-runs-while-tuning.png", "curve.png")


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    found, runs = finished(folder, PLAN)
    ExperimentReport(found.folder, found.plan, runs).write()
    return found, folder / "plan.toml"


@pytest.fixture
def exported(done, tmp_path) -> Path:
    found, plan = done
    assert export(str(plan), found.folder, tmp_path / "data", data=small_sample()) == 4
    return tmp_path / "data" / "plan"


def refused(message: str) -> Any:
    return pytest.raises(InputError, match=message)


def drawn(path: Path) -> str:
    with Image.open(path) as image:
        return image.info["Description"]


def test_the_report_needs_only_the_archive(done, exported, tmp_path):
    found, plan = done
    with opened(str(plan), exported) as (results, quick):
        assert not quick and not (results.folder / "cells" / found.cells[0].name / "weights").exists()
        for run in results.finished():
            ours, theirs = (read_statistics(folder, run) for folder in (results.folder, found.folder))
            assert ours.tolist() == theirs.tolist()
        report = ExperimentReport(results.folder, results.plan, results.finished())
        tables = [report.table_markdown(title) for title in ("Data", "Scores")]
        shown = [report.picture_markdown("Curve", tmp_path, "")]
        report.picture_markdown("All runs while tuning", tmp_path, "")
        pictures = [drawn(tmp_path / name) for name in PICTURES]
    text = (found.folder / "report.md").read_text("utf-8")
    assert all(part in text for part in (*tables, *shown))
    assert pictures == [drawn(found.folder / name) for name in PICTURES]
    assert len(set(pictures)) == len(pictures)
    assert "31.5 ± 0.2" in text and str(small_sample()) not in text


def test_the_same_runs_give_the_same_archive(done, exported, tmp_path):
    found, plan = done
    export(str(plan), found.folder, tmp_path / "again", data=small_sample())
    again = tmp_path / "again" / "plan" / "runs.tar.xz"
    assert again.read_bytes() == (exported / "runs.tar.xz").read_bytes()
    with tarfile.open(again) as packed:
        names = packed.getnames()
        (cell,) = [name for name in names if "MERT" in name and "n5" in name and name.endswith("cell.json")]
        content = packed.extractfile(cell).read().decode()
    assert '"version"' in content and '"seed": 0' in content
    assert str(small_sample()) not in content and str(found.folder) not in content


def test_runs_of_two_folders_are_together(done, tmp_path):
    found, plan = done
    to = tmp_path / "data"
    for half in (0, 1):
        part = tmp_path / f"part{half}"
        for cell in found.cells[half::2]:
            shutil.copytree(found.folder / "cells" / cell.name, part / "cells" / cell.name)
        assert export(str(plan), part, to, data=small_sample()) == (2, 4)[half]
    with opened(str(plan), to / "plan") as (results, _):
        assert [run.score for run in results.finished()] == [run.score for run in found.finished()]


STARTS = PLAN.replace(
    "sizes = [5, 10]",
    'tuners = ["MERT"]\nsizes = [5]\n\n[[runs]]\ntuners = ["untuned"]\ntune = ["dev"]\ntest = ["test"]\n'
    'sizes = [5]\nstart = ["base", "MERT"]',
)


def test_a_folder_takes_over_runs_and_goes_on_from_their_weights(tmp_path):
    found, runs = finished(tmp_path / "first", STARTS)
    plan, to = str(tmp_path / "first" / "plan.toml"), tmp_path / "data"
    first, second = found.cells
    shutil.copytree(found.folder / "cells" / first.name, tmp_path / "part" / "cells" / first.name)
    assert export(plan, tmp_path / "part", to, data=small_sample()) == 1
    again = experiment(tmp_path / "second", STARTS)
    assert take_over(plan, again.folder, to, data=small_sample()) == 1
    assert take_over(plan, again.folder, to, data=small_sample()) == 0
    done: list[str] = []
    with cells_here():
        scores = [run.score for run in again.run(on_cell=lambda cell, _: done.append(cell.name))]
    assert done == [second.name] and scores == [run.score for run in runs]


def test_runs_that_were_taken_over_without_weights_are_in_the_page(exported, done, tmp_path):
    plan = str(done[1])
    again = experiment(tmp_path / "again", PLAN)
    assert take_over(plan, again.folder, exported.parent, data=small_sample()) == 4
    runs = again.finished()
    ExperimentReport(again.folder, again.plan, runs).write()
    page = (again.folder / "report.html").read_text("utf-8")
    assert all(run.cell in page for run in runs)


def test_runs_with_other_settings_are_refused_and_replaced(done, exported, tmp_path):
    found, plan = done
    changed = tmp_path / "plan.toml"
    changed.write_text(plan.read_text("utf-8").replace("restarts=1", "restarts=2"), "utf-8")
    with (
        refused("2 runs have other settings than those of the plan, such as b"),
        opened(str(changed), exported),
    ):
        pass
    assert export(str(changed), found.folder, exported.parent, data=small_sample()) == 2
    with opened(str(changed), exported) as (results, _):
        assert {run.tuner for run in results.finished()} == {"untuned"}


def test_numbers_of_corpora_outlive_an_export_without_the_corpora(done, exported, tmp_path):
    found, plan = done
    export(str(plan), found.folder, exported.parent, data=tmp_path / "nowhere")
    with opened(str(plan), exported) as (results, _):
        table = ExperimentReport(results.folder, results.plan, results.finished()).table_markdown("Data")
    assert table == ExperimentReport(found.folder, found.plan, found.finished()).table_markdown("Data")
    other = tmp_path / "plan.toml"
    other.write_text(plan.read_text("utf-8").replace('sets = ["dev", "test"]', 'sets = ["test"]'), "utf-8")
    export(str(other), found.folder, exported.parent, data=tmp_path / "nowhere")
    with opened(str(other), exported) as (results, _):
        table = ExperimentReport(results.folder, results.plan, results.finished()).table_markdown("Data")
    assert "—" in table and "cannot be read" in table


def test_what_is_no_archive_of_the_plan_is_refused(done, exported, tmp_path):
    plan = done[1]
    other = tmp_path / "other.toml"
    shutil.copy(plan, other)
    with refused("expected runs of the plan other, got those of plan"), opened(str(other), exported):
        pass
    (exported / "runs.tar.xz").write_bytes((exported / "runs.tar.xz").read_bytes()[:-200])
    with refused("expected runs that were exported"), opened(str(plan), exported):
        pass
    with refused("expected finished runs of the plan, got none"):
        export(str(plan), tmp_path / "empty", tmp_path / "none", data=small_sample())


def test_an_archive_writes_only_into_its_own_folder(done, exported, tmp_path):
    _, plan = done
    with tarfile.open(exported / "runs.tar.xz", "w:xz") as packed:
        packed.add(plan, "../outside")
    with refused(r"\.\./outside: expected a file of the archive's own"), opened(str(plan), exported):
        pass
