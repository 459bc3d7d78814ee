"""The report of an experiment: tables and pictures, as Markdown and as one HTML page."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.base.files import written_whole
from hopefear.base.loading import near
from hopefear.base.texts import BLANK
from hopefear.metrics import create_metric
from hopefear.reports import (
    NO_RUNS,
    TableData,
    escaped,
    experiment_page,
    picture_source,
    to_markdown,
)

from .analysis.claims import TITLE as CLAIMS
from .analysis.claims import claims_table, verdicts_line
from .analysis.corpora import CorpusTables
from .analysis.curves import draw_all_runs, draw_curve
from .analysis.marks import Marks
from .analysis.missing_runs import MissingRuns, missing_runs
from .analysis.tables import make_table
from .plan import ALL, Cell, Plan, SentenceSet, cells_of
from .results import FailedRun, Result, read_order, read_statistics
from .run_view import RunView

REPORT = "report.md"
PAGE = "report.html"
FAILED = "Runs that failed"
MISSING_RUNS = "Runs that are missing"
ALL_CURVES = "All runs while tuning"

Draw = Callable[[Path], str | None]
"""Draws a picture and returns its caption; None, and no picture, where there are no runs."""

Value = TypeVar("Value")

_NOT_DONE = "The tables and pictures are of the other runs. Each line has the feature sets at its end."

_LIMIT = 3_000_000 - 1_000  # bytes of the page


@dataclass(frozen=True)
class _Picture:
    title: str
    path: Path
    caption: str | None
    """None if there is no picture yet."""

    def markdown(self) -> str:
        return f"## {escaped(self.title)}\n\n{self.shown()}"

    def shown(self) -> str:
        if self.caption is None:
            return f"{NO_RUNS}\n"
        return f"![{escaped(self.title)}]({self.path.name})\n\n{escaped(self.caption)}\n"

    def source(self) -> dict[str, Any]:
        return picture_source(self.path)


@dataclass(frozen=True)
class ExperimentReport:
    """The tables and pictures of a plan's results."""

    folder: Path
    plan: Plan
    runs: Sequence[Result]
    failures: Sequence[FailedRun] = field(default=(), kw_only=True)
    command: str = field(default="", kw_only=True)

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The tuning runs of the plan by name."""
        return {cell.name: cell for cell in cells_of(self.plan)}

    @cached_property
    def missing(self) -> list[MissingRuns]:
        """The runs of the plan without results."""
        told = {run.cell for run in self.runs} | {failure.cell for failure in self.failures}
        return missing_runs(self.cells.values(), told)

    @cached_property
    def marks(self) -> Marks:
        """What compares runs."""
        return Marks(
            statistics=cache(self._statistics),
            metrics={metric.signature(): metric for metric in map(create_metric, self.plan.metrics)},
            test_set=cache(self._test_set),
            order=cache(partial(read_order, self.folder)),
            learned_from=cache(self._learned_from),
        )

    def tables(self) -> list[tuple[str, Callable[[], TableData]]]:
        """Return the title of each table of the plan, and what makes the table."""
        count = CorpusTables(self.folder, self.plan).table
        corpora = [(table.title, partial(count, table)) for table in self.plan.corpora]
        scores = [
            (table.title, partial(make_table, table, self.runs, self.marks)) for table in self.plan.tables
        ]
        claims = [(CLAIMS, partial(claims_table, self.plan.claims, self.runs, self.marks))]
        return [*(claims if self.plan.claims else ()), *corpora, *scores]

    def pictures(self) -> list[tuple[str, Draw]]:
        """Return the title of each picture, and what draws it."""
        found: list[tuple[str, Draw]] = []
        if any(run.passes for run in self.runs):
            found.append((ALL_CURVES, partial(draw_all_runs, runs=self.runs, folder=self.folder)))
        for curve in self.plan.curves:
            draw = partial(draw_curve, curve=curve, runs=self.runs, folder=self.folder, marks=self.marks)
            found.append((curve.title, draw))
        return found

    def table_markdown(self, title: str) -> str:
        """Return the first table with a title as Markdown, without the title."""
        return to_markdown(_titled(title, self.tables())())

    def verdicts_markdown(self, name: str) -> str:
        """Return the counts of the verdicts on the plan's claims, with a name of the plan."""
        return verdicts_line(name, self.plan.claims, self.runs, self.marks)

    def picture_markdown(self, title: str, folder: Path, prefix: str) -> str:
        """Draw the first picture with a title; return the Markdown that shows it, without the title."""
        draw = _titled(title, self.pictures())
        path = folder / f"{prefix}{_file_name(title, set())}"
        return _Picture(title, path, draw(path)).shown()

    def write(self) -> None:
        """Write ``report.md`` with its pictures beside it, and ``report.html``, which holds everything.

        The same results give the same files. Missing runs leave gaps in tables; a picture without runs is
        replaced by its title and a note.
        """
        tables, pictures = [make() for _, make in self.tables()], self._pictures()
        for name, text in ((REPORT, self._markdown(tables, pictures)), (PAGE, self._html(tables, pictures))):
            with written_whole(self.folder / name) as path:
                path.write_text(text, "utf-8")

    def _markdown(self, tables: Sequence[TableData], pictures: Sequence[_Picture]) -> str:
        parts = [f"# {escaped(self.plan.title)}\n"]
        parts += [f"{self.plan.about.strip(BLANK)}\n"] if self.plan.about.strip(BLANK) else []
        parts.append(self.facts_markdown())
        if self.failures:
            failed = "".join(f"- `{one.cell}`: {escaped(one.reason)}\n" for one in self.failures)
            parts.append(f"## {FAILED}\n\n{failed}")
        parts += [f"## {escaped(table.title)}\n\n{to_markdown(table)}" for table in tables]
        parts += [one.markdown() for one in pictures]
        if self.missing:
            parts.append(f"## {MISSING_RUNS}\n\n{_NOT_DONE}\n\n{self.missing_markdown()}")
        return "\n".join(parts)

    def _html(self, tables: Sequence[TableData], pictures: Sequence[_Picture]) -> str:
        shown = partial(
            experiment_page,
            self.plan.title,
            tables,
            about=self.plan.about,
            facts=self.facts(),
            failures=self.failures,
            runs=any(table.rows for table in tables),
            pictures=pictures,
            missing=self.missing,
            titles={"failed": FAILED, "missing": MISSING_RUNS, "not_done": _NOT_DONE},
        )
        return shown(dialog=self._run_view().html(_LIMIT - len(shown(dialog="").encode())))

    def _run_view(self) -> RunView:
        return RunView(self.folder, self.cells, self.runs, self.marks.test_set, self.plan.metrics[0])

    def missing_markdown(self) -> str:
        """Return a list of the runs that are missing, as Markdown."""
        return "".join(f"- {escaped(what)}: {escaped('; '.join(names))}\n" for what, names in self.missing)

    def facts_markdown(self) -> str:
        """Return the facts above all tables as Markdown."""
        return "".join(f"- {name}: {', '.join(map(_code, values))}\n" for name, values in self.facts())

    def facts(self) -> list[tuple[str, list[str]]]:
        """List the facts above all tables; commands and signatures are between backquotes."""
        done = len({run.cell for run in self.runs})
        tested: dict[str, set[int]] = {}
        for run in self.runs:
            tested.setdefault(run.tested_on, set()).add(run.sentences)
        count = str(done) if done == len(self.cells) else f"{done} of {len(self.cells)}"
        if self.failures:
            count += f", {len(self.failures)} failed"
        facts = [
            ("command", [f"`{self.command}`"] if self.command else []),
            ("metrics", [f"`{signature}`" for signature in self.marks.metrics]),
            ("tuning runs", [count]),
            ("seeds", [str(seed) for seed in sorted({run.seed for run in self.runs})]),
            ("tested on", [f"{name} ({_range(counts)} sentences)" for name, counts in tested.items()]),
        ]
        return [(name, values) for name, values in facts if values]

    def _pictures(self) -> list[_Picture]:
        pictures: list[_Picture] = []
        for title, draw in self.pictures():
            path = self.folder / _file_name(title, {one.path.name for one in pictures})
            caption = draw(path)
            if caption is None:
                path.unlink(missing_ok=True)  # of an earlier report
            pictures.append(_Picture(title, path, caption))
        return pictures

    def _statistics(self, run: Result) -> Floats:
        try:
            return read_statistics(self.folder, run)
        except (OSError, ValueError) as error:
            raise InputError(
                f"expected statistics of sentences: {error}", path=self.folder / run.statistics
            ) from None

    def _tested(self, run: Result) -> tuple[Cell, SentenceSet]:
        cell = self.cells.get(run.cell)
        if cell is None or run.tested_on not in cell.tests:
            what = f"{run.cell}, tested on {run.tested_on}"
            raise InputError(f"expected results of the plan's runs, got {what}", path=self.folder)
        return cell, cell.tests[run.tested_on]

    def _learned_from(self, run: Result) -> bool:
        cell, sentences = self._tested(run)
        return (sentences.source, sentences.lines) == (cell.tune.source, cell.tune.lines)

    def _test_set(self, run: Result) -> Hashable:
        """Identify the sentences that a run was tested on, whatever system translates them."""
        cell, sentences = self._tested(run)
        whole = sentences != cell.tune or cell.size == ALL
        part = (ALL, 0) if whole else (cell.size, cell.draw)
        return (sentences.source, sentences.references, sentences.lines, sentences.sample, *part)


def _file_name(title: str, taken: set[str]) -> str:
    """Make a picture's file name from its title."""
    stem = re.sub(r"\W+", "-", title.lower()).strip("-") or "picture"
    names = (f"{stem}{'' if number == 1 else f'-{number}'}.png" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _titled(title: str, known: Sequence[tuple[str, Value]]) -> Value:
    """Return the first value with a title."""
    for own, value in known:
        if own == title:
            return value
    raise ValueError(f"{title}: unknown, {near(title, [own for own, _ in known])}")


def _range(counts: set[int]) -> str:
    return f"{min(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"


def _code(text: str) -> str:
    return text if text.startswith("`") else escaped(text)
