"""Tables of an experiment: mean, standard deviation and significance mark of groups of runs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

from msgspec.structs import replace

from hopefear.base import InputError
from hopefear.reports import MISSING, SIGNIFICANCE_TEST, BaselineTest, TableCell, TableData, TableRow, number

from ..plan import OF_A_RUN, ScoreTable
from ..results import Result
from .groups import groups, label, mean_over, not_found, once_a_cell, select, separating, spoken
from .marks import Marks, jointly
from .parts import parts_of

DIFFERENCE = "difference"
"""The value of a table that shows differences from the baseline's score."""

_TEST_COLUMNS = ("tested_on", "signature")
"""Columns that identify a test of a tuning run."""

_COUNTS = {"size", "draw", "seed", "sentences", "features", "passes"}


def make_table(table: ScoreTable, runs: Sequence[Result], marks: Marks) -> TableData:
    """Make a table of runs."""
    chosen = select(runs, table.where)
    if table.sentences:
        chosen, marks = parts_of(chosen, table.sentences, marks)
        where = {name: values for name, values in table.where.items() if name != "tested_on"}
        table = replace(table, where=where)
    return _TableMaker(table, chosen, marks).make()


def shown_number(value: float, column: str = "score", *, signed: bool = False) -> str:
    """Write a number of a column: two decimals, none for counts."""
    decimals = 0 if column in _COUNTS and float(value).is_integer() else 2
    return number(value, signed=signed, decimals=decimals)


_Groups = dict[tuple[Any, ...], list[Result]]


class _TableMaker:
    def __init__(self, table: ScoreTable, runs: list[Result], marks: Marks) -> None:
        self.table, self.runs, self.marks = table, runs, marks
        self.scored = table.value in ("score", DIFFERENCE)
        named = (*table.rows, *table.columns)
        self.column_names = (*table.columns, *(separating(runs, named) if self.scored else ()))
        self.key_names = (*table.rows, *self.column_names)
        outside = [name for name in table.baseline if name not in self.key_names]
        if outside:
            raise InputError(
                f"table {table.title!r}: expected a baseline among its rows and columns "
                f"({', '.join(self.key_names)}), got one by {outside[0]}"
            )
        if table.value == DIFFERENCE and not table.baseline:
            raise InputError(f"table {table.title!r}: expected the baseline of its differences, got none")
        self.groups = groups(runs, self.key_names, table.where)
        self.pooled = self._pool(self.groups, self.key_names)
        self.groups |= self.pooled
        if not self.scored:
            self.groups = {key: once_a_cell(group) for key, group in self.groups.items()}
        self.most = max(
            (len(group) for key, group in self.groups.items() if key not in self.pooled), default=0
        )

    def _pool(self, groups: _Groups, names: Sequence[str]) -> _Groups:
        """Return the groups of all values of the column that the table pools; none if it pools none."""
        pooled: _Groups = {}
        for key, group in groups.items() if self.table.pooled else ():
            every = tuple(
                f"all {spoken(name)}s" if name == self.table.pooled else value
                for name, value in zip(names, key, strict=True)
            )
            pooled[every] = [*pooled.get(every, ()), *group]
        return pooled

    def make(self) -> TableData:
        compared = {key: self._compare(key) for key in self.groups}
        tests = {key: found for key, found in compared.items() if found}
        learned = {key: tests.pop(key) for key in [*tests] if self._learned(key)}
        self.compared, self.comparisons = len(tests), {**jointly(tests), **jointly(learned)}
        rows, paper = groups(self.runs, self.table.rows, self.table.where), self.table.paper
        rows |= self._pool(rows, self.table.rows)
        columns = groups(self.runs, self.column_names, self.table.where)
        made = tuple(
            TableRow(
                labels=tuple(map(str, row)),
                extra=(*self._paper(row), *(self._extra(name, own) for name in self.table.extra)),
                cells=tuple(self._cell((*row, *column)) for column in columns),
            )
            for row, own in rows.items()
        )
        return TableData(
            title=self.table.title,
            row_names=tuple(map(spoken, self.table.rows)),
            extra_names=(*(paper.columns if paper else ()), *map(spoken, self.table.extra)),
            columns=tuple(map(self._column_labels, columns)),
            rows=made,
            key=tuple(self._key([cell for row in made for cell in row.cells])),
            note=self.table.note,
        )

    def _column_labels(self, key: tuple[Any, ...]) -> tuple[str, ...]:
        labels = tuple(label(name, value) for name, value in zip(self.column_names, key, strict=True))
        return labels or (self._what(),)

    def _paper(self, row: tuple[Any, ...]) -> tuple[str, ...]:
        """Return the paper's numbers of a row."""
        paper = self.table.paper
        if paper is None:
            return ()
        return paper.rows.get(", ".join(map(str, row)), (MISSING,) * len(paper.columns))

    def _extra(self, name: str, runs: list[Result]) -> str:
        return shown_number(fmean(getattr(run, name) for run in once_a_cell(runs)), name)

    def _cell(self, key: tuple[Any, ...]) -> TableCell | None:
        runs = self.groups.get(key)
        if runs is None:
            return None
        baseline = self._baseline(key)
        difference = self.table.value == DIFFERENCE and key != self._baseline_key(key)
        if difference and baseline is None:
            return None
        column = "score" if self.table.value == DIFFERENCE else self.table.value
        values = [float(getattr(run, column)) for run in runs]
        paired = True
        if difference and baseline is not None:
            origins = self._paired(runs, baseline)
            paired = origins is not None
            origins = origins or [fmean(run.score for run in baseline)] * len(runs)
            values = [value - origin for value, origin in zip(values, origins, strict=True)]
        mean, deviation = fmean(values), stdev(values) if paired and len(values) > 1 else None
        compared = self.comparisons.get(key)
        around = "" if deviation is None else f"± {number(deviation)}"
        if key in self.pooled:
            delta = compared.over_runs.delta if compared and compared.over_runs else None
            ends = () if delta is None else (number(end, signed=True) for end in (delta.lower, delta.upper))
            around = f"[{', '.join(ends)}]" if delta else ""
        parts = (
            shown_number(mean, column, signed=difference),
            around,
            compared.mark if compared else "",
            f"({len(runs)})" if len(runs) < self.most else "",
        )
        tests = {run.tested_on for run in runs}
        return TableCell(
            *(mean, deviation, tuple(values), compared, parts),
            runs=tuple(run.cell for run in runs),
            against=tuple(run.cell for run in baseline or ()),
            tested_on=tests.pop() if self.scored and len(tests) == 1 else "",
        )

    def _paired(self, runs: list[Result], baseline: list[Result]) -> list[float] | None:
        """Return the score of each run's partner in the baseline; None if some run has no partner."""
        if len(baseline) == 1:
            return [baseline[0].score] * len(runs)
        columns = [name for name in (*OF_A_RUN, *_TEST_COLUMNS) if name not in self.table.baseline]
        partners = {tuple(getattr(run, name) for name in columns): run.score for run in baseline}
        scores = [partners.get(tuple(getattr(run, name) for name in columns)) for run in runs]
        found = [score for score in scores if score is not None]
        return found if len(runs) == len(baseline) == len(partners) == len(found) else None

    def _baseline_key(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            self.table.baseline.get(name, value) for name, value in zip(self.key_names, key, strict=True)
        )

    def _baseline(self, key: tuple[Any, ...]) -> list[Result] | None:
        """Return the runs that those of a cell are compared with, None if there are none."""
        baseline = self._baseline_key(key)
        return self.groups.get(baseline) if self.table.baseline and key != baseline else None

    def _compare(self, key: tuple[Any, ...]) -> BaselineTest | None:
        baseline = self._baseline(key)
        if not self.scored or not baseline:
            return None
        runs = self.groups[key]
        paired = key in self.pooled and len(runs) > 1 and self._paired(runs, baseline) is not None
        return self.marks.compare(baseline, runs, paired=paired)

    def _learned(self, key: tuple[Any, ...]) -> bool:
        """Tell whether a cell shows the sentences learned from: its comparison is not one of the tests."""
        return all(map(self.marks.learned_from, self.groups[key]))

    def _test(self) -> str:
        many = f", adjusted for {self.compared} comparisons by Holm's method" if self.compared > 1 else ""
        return SIGNIFICANCE_TEST + many

    def _what(self) -> str:
        """Name the quantity that the numbers show."""
        if not self.scored:
            return spoken(self.table.value)
        return " and ".join(dict.fromkeys(run.metric for run in self.runs))

    def _key(self, cells: list[TableCell | None]) -> list[str]:
        key = []
        present = [cell for cell in cells if cell is not None]
        if self.most == 1:
            key.append(f"{self._what()} of one run each.")
        elif self.most > 1:
            over = ", ".join(mean_over(self.groups.values()))
            fewer = "; (n): of n runs only" if any(len(g) < self.most for g in self.groups.values()) else ""
            key.append(f"{self._what()}, mean ± standard deviation of {self.most} runs ({over}){fewer}.")
        if self.scored:
            worse = {r.metric for r in self.runs if not self.marks.metric(r).higher_is_better}
            key += [f"{name}: lower is better." for name in sorted(worse)]
        baseline = ", ".join(label(name, value) for name, value in self.table.baseline.items())
        if self.table.value == DIFFERENCE:
            key.append(
                f"Differences from {baseline}, whose own score is shown; ± of paired runs' differences."
            )
        if self.pooled and self.table.baseline:
            key.append(f"In square brackets: 95 % interval of the paired difference from {baseline}.")
        if any(cell.significance for cell in present):
            key.append(
                f"Significantly better than {baseline}: + (p < 0.05) or ++ (p < 0.01); significantly worse: "
                f"− or −−; {self._test()}."
            )
        if any(cell.mark.startswith("(") for cell in present):
            key.append("In brackets: not significant (p ≥ 0.05) if runs count as a sample, as sentences do.")
        if None in cells:
            key.append(f"{MISSING}: no run.")
        missing = not_found(self.runs, self.table.where)
        missing += not_found(self.runs, {name: (value,) for name, value in self.table.baseline.items()})
        if missing:
            key.append(f"No run yet: {', '.join(dict.fromkeys(missing))}.")
        return key
