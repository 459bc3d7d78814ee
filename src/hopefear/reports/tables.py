"""Tables of an experiment, ready to be written: means, deviations and marks of groups of runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from hopefear.metrics import OverRuns

MISSING = "—"
NO_RUNS = "No runs yet."

TEST = "approximate randomisation"

LEVELS = ((0.01, 2), (0.05, 1))
"""Number of signs of the mark for p below each level."""


class BaselineTest(NamedTuple):
    """How sure it is that a system differs from the baseline."""

    better: bool
    p_value: float
    adjusted: float
    over_runs: OverRuns | None
    adjusted_over_runs: float

    @property
    def mark(self) -> str:
        """``++`` or ``+`` if the system is significantly better, ``−−`` or ``−`` if worse, else empty.

        In brackets where runs vary so much that other runs may not differ.
        """
        signs = next((count for level, count in LEVELS if self.adjusted < level), 0)
        mark = ("+" if self.better else "−") * signs
        return mark if not mark or self.adjusted_over_runs < LEVELS[-1][0] else f"({mark})"

    @property
    def text(self) -> str:
        """All p-values, in a sentence or two."""
        text = f"p = {self.p_value:.4f} ({TEST})"
        if self.adjusted != self.p_value:
            text += f", {self.adjusted:.4f} among all comparisons of the table"
        if self.over_runs is not None:
            delta, p_value = self.over_runs
            text += (
                f". Over other runs and sentences: {delta.value:+.2f} "
                f"[{delta.lower:+.2f}, {delta.upper:+.2f}], p = {p_value:.4f}"
            )
            if self.adjusted_over_runs != p_value:
                text += f", {self.adjusted_over_runs:.4f} among all comparisons of the table"
        return text.replace("-", "−") + "."


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell of a table: the runs with the same row and column."""

    mean: float
    deviation: float | None
    values: tuple[float, ...]
    significance: BaselineTest | None
    parts: tuple[str, str, str, str]
    runs: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    tested_on: str = ""

    @property
    def mark(self) -> str:
        """Whether the cell is significantly better or worse than the baseline; empty if neither."""
        return self.parts[2]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its labels, its extra columns as printed, and its cells, None for a cell without runs."""

    labels: tuple[str, ...]
    extra: tuple[str, ...]
    cells: tuple[TableCell | None, ...]


@dataclass(frozen=True, slots=True)
class TableData:
    """A table, ready to be written."""

    title: str
    row_names: tuple[str, ...]
    extra_names: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[TableRow, ...]
    key: tuple[str, ...]
    note: str

    @property
    def by_column(self) -> list[tuple[TableCell | None, ...]]:
        """The cells of each column."""
        return list(zip(*(row.cells for row in self.rows), strict=True))

    @property
    def labels(self) -> list[list[str | None]]:
        """The labels of each row; None for a label, except the last, that repeats the row above."""
        shown: list[list[str | None]] = []
        above: tuple[str, ...] = ()
        for row in self.rows:
            own = row.labels
            repeated = [end < len(own) and above[:end] == own[:end] for end in range(1, len(own) + 1)]
            shown.append([None if same else label for label, same in zip(own, repeated, strict=True)])
            above = own
        return shown

    @property
    def even(self) -> bool:
        """Whether all cells print the same parts after the mean."""
        cells = filter(None, chain.from_iterable(self.by_column))
        return len({(cell.deviation is None, *cell.parts[2:]) for cell in cells}) <= 1
