"""The tuning runs of a plan, one cell each."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.hols import Hols, free_before_last

from .plan import ALL, Plan, PlanSystem, Preparation, Runs, SentenceSet, Start, TunerChoice
from .plan_file import PREPARED, settings_text


@dataclass(frozen=True, slots=True)
class Cell:
    """One tuning run and the sets that it is tested on."""

    name: str
    system: PlanSystem
    tuner: TunerChoice
    tune: SentenceSet
    size: int
    draw: int
    seed: int
    tests: dict[str, SentenceSet]
    development: SentenceSet | None
    start: str | None
    training: tuple[SentenceSet, ...]
    held_out: SentenceSet | None
    metrics: tuple[str, ...]
    preparations: tuple[Preparation, ...]
    last_stage: bool = False
    points: tuple[int, ...] = ()
    part: bool = False

    @property
    def sets(self) -> list[SentenceSet]:
        """What is learned from and tested on."""
        named = [self.tune, *self.tests.values(), *self.training, self.development, self.held_out]
        return [sentences for sentences in named if sentences is not None]

    def fingerprint(self, folder: Path) -> str:
        """Return a hash of all settings, which differs for a cell of the same name with other settings."""
        return _hash(self, folder)

    def stage(self, folder: Path) -> str | None:
        """Return the name of the state before the last line search; None if the cell shares none."""
        if not self.last_stage:
            return None
        tuner = make_tuner(self.tuner.line)
        assert isinstance(tuner, Hols), "a plan has a last stage only for such tuners"
        free = free_before_last(tuner)
        words = [word for word in shlex.split(self.tuner.line) if word.partition("=")[0] not in free]
        own = {"name", "seed", "tests", "metrics", "tuner"}
        settings = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in own}
        return _hash({**settings, "tuner": [words[0].lower(), *sorted(words[1:])]}, folder)


def _hash(settings: object, folder: Path) -> str:
    return hashlib.sha256(settings_text(settings, folder / PREPARED).encode()).hexdigest()


def cells_of(plan: Plan) -> list[Cell]:
    """Make the cells of a plan, each after the one that it starts from."""
    cells = [cell for runs in plan.runs for cell in _combine(plan, runs)]
    by_name: dict[str, Cell] = {}
    for cell in cells:
        if cell.name in by_name:
            raise InputError(f"the run {cell.name} is defined twice", path=plan.path)
        by_name[cell.name] = cell
    ordered: dict[str, Cell] = {}

    def place(cell: Cell, below: tuple[str, ...] = ()) -> None:
        if cell.name in ordered:
            return
        if cell.name in below:
            raise InputError(f"the run {cell.name} starts from itself", path=plan.path)
        if cell.start is not None:
            if cell.start not in by_name:
                raise InputError(
                    f"the run {cell.name} starts from {cell.start}: there is no such run", path=plan.path
                )
            place(by_name[cell.start], (*below, cell.name))
        ordered[cell.name] = cell

    for cell in cells:
        place(cell)
    found: dict[str, Cell] = {}
    for cell in ordered.values():
        needed = set(_needed(plan, cell))
        if cell.start is not None:
            needed.update(found[cell.start].preparations)
        preparations = tuple(one for one in plan.preparations if one in needed)
        found[cell.name] = replace(cell, preparations=preparations)
    return list(found.values())


def _needed(plan: Plan, cell: Cell) -> Iterator[Preparation]:
    """Go through the preparations whose outputs the cell, or a preparation that it needs, names."""
    named = [repr(cell)]
    named += [
        str(one.folder / word)
        for one in cell.sets
        for line in (*cell.system.features, cell.system.transformer or "")
        for word in split_words(line)
    ]
    for preparation in reversed(plan.preparations):
        output = str(plan.prepared / preparation.output)
        if any(output in text for text in named):
            named.append(repr(preparation.command))
            yield preparation


def _combine(plan: Plan, runs: Runs) -> Iterator[Cell]:
    largest = runs.largest()
    for system, tuner, tune, size, draw, seed in product(
        runs.systems, runs.tuners, runs.tune, runs.sizes, runs.draws, runs.seeds
    ):
        part = runs.nested and size != largest
        if (largest if part else size) == ALL and draw != runs.draws[0]:
            continue  # the same sentences again
        start = None if runs.start is None else _start(runs.start, tune, size, draw, seed)
        used = {name: plan.systems[system].translating(plan.sets[name]) for name in runs.sets}
        yield Cell(
            name=_name(system, tuner, tune, size, draw, seed),
            system=plan.systems[system],
            tuner=plan.tuners[tuner],
            tune=used[tune],
            size=size,
            draw=draw,
            seed=seed,
            tests={name: used[test] for name, test in runs.test.items()},
            development=None if runs.development is None else used[runs.development],
            start=_name(system, tuner, tune, largest, draw, seed) if part else start,
            training=tuple(used[name] for name in runs.training),
            held_out=None if runs.held_out is None else used[runs.held_out],
            metrics=plan.metrics,
            preparations=(),  # those of the plan come when all cells are known
            last_stage=runs.last_stage,
            points=tuple(sorted({*runs.sizes} - {size})) if runs.nested and not part else (),
            part=part,
        )


def _start(start: Start, tune: str, size: int, draw: int, seed: int) -> str:
    return _name(
        start.system,
        start.tuner,
        tune if start.tune is None else start.tune,
        size if start.size is None else start.size,
        draw if start.draw is None else start.draw,
        seed if start.seed is None else start.seed,
    )


def _name(system: str, tuner: str, tune: str, size: int, draw: int, seed: int) -> str:
    words = (system, tuner, tune, "all" if size == ALL else f"n{size}", f"draw{draw}", f"seed{seed}")
    return "-".join(re.sub(r"[^\w.+=]+", "_", word) for word in words)
