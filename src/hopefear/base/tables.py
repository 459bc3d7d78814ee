"""Tables for a terminal, a notebook, JSON and pandas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from hopefear.base import InputError

if TYPE_CHECKING:
    import pandas as pd

Cell = str | int | float | None
"""None is an empty cell."""

_SIGNS = "{:.5g}"

_LONG = 24  # letters of a text whose column has a width in a notebook


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under names of columns.

    `str` returns the table as text, and a notebook shows it as HTML.

    Attributes
    ----------
    columns : tuple of str
        The names of the columns, all different.
    rows : list of tuple
        A cell for each column.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.rows)

    def __str__(self) -> str:
        texts = [self.columns, *(tuple(map(_text, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        right = self._numbers()
        lines = (
            "  ".join(
                text.rjust(width) if number else text.ljust(width)
                for text, width, number in zip(row, widths, right, strict=True)
            )
            for row in texts
        )
        return "\n".join(line.rstrip(" ") for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        kinds = [' class="number" style="text-align: right"' if number else "" for number in self._numbers()]

        for column, number in enumerate(self._numbers()):
            longest = max((len(_text(row[column])) for row in self.rows), default=0)
            if not number and longest > _LONG:  # else a page with many columns breaks it into many lines
                kinds[column] = f' style="min-width: {min(longest, 60) // 2}em; white-space: normal"'

        def line(tag: str, cells: Sequence[str]) -> str:
            row = "".join(
                f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
            )
            return f"<tr>{row}</tr>"

        body = "".join(line("td", [_text(cell) for cell in row]) for row in self.rows)
        return f"<table><thead>{line('th', self.columns)}</thead><tbody>{body}</tbody></table>"

    def records(self) -> list[dict[str, Cell]]:
        """Return each row as a mapping from column to cell, as JSON can hold it."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a `pandas.DataFrame`."""
        return data_frame({name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)})

    def _numbers(self) -> list[bool]:
        """Return which columns have numbers only."""
        return [
            bool(self.rows) and all(not isinstance(row[i], str) for row in self.rows)
            for i in range(len(self.columns))
        ]


def plain(value: Any) -> Any:
    """Return what JSON can hold without digits that numbers of 32 bits cannot have: 1.4 for 1.399999976."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


def data_frame(columns: dict[str, Any]) -> pd.DataFrame:
    """Make a `pandas.DataFrame`."""
    try:
        import pandas as pd
    except ImportError:
        raise InputError("to_frame needs pandas: pip install pandas") from None
    return pd.DataFrame(columns)


def _text(cell: Cell) -> str:
    if cell is None:
        return ""
    return _SIGNS.format(cell) if isinstance(cell, float) else str(cell)
