"""What a report needs corpora and weights for, not only results: counted texts, error surfaces, slices."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.typed import from_json, to_json
from hopefear.reports import MeasuredSlices, MeasuredSurface, TableData

from .analysis.corpora import corpus_table
from .analysis.groups import select
from .analysis.pools import make_pool
from .analysis.slices import measure_slices
from .analysis.surfaces import measure_surface
from .cell_file import read_facts
from .plan import PREPARED, Cell, CorpusTable, Plan, Slices, Surface, settings_text
from .results import Result
from .runs import CELLS, WEIGHTS

MEASURED = "measured"
"""Name of the folder of what was measured, in that of the results."""

Of = Surface | Slices
Part = CorpusTable | Of
Measured = TableData | MeasuredSurface | MeasuredSlices

_KINDS: dict[type, Any] = {CorpusTable: TableData, Surface: MeasuredSurface, Slices: MeasuredSlices}

_OF = "of"
"""The name, among what is measured, of the hash of the settings that it was measured with."""


class MeasuredParts:
    """The parts of a plan that are measured, or were when the results were archived."""

    def __init__(self, folder: Path, plan: Plan, runs: Sequence[Result], cells: Mapping[str, Cell]) -> None:
        self.folder, self.plan, self.runs, self.cells = folder, plan, runs, cells
        self.all: list[Part] = [*plan.corpora, *plan.surfaces, *plan.slices]

    def write(self, source: MeasuredParts) -> None:
        """Write, in the folder `MEASURED` of the results, what needs corpora and weights, not only results.

        The report then needs neither. What was measured before of the same settings and of the same run stays
        where the source has not all that it takes to measure it; of other settings it is removed.
        """
        for own, theirs in zip(self.all, source.all, strict=True):
            path, kept = self.folder / MEASURED / self._key(own), self._kept(own)
            made = source._made(theirs) if source._run_names(theirs) == self._run_names(own) else None
            if kept is not None and (made is None or _lacks(made) > _lacks(kept)):
                continue
            if made is None:
                path.unlink(missing_ok=True)
                continue
            path.parent.mkdir(exist_ok=True)
            text = json.dumps({_OF: self._settings(own), **to_json(made)}, ensure_ascii=False)
            with written_whole(path) as beside:  # a message may name a file: not where the results were
                beside.write_text(text.replace(f"{source.folder.absolute()}/", ""), "utf-8")

    def measured(self, of: Part) -> Measured | None:
        """Return what was measured of a part of the plan, or measure it."""
        if not isinstance(of, CorpusTable) and not self.runs_of(of):
            return None
        kept = self._kept(of)
        return self._made(of) if kept is None else kept

    def _made(self, of: Part) -> Measured | None:
        """Measure a part of the plan; None where there is no such run, or not its weights."""
        if isinstance(of, CorpusTable):
            return corpus_table(of, self.plan.sets)
        runs = self.runs_of(of)
        if not runs or WEIGHTS not in read_facts(self.folder / CELLS / runs[0].cell)["files"]:
            return None  # an archive has no weights
        pool = make_pool(self.folder, self.plan, runs[0])
        return measure_surface(of, pool) if isinstance(of, Surface) else measure_slices(of, pool)

    def runs_of(self, of: Of) -> list[Result]:
        """Return the runs that a part of the plan may be measured of."""
        return select(self.runs, {**of.where, "tested_on": (of.tested_on,)})

    def _run_names(self, of: Part) -> list[str]:
        """Name the run that a part of the plan is measured of, if it is of one."""
        return [] if isinstance(of, CorpusTable) else [run.cell for run in self.runs_of(of)[:1]]

    def _settings(self, of: Part) -> str:
        """Return a hash of all that the measured numbers of a part of the plan depend on."""
        own = {name: value for name, value in asdict(of).items() if name not in ("title", "note", "where")}
        if isinstance(of, CorpusTable):
            others: list[object] = [self.plan.sets[name] for name in of.sets]
        else:
            runs = self.runs_of(of)[:1]
            others = [(self.cells[run.cell].fingerprint(self.folder), run.signature) for run in runs]
        text = settings_text([own, others], self.folder / PREPARED)
        return hashlib.sha256(text.encode()).hexdigest()

    def _kept(self, of: Part) -> Measured | None:
        """Read what `write_measured` wrote of the same settings, if it did."""
        path = self.folder / MEASURED / self._key(of)
        if not path.exists():
            return None
        try:
            saved = parse_json(path.read_bytes())
            if saved.pop(_OF, None) not in (None, self._settings(of)):  # earlier versions did not tell them
                return None
            found: Measured = from_json(_KINDS[type(of)], saved, path.name)
        except (ValueError, TypeError, AttributeError) as error:
            raise InputError(str(error), path=path) from None
        return found

    def _key(self, of: Part) -> str:
        """Name the file of what is measured of a part of the plan."""
        number = [one for one in self.all if type(one) is type(of)].index(of) + 1
        return f"{type(of).__name__.lower()}-{number}.json"


def _lacks(measured: Measured) -> int:
    """Count the corpora that a table lacks the numbers of, which it says below."""
    return len(measured.key) if isinstance(measured, TableData) else 0
