"""What the folders of runs and experiments say of their state."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.decoder import Weights
from hopefear.reports import START, RunChange, read_change, read_sessions
from hopefear.tuners.contract import LearningCurves, LearningLog, Now, RunFiles, Series, read_now

from ..cell_file import DONE
from ..grid import GRID, Grid, GridCell, read_grid
from ..results import RESULTS, read_failures, read_runs
from ..runs import CELLS

SILENT = 120
"""Seconds after which a run that says nothing may have died."""


@dataclass(frozen=True)
class RunState:
    """The state of a tuning run."""

    folder: Path
    status: str
    error: str
    tuner: str
    log: LearningLog
    now: Now | None
    points: list[str]
    paths: dict[str, Floats]
    change: RunChange | None

    @property
    def curves(self) -> LearningCurves:
        """The scores so far; the updates of the pass under way reach as far as the pass has come."""
        curves, now = self.log.curves(), self.now
        if curves.behind is None or now is None or not now.sentences:
            return curves
        share = now.position / now.sentences
        points = [
            point if point.x <= now.passes else point._replace(x=now.passes + (point.x - now.passes) * share)
            for point in curves.behind.points
        ]
        return replace(curves, behind=Series(curves.behind.name, points))

    @property
    def share(self) -> float | None:
        """How much of the run is done, from 0 to 1, if it says so."""
        return 1.0 if self.status == "finished" else None if self.now is None else self.now.share

    @property
    def is_running(self) -> bool:
        """Whether the run is under way."""
        return self.status == "running"

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes unless the run is resumed."""
        return self.status in ("finished", "stopped", "failed")


@dataclass(frozen=True)
class CellState:
    """The state of a run of an experiment: what its cell in the grid shows."""

    cell: GridCell
    status: str
    text: str


@dataclass(frozen=True)
class ExperimentState:
    """The state of an experiment."""

    folder: Path
    grid: Grid
    cells: list[CellState]
    running: list[RunState]

    @property
    def columns(self) -> list[str]:
        """The columns of the grid."""
        return list(dict.fromkeys(one.cell.column for one in self.cells))

    @property
    def rows(self) -> dict[str, dict[str, CellState]]:
        """The rows of the grid: their cells by column."""
        rows: dict[str, dict[str, CellState]] = {}
        for one in self.cells:
            rows.setdefault(one.cell.row, {})[one.cell.column] = one
        return rows

    @property
    def done(self) -> int:
        """The runs that are finished."""
        return sum(one.status == "finished" for one in self.cells)

    @property
    def left(self) -> float | None:
        """The seconds until all are done, if they take as long as those since the command began."""
        waiting = set(self.grid.waiting)
        own = [one for one in self.cells if one.cell.name in waiting]
        done = sum(one.status in ("finished", "failed") for one in own)
        return (time.time() - self.grid.began) / done * (len(own) - done) if done else None

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return bool(self.running)

    @property
    def is_over(self) -> bool:
        """Whether each run is finished or has failed."""
        return all(one.status in ("finished", "failed") for one in self.cells)


State = RunState | ExperimentState


def look_at_all(folders: Iterable[Path]) -> list[State]:
    """Look at folders; what is under way comes first."""
    states = [state for folder in folders for state in look(folder)]
    return sorted(states, key=lambda state: not state.is_running)


def look(folder: Path) -> Iterator[State]:
    """Look at a folder: an experiment, or a run and the run in its folder ``text``, which `train` makes."""
    if (folder / GRID).exists() or (folder / RESULTS).exists():
        yield _experiment(folder)
        return
    if (folder / "text" / "run.json").exists():
        yield _run(folder / "text")
    yield _run(folder)


def _run(folder: Path) -> RunState:
    files, now = RunFiles(folder), read_now(folder)
    status, error, tuner = _session(folder / "run.json")
    if status == "running" and _is_silent(folder, now):
        status = "silent"
    stages = {"start": folder / START, **_passes(files.folder)}
    known = {name: _read(path) for name, path in stages.items()}
    if now is not None:
        known["now"] = now.weights
    if status == "finished":
        known["end"] = _read(files.final)
    known = {name: weights for name, weights in known.items() if weights}
    names = [*now.weights] if now is not None and now.weights else {n for w in known.values() for n in w}
    paths = {name: np.array([weights.get(name, np.nan) for weights in known.values()]) for name in names}
    moved = sorted(paths, key=lambda name: (-np.ptp(np.nan_to_num(paths[name])), name))
    log = files.read_log() if files.log.is_file() else LearningLog(())
    change = read_change(folder) if status == "finished" else None
    return RunState(
        *(folder, status, error, tuner, log, now, [*known]), {name: paths[name] for name in moved[:8]}, change
    )


def _session(path: Path) -> tuple[str, str, str]:
    """Return status, error and tuner of the last command; what a cell has, which has no such file."""
    if not path.exists():
        begun = (path.parent / "log.jsonl").exists() or read_now(path.parent) is not None
        return ("running" if begun else "waiting"), "", ""
    session = read_sessions(path)[-1]
    return session.status, session.error, session.tuner.name


def _is_silent(folder: Path, now: Now | None) -> bool:
    """Tell whether nothing has changed in a folder for some time."""
    latest = max((path.stat().st_mtime for path in folder.iterdir()), default=0.0)
    return time.time() - max(latest, now.time if now else 0.0) > SILENT


def _passes(folder: Path) -> dict[str, Path]:
    """Return the weights after each pass, in order; of many passes, ten and the last."""
    numbers = sorted(
        int(path.name.removeprefix("weights.pass"))
        for path in folder.glob("weights.pass*")
        if path.name.removeprefix("weights.pass").isdigit()
    )
    step = -(-len(numbers) // 10) or 1
    chosen = {*numbers[::step], *numbers[-1:]}
    return {f"pass {number}": folder / f"weights.pass{number}" for number in sorted(chosen)}


def _read(path: Path) -> dict[str, float]:
    """Read weights, each file once; nothing if it is not there."""
    try:
        stat = path.stat()
        return _weights(path, stat.st_mtime_ns, stat.st_size)
    except (OSError, InputError):
        return {}


@lru_cache(200)
def _weights(path: Path, changed: int, size: int) -> dict[str, float]:
    weights = Weights()
    weights.read(path, may_be_empty=True)
    return weights.nonzero()


def _experiment(folder: Path) -> ExperimentState:
    grid = read_grid(folder)
    scores: dict[str, str] = {}
    has_results = (folder / RESULTS).exists()
    for row in reversed(read_runs(folder) if has_results else []):
        scores[row.cell] = f"{row.metric} {row.score:.2f}"
    failed = {one.cell: one.reason for one in read_failures(folder)} if has_results else {}
    cells, running = [], []
    for cell in grid.cells:
        place = folder / CELLS / cell.name
        if cell.name in failed and cell.name not in scores:
            cells.append(CellState(cell, "failed", failed[cell.name]))
        elif (place / DONE).exists():
            cells.append(CellState(cell, "finished", scores.get(cell.name, "done")))
        elif (now := read_now(place)) is not None:
            share = now.share
            cells.append(CellState(cell, "running", "running" if share is None else f"{100 * share:.0f} %"))
            running.append(_run(place))
        else:
            cells.append(CellState(cell, "waiting", ""))
    return ExperimentState(folder, grid, cells, running)
