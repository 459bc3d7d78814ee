"""Pages whose tables and pictures are made from results: prose with blocks between comments.

A block begins with a line such as ``<!-- tuners: table "BLEU" -->`` and ends with the line ``<!-- end -->``.
What stands between the two lines is made: ``table`` and ``picture`` with the title of one of the plan's,
``facts`` (command, seeds, sizes), ``missing`` (the runs that are missing), ``verdicts`` (on the claims).
"""

from __future__ import annotations

import re
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.texts import split_lines

from .report import ExperimentReport

BEGIN = re.compile(r'<!-- (?P<plan>[\w.-]+): (?P<kind>\w+)(?: "(?P<title>.*)")? -->')
END = "<!-- end -->"

_KINDS = ("table", "picture", "facts", "missing", "verdicts")


def render(page: Path, plan: str, report: ExperimentReport) -> str:
    """Return a page with new blocks of a plan; draw their pictures beside the page."""
    lines, made, found = split_lines(page.read_text("utf-8")), list[str](), False
    number = 0
    while number < len(lines):
        line = lines[number]
        made.append(line)
        number += 1
        begin = BEGIN.fullmatch(line)
        if begin is None:
            continue
        try:
            end = lines.index(END, number)
        except ValueError:
            raise InputError(f"expected {END} after this line", path=page, line=number) from None
        if begin["plan"] == plan:
            found = True
            try:
                made += _block(begin["kind"], begin["title"], page, plan, report).rstrip("\n").split("\n")
            except ValueError as error:
                raise InputError(str(error), path=page, line=number) from None
        else:
            made += lines[number:end]
        made.append(END)
        number = end + 1
    if not found:
        raise InputError(f'expected a line such as <!-- {plan}: table "TITLE" -->, got none', path=page)
    return "".join(f"{line}\n" for line in made)


def write_page(page: Path, plan: str, report: ExperimentReport) -> None:
    """Write a page that `render` returns."""
    text = render(page, plan, report)
    with written_whole(page) as path:
        path.write_text(text, "utf-8")


def _block(kind: str, title: str | None, page: Path, plan: str, report: ExperimentReport) -> str:
    if kind == "facts":
        return report.facts_markdown()
    if kind == "missing":
        return report.missing_markdown() or "None."
    if kind == "verdicts":
        return report.verdicts_markdown(plan)
    if kind not in _KINDS:
        raise ValueError(f"expected one of {', '.join(_KINDS)}, got {kind}")
    if title is None:
        raise ValueError(f'expected {kind} "TITLE", got no title')
    if kind == "table":
        return report.table_markdown(title)
    return report.picture_markdown(title, page.parent, f"{plan}-")
