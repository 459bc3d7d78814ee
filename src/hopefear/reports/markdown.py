"""Tables as Markdown whose source is readable, too."""

from __future__ import annotations

import re

from .tables import MISSING, NO_RUNS, TableData


def to_markdown(table: TableData) -> str:
    """Write a table, then its key and its note; a label equal to the label above is left out."""
    below = "\n\n".join(filter(None, ("\n".join(map(escaped, table.key)), table.note)))
    if not table.rows:
        return f"{NO_RUNS}\n\n{below}".strip("\n") + "\n"
    names = [*table.row_names, *table.extra_names, *(", ".join(labels) for labels in table.columns)]
    labels, extras = len(table.row_names), len(table.extra_names)
    numbers = _numbers(table)
    lines = [list(map(escaped, names))]
    for row, own, printed in zip(table.rows, table.labels, numbers, strict=True):
        lines.append([*(escaped(label or "") for label in own), *row.extra, *printed])
    # Numbers that marks may follow line up only if the column is aligned to the left.
    sides = "<" * labels + ">" * extras + (">" if table.even else "<") * len(table.columns)
    rule = [":--" if side == "<" else "--:" for side in sides]
    return f"{_lined_up([lines[0], rule, *lines[1:]], sides)}\n\n{below}".strip("\n") + "\n"


def escaped(text: str) -> str:
    """Escape text for Markdown, in tables too."""
    return re.sub(r"([\\|*`\[]|<(?=\S))", r"\\\1", text)


def _lined_up(lines: list[list[str]], sides: str) -> str:
    """Write lines of cells with aligned columns; the second line is the rule between head and body."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines[1] = [rule.replace("--", "-" * (width - 1)) for rule, width in zip(lines[1], widths, strict=True)]
    rows = [zip(line, sides, widths, strict=True) for line in lines]
    return "\n".join(
        "| " + " | ".join(f"{text:{side}{width}}" for text, side, width in row) + " |" for row in rows
    )


def _numbers(table: TableData) -> list[list[str]]:
    """Return the cells of each row, with means, deviations and marks aligned in each column."""
    columns = []
    for cells in table.by_column:
        parts = [cell.parts if cell else (MISSING, "", "", "") for cell in cells]
        widths = [max(map(len, column)) for column in zip(*parts, strict=True)]
        padded = [
            [f"{text:{side}{width}}" for text, side, width in zip(own, "><<<", widths, strict=True) if width]
            for own in parts
        ]
        columns.append([" ".join(own) for own in padded])
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in table.rows]
