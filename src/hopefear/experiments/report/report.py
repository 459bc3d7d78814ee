"""The report of an experiment: tables and pictures, as Markdown and as one HTML page."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.web_page import page
from hopefear.metrics import create_metric
from hopefear.tuners import Candidates

from ..plan import ALL, Plan, Slices, Surface, cells_of
from ..results import Failure, Result, read_statistics
from .corpora import corpus_table
from .figures import draw_all_runs, draw_curve
from .groups import select
from .markdown import NO_RUNS, escaped, to_markdown
from .marks import Marks
from .missing_runs import MISSING_RUNS, missing_runs
from .pools import make_pool
from .run_view import RunView
from .slices import draw_slices
from .surfaces import draw_surface
from .tables import make_table
from .web_page import paragraphs, picture, table_html

REPORT = "report.md"
PAGE = "report.html"
FAILED = "Runs that failed"
ALL_CURVES = "All runs while tuning"

Of = TypeVar("Of", Surface, Slices)

_CLICK = "A click on a cell of a table, or Enter, opens its runs; the tooltip has the score of each."

_NOT_DONE = "The tables and pictures are of the other runs. Each line has the feature sets at its end."

_LIMIT = 3_000_000 - 1_000  # bytes of the page


def write_report(
    folder: Path,
    plan: Plan,
    runs: Sequence[Result],
    *,
    failures: Sequence[Failure] = (),
    command: str = "",
) -> None:
    """Write ``report.md`` with its pictures beside it, and ``report.html``, which holds everything.

    The same results give the same files. Missing runs leave gaps in tables; a picture without runs is
    replaced by its title and a note.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    plan : Plan
        The plan of the experiment.
    runs : sequence of Result
        All rows of the results.
    failures : sequence of Failure
        The tuning runs that failed; they are named with their reasons.
    command : str
        The command line that gives the same results; not shown if empty.

    Raises
    ------
    InputError
        The results lack what a table, curve or surface needs, or a file of the results is malformed.
    """
    _Report(folder, plan, runs, failures, command).write()


@dataclass(frozen=True)
class _Picture:
    title: str
    path: Path
    caption: str | None
    """None if there is no picture yet."""

    def markdown(self) -> str:
        if self.caption is None:
            return f"## {escaped(self.title)}\n\n{NO_RUNS}\n"
        title = escaped(self.title)
        return f"## {title}\n\n![{title}]({self.path.name})\n\n{escaped(self.caption)}\n"

    def html(self) -> str:
        if self.caption is None:
            return f"<h2>{escape(self.title)}</h2>\n{paragraphs(NO_RUNS)}"
        return picture(self.title, self.path.read_bytes(), self.caption)


class _Report:
    def __init__(
        self, folder: Path, plan: Plan, runs: Sequence[Result], failures: Sequence[Failure], command: str
    ) -> None:
        self.folder, self.plan, self.runs, self.command = folder, plan, runs, command
        self.failures = failures
        self.cells = {cell.name: cell for cell in cells_of(plan)}
        told = {run.cell for run in runs} | {failure.cell for failure in failures}
        self.missing = missing_runs(self.cells.values(), told)
        metrics = map(create_metric, plan.metrics)
        self.marks = Marks(
            statistics=cache(self._statistics),
            metrics={metric.signature(): metric for metric in metrics},
            test_set=cache(self._test_set),
        )

    def write(self) -> None:
        tables = [corpus_table(table, self.plan.sets) for table in self.plan.corpora]
        tables += [make_table(table, self.runs, self.marks) for table in self.plan.tables]
        pictures = self._pictures()
        facts = self._facts()
        markdown = [f"# {escaped(self.plan.title)}\n"]
        markdown += [f"{self.plan.about.strip()}\n"] if self.plan.about.strip() else []
        markdown.append("".join(f"- {name}: {', '.join(map(_code, values))}\n" for name, values in facts))
        if self.failures:
            failed = "".join(f"- `{one.cell}`: {escaped(one.reason)}\n" for one in self.failures)
            markdown.append(f"## {FAILED}\n\n{failed}")
        markdown += [f"## {escaped(table.title)}\n\n{to_markdown(table)}" for table in tables]
        markdown += [one.markdown() for one in pictures]
        if self.missing:
            lines = "".join(
                f"- {escaped(what)}: {escaped('; '.join(names))}\n" for what, names in self.missing
            )
            markdown.append(f"## {MISSING_RUNS}\n\n{_NOT_DONE}\n\n{lines}")
        html = [paragraphs(self.plan.about), '<div class="facts">']
        html += [f"<div>{escape(name)}: {', '.join(map(_code_html, values))}</div>" for name, values in facts]
        html.append("</div>")
        if self.failures:
            html += [f"<h2>{FAILED}</h2>", "<ul>"]
            html += [
                f"<li><code>{escape(one.cell)}</code>: {escape(one.reason)}</li>" for one in self.failures
            ]
            html.append("</ul>")
        if any(table.rows for table in tables):
            html.append(f'<p class="key">{_CLICK}</p>')
        html += [*map(table_html, tables), *(one.html() for one in pictures)]
        if self.missing:
            html += [f"<h2>{MISSING_RUNS}</h2>", paragraphs(_NOT_DONE), "<ul>"]
            html += [f"<li>{escape(what)}: {escape('; '.join(names))}</li>" for what, names in self.missing]
            html.append("</ul>")
        rest = len(page(self.plan.title, html).encode())
        html.append(self._run_view().html(_LIMIT - rest))
        for name, text in ((REPORT, "\n".join(markdown)), (PAGE, page(self.plan.title, html))):
            with written_whole(self.folder / name) as path:
                path.write_text(text, "utf-8")

    def _run_view(self) -> RunView:
        return RunView(self.folder, self.cells, self.runs, self.marks.test_set, self.plan.metrics[0])

    def _facts(self) -> list[tuple[str, list[str]]]:
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
            ("tested on", [f"{name} ({_range(counts)} sentences)" for name, counts in tested.items()]),
        ]
        return [(name, values) for name, values in facts if values]

    def _pictures(self) -> list[_Picture]:
        pictures: list[_Picture] = []

        def add(title: str, draw: Callable[[Path], str | None]) -> None:
            path = self.folder / _file_name(title, {one.path.name for one in pictures})
            caption = draw(path)
            if caption is None:
                path.unlink(missing_ok=True)  # of an earlier report
            pictures.append(_Picture(title, path, caption))

        if any(run.passes for run in self.runs):
            add(ALL_CURVES, partial(draw_all_runs, runs=self.runs, folder=self.folder))
        for curve in self.plan.curves:
            add(
                curve.title,
                partial(draw_curve, curve=curve, runs=self.runs, folder=self.folder, marks=self.marks),
            )
        for surface in self.plan.surfaces:
            add(surface.title, partial(self._draw_pool, draw=draw_surface, of=surface))
        for slices in self.plan.slices:
            add(slices.title, partial(self._draw_pool, draw=draw_slices, of=slices))
        return pictures

    def _draw_pool(self, path: Path, draw: Callable[[Path, Of, Candidates], str], of: Of) -> str | None:
        """Draw what depends on the translations of one run."""
        runs = select(self.runs, {**of.where, "tested_on": (of.tested_on,)})
        if not runs:
            return None
        pool = make_pool(self.folder, self.plan, runs[0])
        return f"{draw(path, of, pool)} Tuning run: {runs[0].cell}."

    def _statistics(self, run: Result) -> NDArray[np.float64]:
        try:
            return read_statistics(self.folder, run)
        except (OSError, ValueError) as error:
            raise InputError(
                f"expected statistics of sentences: {error}", path=self.folder / run.statistics
            ) from None

    def _test_set(self, run: Result) -> Hashable:
        """Identify the sentences that a run was tested on; the set learned from may be a part of a set."""
        cell = self.cells.get(run.cell)
        if cell is None or run.tested_on not in cell.tests:
            what = f"{run.cell}, tested on {run.tested_on}"
            raise InputError(f"expected results of the plan's runs, got {what}", path=self.folder)
        sentences = cell.tests[run.tested_on]
        whole = sentences != cell.tune or cell.size == ALL
        part = (ALL, 0) if whole else (cell.size, cell.draw)
        return (sentences.name, *part)


def _file_name(title: str, taken: set[str]) -> str:
    """Make a picture's file name from its title."""
    stem = re.sub(r"\W+", "-", title.lower()).strip("-") or "picture"
    names = (f"{stem}{'' if number == 1 else f'-{number}'}.png" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _range(counts: set[int]) -> str:
    return f"{min(counts):,}" if len(counts) == 1 else f"{min(counts):,} to {max(counts):,}"


def _code(text: str) -> str:
    return text if text.startswith("`") else escaped(text)


def _code_html(text: str) -> str:
    return f"<code>{escape(text.strip('`'))}</code>" if text.startswith("`") else escape(text)
