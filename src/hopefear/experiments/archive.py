"""The finished runs of a plan in one compressed file, of which its tables and pictures can be made."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.texts import split_lines
from hopefear.base.unpacking import unpacked
from hopefear.tuners.contract import RunFiles

from .analysis.corpora import CorpusTables
from .cell_file import checked, read_facts, write_facts
from .plan import PREPARED, Cell, find_plan, read_plan, settings_text
from .runs import CELLS, WEIGHTS, Experiment

ARCHIVE = "runs.tar.xz"

DATA = Path("/{data}")
"""Stands for the data folder in the settings of archived runs."""

PLAN = "plan.json"
"""The file of the archive that names the plan and its size."""


class Results(NamedTuple):
    """The results of a plan."""

    experiment: Experiment
    quick: bool


@contextmanager
def opened(name: str, folder: Path, *, data: Path | None = None, quick: bool = False) -> Iterator[Results]:
    """Open the results of a plan: a folder of results, or a folder that `export` made."""
    archive = folder / ARCHIVE
    if not archive.is_file():
        yield Results(Experiment(read_plan(find_plan(name), folder, data=data, quick=quick), folder), quick)
        return
    with TemporaryDirectory() as place:
        results = Path(place)
        quick = _unpack(archive, name, results)
        found = Experiment(read_plan(find_plan(name), results, data=DATA, quick=quick), results)
        if strays := _strays(found):
            what = f"{len(strays)} runs have other settings than those of the plan, such as {strays[0]}"
            raise InputError(f"{what}: run and export them again", path=archive)
        yield Results(found, quick)


def export(name: str, folder: Path, to: Path, *, data: Path | None = None, quick: bool = False) -> int:
    """Write the finished runs of a plan to an archive, beside those that the archive has.

    Runs of the archive stay that have the plan's settings and are not in the folder, and so do numbers of
    corpora that are not there now. The archive has of each run its settings, without the data folder's path,
    its rows, its log and the statistics of each sentence of its test sets; no translations, and only
    the weights that other runs start from. The same runs give the same archive.
    """
    archive = to / Path(name).stem / ARCHIVE
    found = Experiment(read_plan(find_plan(name), folder, data=data, quick=quick), folder)
    with TemporaryDirectory() as place:
        stage = Path(place)
        if archive.is_file() and _unpack(archive, name, stage) != quick:
            raise InputError(f"expected runs {'without' if quick else 'with'} --quick", path=archive)
        portable = Experiment(read_plan(find_plan(name), stage, data=DATA, quick=quick), stage)
        for old in _strays(portable):
            shutil.rmtree(stage / CELLS / old)
        cells = {cell.name: cell for cell in portable.cells}
        starts = {cell.start for cell in portable.cells}
        for run in dict.fromkeys(run.cell for run in found.finished()):
            _copy(folder / CELLS / run, stage, cells[run], weights=run in starts)
        runs = portable.finished()
        if not runs:
            raise InputError("expected finished runs of the plan, got none", path=folder)
        CorpusTables(stage, portable.plan).write(CorpusTables(folder, found.plan))
        (stage / PLAN).write_text(json.dumps({"plan": Path(name).stem, "quick": quick}) + "\n", "utf-8")
        _pack(stage, archive)
    return len({run.cell for run in runs})


def take_over(
    name: str, folder: Path, archives: Path, *, data: Path | None = None, quick: bool = False
) -> int:
    """Copy the runs of the plan's archive that are not in the folder, where they count as finished.

    A run whose weights others start from is left out if the archive does not have its weights.
    """
    archive = archives / Path(name).stem / ARCHIVE
    found = Experiment(read_plan(find_plan(name), folder, data=data, quick=quick), folder)
    missing = {cell.name: cell for cell in found.cells}
    for row in found.finished():
        missing.pop(row.cell, None)
    starts = {cell.start for cell in found.cells}
    with TemporaryDirectory() as place:
        stage = Path(place)
        if _unpack(archive, name, stage) != quick:
            raise InputError(f"expected runs {'with' if quick else 'without'} --quick", path=archive)
        kept = Experiment(read_plan(find_plan(name), stage, data=DATA, quick=quick), stage).finished()
        copied = [run for run in dict.fromkeys(run.cell for run in kept) if run in missing]
        copied = [run for run in copied if run not in starts or (stage / CELLS / run / WEIGHTS).exists()]
        for run in copied:
            _copy(stage / CELLS / run, folder, missing[run])
    return len(copied)


def _strays(experiment: Experiment) -> list[str]:
    """Name the runs in the folder that are none of the plan's finished runs."""
    finished = {run.cell for run in experiment.finished()}
    return sorted({path.name for path in (experiment.folder / CELLS).glob("*")} - finished)


def _copy(place: Path, folder: Path, cell: Cell, *, weights: bool = True) -> None:
    """Copy a finished run to another folder, with its weights if they are there."""
    facts, to = read_facts(place), folder / CELLS / cell.name
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    files = sorted({Path(run["statistics"]).name for run in facts["runs"]})
    if weights and WEIGHTS in facts["files"]:
        files.append(WEIGHTS)
    for file in files:
        shutil.copyfile(checked(place, file, facts), to / file)
    log = RunFiles(place).log
    if log.exists():
        lines = split_lines(log.read_text("utf-8"))
        kept = "".join(f"{line}\n" for line in lines if parse_json(line)["event"] == "pass")
        RunFiles(to).log.write_text(kept, "utf-8")
    settings = parse_json(settings_text(cell, folder / PREPARED))
    write_facts(to, {**facts, "fingerprint": cell.fingerprint(folder), "cell": settings}, files)


def _pack(stage: Path, archive: Path) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(archive) as beside, tarfile.open(beside, "w:xz", preset=9) as packed:
        for path in sorted(path for path in stage.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(path.relative_to(stage).as_posix())  # no owner, no time
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                packed.addfile(entry, file)


def _unpack(archive: Path, name: str, to: Path) -> bool:
    """Unpack an archive of a plan; return whether its runs have the plan's small size."""
    try:
        with unpacked(archive) as file, tarfile.open(fileobj=file, mode="r|") as packed:
            for entry in packed:
                path = (to / entry.name).resolve()
                # A sparse file may be of any size.
                if not entry.isfile() or entry.issparse() or not path.is_relative_to(to.resolve()):
                    raise ValueError(f"{entry.name}: expected a file of the archive's own")
                path.parent.mkdir(parents=True, exist_ok=True)
                content = packed.extractfile(entry)
                assert content is not None
                with path.open("wb") as file:
                    shutil.copyfileobj(content, file)
        facts = parse_json((to / PLAN).read_bytes())
        plan, quick = facts["plan"], bool(facts["quick"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, tarfile.TarError, LZMAError) as error:
        raise InputError(f"expected runs that were exported: {error}", path=archive) from None
    if plan != Path(name).stem:
        raise InputError(f"expected runs of the plan {Path(name).stem}, got those of {plan}", path=archive)
    return quick
