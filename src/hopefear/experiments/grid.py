"""``grid.json``: the runs that an experiment is to do, for those who watch it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.typed import from_json

from .plan import ALL, Cell

GRID = "grid.json"
"""The name of the file in the folder of the results."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """A run: its name, its row (feature set and tuner) and its column (sentences and repetition)."""

    name: str
    row: str
    column: str

    @classmethod
    def of(cls, cell: Cell) -> GridCell:
        """Place a run."""
        part = [] if cell.size == ALL else [f"{cell.size:,} sentences", f"draw {cell.draw}"]
        column = ", ".join([cell.tune.name, *part, f"seed {cell.seed}"])
        return cls(cell.name, f"{cell.system.name}, {cell.tuner.name}", column)


@dataclass(frozen=True, slots=True)
class Grid:
    """What an experiment is to do."""

    title: str
    began: float
    waiting: list[str]
    cells: list[GridCell]


def write_grid(folder: Path, title: str, cells: Iterable[Cell], waiting: Iterable[Cell]) -> None:
    """Write the file."""
    grid = Grid(title, time.time(), [cell.name for cell in waiting], [GridCell.of(cell) for cell in cells])
    with written_whole(folder / GRID) as path:
        path.write_text(json.dumps(asdict(grid), ensure_ascii=False) + "\n", "utf-8")


def read_grid(folder: Path) -> Grid:
    """Read the file."""
    path = folder / GRID
    try:
        found: Grid = from_json(Grid, parse_json(path.read_text("utf-8")), "grid")
        return found
    except (OSError, ValueError) as error:
        raise InputError(f"expected the runs of an experiment: {error}", path=path) from None
