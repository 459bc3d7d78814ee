"""The report of an experiment as one HTML page that needs no other file and no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from markupsafe import Markup

from .figures import DPI
from .pages import page, render
from .tables import TableCell, TableData


def experiment_page(title: str, tables: Iterable[TableData], **values: Any) -> str:
    """Return the page; the values are those that its template names."""
    return page("experiment.html", title, tables=[table_html(table) for table in tables], **values)


def table_html(table: TableData) -> Markup:
    """Return a table with its heading, key and note."""
    return render("result_table.html", table=table, head=_head(table), body=_body(table))


def picture_source(path: Path) -> dict[str, Any]:
    """Return the attributes of an image that is embedded in the page."""
    png = path.read_bytes()
    width = int.from_bytes(png[16:20], "big") * 96 // DPI  # a PNG's header begins with the width
    return {"src": f"data:image/png;base64,{b64encode(png).decode()}", "width": width}


def _head(table: TableData) -> list[list[tuple[str, dict[str, Any]]]]:
    """Return lines of texts with the attributes of their cells."""
    depth = len(table.columns[0]) if table.columns else 1
    lines: list[list[tuple[str, dict[str, Any]]]] = []
    for level in range(depth):
        cells: list[tuple[str, dict[str, Any]]] = []
        if level == 0:
            cells += [(name, {"rowspan": depth}) for name in table.row_names]
            cells += [(name, {"rowspan": depth, "class": "extra"}) for name in table.extra_names]
        for labels, group in groupby(table.columns, key=lambda column: column[: level + 1]):
            span = {"class": "over", "colspan": len(list(group))}
            cells.append((labels[-1], span if level < depth - 1 else {}))
        lines.append(cells)
    return lines


def _body(table: TableData) -> list[dict[str, Any]]:
    widths = [max((len(cell.parts[0]) for cell in column if cell), default=0) for column in table.by_column]
    labels = table.labels
    rows = []
    for place, row in enumerate(table.rows):
        below = [*zip(*labels[place + 1 :], strict=True)] or [()] * len(row.labels)
        spans = [1 + len([*takewhile(lambda label: label is None, column)]) for column in below]
        rows.append(
            {
                "is_first": place and len(labels[0]) > 1 and labels[place][0] is not None,
                "labels": [
                    (text, {"rowspan": span if span > 1 else None})
                    for text, span in zip(labels[place], spans, strict=True)
                    if text is not None
                ],
                "extra": row.extra,
                "cells": [
                    (cell, width - 0.6, {} if cell is None else _attributes(cell))  # a point is narrow
                    for cell, width in zip(row.cells, widths, strict=True)
                ],
            }
        )
    return rows


def _attributes(cell: TableCell) -> dict[str, str | None]:
    """Return the tooltip of a cell, and what the script shows of its runs."""
    title = ", ".join(f"{value:.2f}" for value in cell.values)
    found = cell.significance
    return {
        "title": title if found is None else f"{title}; p = {found.adjusted:.4f}",
        "data-runs": " ".join(cell.runs) or None,
        "data-against": " ".join(cell.against) or None,
        "data-test": cell.tested_on or None,
        "data-comparison": found and f"The cell against the table's baseline: {found.text}",
    }
