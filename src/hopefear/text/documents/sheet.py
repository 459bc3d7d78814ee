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
    second column. All rows have as many cells as the first one; lines without text are none.
    """

    media_type: ClassVar[str] = "text/csv"
    separators: ClassVar[str] = ",;\t"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        first = self._text.partition("\n")[0]
        self._separator = max(self.separators, key=first.count)
        rows = self._rows()
        width = len(rows[0][1]) if rows else 0
        head = [cell.text.strip().lower() for cell in rows[0][1]] if rows else []
        self._has_head = "source" in head
        source, self._target = _FIRST, _SECOND
        if self._has_head:
            source = head.index("source")
            self._target = head.index("target") if "target" in head else width
        self._is_new_column = self._target >= width
        self._table = [row for _, row in rows]
        self.units: list[Unit] = []
        self._places: list[list[_Cell]] = []
        for line, row in rows[self._has_head :]:
            if len(row) != width:
                cells = f"{width} cell{'s' * (width > 1)}"
                raise InputError(f"expected {cells} as in the first row, got {len(row)}", line=line)
            if row[source].text.strip():
                target = "" if self._is_new_column else row[self._target].text
                state = State.DONE if target.strip() else State.NEW
                self.units.append(Unit(row[source].text, target or None, state, line=line, lines=True))
                self._places.append(row)
        quoted = [cell.quoted for _, row in rows for cell in row if cell.text]
        self._quotes = bool(quoted) and all(quoted)

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def _rows(self) -> list[tuple[int, list[_Cell]]]:
        """Return the rows with the numbers of their lines, without lines that have no text."""
        text, separator = self._text, re.escape(self._separator)
        cell = re.compile(rf'(?:"((?:[^"]|"")*)"|(?!"))([^{separator}\r\n]*)({separator}|\r\n|\n|\r|\Z)')
        rows: list[tuple[int, list[_Cell]]] = []
        row: list[_Cell] = []
        at, line, count = 0, 1, 0
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
                count += 1
                if len(row) > 1 or value.strip():
                    rows.append((begun, row))
                row, begun = [], line
                if count > MOST_LINES:
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
        if self._is_new_column:
            new = {id(self._places[index]): self._written(target) for index, target in targets.items()}
            if self._has_head:
                new[id(self._table[0])] = self._written("target")
            for row in self._table:
                splices.replace(row[-1].end, row[-1].end, self._separator + new.get(id(row), ""))
        else:
            for index, target in targets.items():
                cell = self._places[index][self._target]
                splices.replace(cell.begin, cell.end, self._written(target, cell if cell.text else None))
        return self._encoded.encoded(splices.whole())


class TabSheet(Sheet):
    """A table with tabulators between the cells."""

    media_type: ClassVar[str] = "text/tab-separated-values"
    separators: ClassVar[str] = "\t"
