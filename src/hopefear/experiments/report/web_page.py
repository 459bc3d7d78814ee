"""A report as one self-contained HTML page."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from itertools import groupby, takewhile

from hopefear.base.figures import DPI

from .markdown import NO_RUNS
from .marks import TEST, Comparison
from .tables import MISSING, TableCell, TableData


def paragraphs(text: str, kind: str = "") -> str:
    """Return paragraphs, one for each part of the text between empty lines."""
    attribute = f' class="{kind}"' if kind else ""
    return "\n".join(f"<p{attribute}>{escape(part)}</p>" for part in text.split("\n\n") if part.strip())


def picture(title: str, png: bytes, caption: str) -> str:
    """Return a heading and a picture that is embedded in the page."""
    width = int.from_bytes(png[16:20], "big") * 96 // DPI  # a PNG's header begins with the width
    source = f"data:image/png;base64,{b64encode(png).decode()}"
    image = f'<img src="{source}" width="{width}" alt="{escape(title)}">'
    figcaption = f'<figcaption class="key">{escape(caption)}</figcaption>'
    return f"<h2>{escape(title)}</h2>\n<figure>\n{image}\n{figcaption}\n</figure>"


def table_html(table: TableData) -> str:
    """Return a table with its heading, key and note."""
    parts = [f"<h2>{escape(table.title)}</h2>"]
    if table.rows:
        parts += ['<div class="wide">', "<table>", *_head(table), *_body(table), "</table>", "</div>"]
    else:
        parts.append(paragraphs(NO_RUNS))
    key = "<br>\n".join(map(escape, table.key))
    parts += [f'<p class="key">{key}</p>' if key else "", paragraphs(table.note)]
    return "\n".join(filter(None, parts))


def _head(table: TableData) -> list[str]:
    depth = len(table.columns[0]) if table.columns else 1
    lines = ["<thead>"]
    for level in range(depth):
        cells = []
        if level == 0:
            names = [(name, "") for name in table.row_names]
            names += [(name, ' class="extra"') for name in table.extra_names]
            cells = [f'<th rowspan="{depth}"{kind}>{escape(name)}</th>' for name, kind in names]
        for labels, group in groupby(table.columns, key=lambda column: column[: level + 1]):
            span = len(list(group))
            over = f' class="over" colspan="{span}"' if level < depth - 1 else ""
            cells.append(f"<th{over}>{escape(labels[-1])}</th>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return [*lines, "</thead>"]


def _body(table: TableData) -> list[str]:
    lines = ["<tbody>"]
    widths = [max((len(cell.parts[0]) for cell in column if cell), default=0) for column in table.by_column]
    labels = table.labels
    for place, row in enumerate(table.rows):
        cells = []
        for level, text in enumerate(labels[place]):
            if text is not None:
                below = takewhile(_repeats, (own[level] for own in labels[place + 1 :]))
                span = 1 + len(list(below))
                rows = f' rowspan="{span}"' if span > 1 else ""
                cells.append(f"<th{rows}>{escape(text)}</th>")
        cells += [f'<td class="extra">{text}</td>' for text in row.extra]
        cells += map(_cell, row.cells, widths)
        first = ' class="first"' if place and len(labels[0]) > 1 and labels[place][0] is not None else ""
        lines.append(f"<tr{first}>{''.join(cells)}</tr>")
    return [*lines, "</tbody>"]


def _repeats(label: str | None) -> bool:
    return label is None


def _cell(cell: TableCell | None, width: int) -> str:
    """Return a cell whose mean has the width of its column's widest mean, so that means are aligned."""
    room = f'class="mean" style="min-width: {width - 0.6:.1f}ch"'  # a point is narrower than a digit
    if cell is None:
        return f'<td class="less"><span {room}>{MISSING}</span></td>'
    mean, deviation, mark, count = map(escape, cell.parts)
    text = f"<span {room}>{mean}</span>"
    kind = "better" if "+" in mark else "worse"
    for name, part in (("less", deviation), (f"mark {kind}", mark), ("less", count)):
        text += f' <span class="{name}">{part}</span>' if part else ""
    values = ", ".join(f"{value:.2f}" for value in cell.values)
    known = {"title": values, "data-runs": " ".join(cell.runs), "data-against": " ".join(cell.against)}
    known["data-test"] = cell.tested_on
    if cell.comparison:
        known["title"] += f"; p = {cell.comparison.adjusted:.4f}"
        known["data-comparison"] = f"The cell against the table's baseline: {_explained(cell.comparison)}"
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in known.items() if value)
    return f"<td{attributes}>{text}</td>"


def _explained(found: Comparison) -> str:
    text = f"p = {found.p_value:.4f} ({TEST})"
    if found.adjusted != found.p_value:
        text += f", {found.adjusted:.4f} among all comparisons of the table"
    if found.over_runs is not None:
        delta, p_value = found.over_runs
        text += (
            f". Over other runs and sentences: {delta.value:+.2f} [{delta.lower:+.2f}, {delta.upper:+.2f}], "
            f"p = {p_value:.4f}"
        )
        if found.adjusted_over_runs != p_value:
            text += f", {found.adjusted_over_runs:.4f} among all comparisons of the table"
    return text.replace("-", "−") + "."
