"""Tables: CSV, with commas, semicolons or tabulators."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar

from hopefear.base import InputError

from .contract import Format, State, Unit
from .plain import MOST_LINES
from .splices import EncodedText, Splices

_FIRST, _SECOND = 0, 1  # the columns of source and target without a header


@dataclass(frozen=True)
class _Cell:
    text: str
    begin: int
    end: int
    quoted: bool


class Sheet(Format):
    """A table: a header with the column ``source``, or no header and sources in the first column.

    Translations go to the column ``target``, which is added if the header lacks it; without a header to the
    second column.
    """

    media_type: ClassVar[str] = "text/csv"
    separators: ClassVar[str] = ",;\t"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        first = self._text.partition("\n")[0]
        self._separator = max(self.separators, key=first.count)
        rows = self._rows()
        head = [cell.text.strip().lower() for cell in rows[0][1]] if rows else []
        self._head = rows[0][1] if "source" in head else None
        source = head.index("source") if "source" in head else _FIRST
        self._target = head.index("target") if "target" in head and "source" in head else _SECOND
        self._adds = "source" in head and "target" not in head
        if self._adds:
            self._target = len(head)
        self.units: list[Unit] = []
        self._places: list[list[_Cell]] = []
        for line, row in rows[self._head is not None :]:
            if source < len(row) and row[source].text.strip():
                target = row[self._target].text if self._target < len(row) else ""
                state = State.DONE if target.strip() else State.NEW
                self.units.append(Unit(row[source].text, target or None, state, line=line, lines=True))
                self._places.append(row)
        self._quotes = any(cell.quoted for _, row in rows for cell in row if cell.text) and all(
            cell.quoted for _, row in rows for cell in row if cell.text
        )

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def _rows(self) -> list[tuple[int, list[_Cell]]]:
        """Return the rows with the numbers of their lines.

        Raises
        ------
        InputError
            A quotation mark is not closed, or there are too many rows.
        """
        text, separator = self._text, re.escape(self._separator)
        cell = re.compile(rf'(?:"((?:[^"]|"")*)"|(?!"))([^{separator}\r\n]*)({separator}|\r\n|\n|\r|\Z)')
        rows: list[tuple[int, list[_Cell]]] = []
        row: list[_Cell] = []
        at, line = 0, 1
        begun = line
        while at < len(text) or row:
            found = cell.match(text, at)
            if found is None:
                raise InputError("expected a CSV file: a quotation mark is not closed", line=line)
            quoted = found[1] is not None
            value = (found[1].replace('""', '"') if quoted else "") + found[2]
            row.append(_Cell(value, at, found.end(2), quoted))
            line += found[0].count("\n") + (found[3] == "\r")
            at = found.end()
            if found[3] != self._separator:
                rows.append((begun, row))
                row, begun = [], line
                if len(rows) > MOST_LINES:
                    raise InputError(f"expected at most {MOST_LINES:,} rows, got more")
        return rows

    def _written(self, text: str, like: _Cell | None = None) -> str:
        needs = any(c in text for c in f'{self._separator}"\r\n') or text != text.strip()
        if needs or self._quotes or (like is not None and like.quoted):
            return '"' + text.replace('"', '""') + '"'
        return text

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        if self._head is not None and self._adds:
            end = self._head[-1].end
            splices.replace(end, end, self._separator + self._written("target"))
        for index, target in targets.items():
            row = self._places[index]
            if self._target < len(row):
                cell = row[self._target]
                splices.replace(cell.begin, cell.end, self._written(target, cell if cell.text else None))
            else:
                missing = self._separator * (self._target + 1 - len(row))
                splices.replace(row[-1].end, row[-1].end, missing + self._written(target))
        return self._encoded.encoded(splices.whole())


class TabSheet(Sheet):
    """A table with tabulators between the cells."""

    media_type: ClassVar[str] = "text/tab-separated-values"
    separators: ClassVar[str] = "\t"
