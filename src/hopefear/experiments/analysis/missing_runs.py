"""The runs of a plan that have no results yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..plan import ALL, Cell


class MissingRuns(NamedTuple):
    """Runs of one tuner on one set that are missing in the same repetitions."""

    what: str
    systems: tuple[str, ...]


def missing_runs(cells: Iterable[Cell], done: Iterable[str]) -> list[MissingRuns]:
    """List the cells that are not done, several in a line."""
    known = set(done)
    repetitions: dict[tuple[str, str, int], dict[str, list[Cell]]] = {}
    for cell in cells:
        if cell.name not in known:
            key = cell.tuner.name, cell.tune.name, cell.size
            repetitions.setdefault(key, {}).setdefault(cell.system.name, []).append(cell)
    lines: dict[str, list[str]] = {}
    for (tuner, tune, size), systems in repetitions.items():
        for system, missing in systems.items():
            parts = [tuner, tune, *([] if size == ALL else [f"{size:,} sentences"]), *_numbers(missing)]
            lines.setdefault(", ".join(parts), []).append(system)
    return [MissingRuns(what, tuple(systems)) for what, systems in lines.items()]


def _numbers(cells: Sequence[Cell]) -> list[str]:
    """Name the draws and the seeds of the cells; draws of a whole set say nothing."""
    seeds = sorted({cell.seed for cell in cells})
    draws = sorted({cell.draw for cell in cells if cell.size != ALL})
    return [
        f"{name}{'s' * (len(values) > 1)} {' and '.join(map(str, values))}"
        for name, values in (("draw", draws), ("seed", seeds))
        if values
    ]
