"""Numbers and tables of the pages of runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def number(value: float, *, signed: bool = False) -> str:
    """Write a score: two decimals and a typographic minus."""
    value = round(value, 2) + 0.0  # no -0.00
    return f"{value:{'+' if signed and value else ''}.2f}".replace("-", "−")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are HTML; all columns but the first have numbers."""

    def line(tag: str, cells: Sequence[str]) -> str:
        first, *numbers = cells
        more = "".join(f'<{tag} class="number">{cell}</{tag}>' for cell in numbers)
        return f"<tr><{tag}>{first}</{tag}>{more}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', columns)}</thead><tbody>{body}</tbody></table>"
