"""Tables: CSV, with commas, semicolons or tabulators."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from hopefear.base import InputError

from .contract import MOST_LINES, Difference, Format, State, Unit, check_number
from .splices import EncodedText, Splices

_PREAMBLE = re.compile(r"sep=([^\r\n])(?:\r\n|\n|\r|\Z)", re.IGNORECASE)
"""The line by which Excel says what separates cells."""

_FORMULA = re.compile(r"'*([=+\-@\t\r])(?![\d.,]+%?\Z)")
"""What spreadsheets take for a formula, maybe with apostrophes before it; numbers are none."""

_FIRST, _SECOND = 0, 1  # the columns of source and target without a header


@dataclass(frozen=True)
class _Cell:
    text: str
    begin: int
    end: int
    quoted: bool


def _is_formula(target: str, source: str) -> bool:
    found = _FORMULA.match(target)
    return found is not None and found[1] != source[:1]


class Sheet(Format):
    """A table: a header with the column ``source``, or no header and sources in the first column.

    Translations go to the column ``target``, which is added if the header lacks it; without a header to the
    second column. One that a spreadsheet takes for a formula, and that does not begin as its source, has an
    apostrophe before it in the file. All rows have as many cells as the first one; lines without text are
    none.
    """

    media_type: ClassVar[str] = "text/csv"
    separators: ClassVar[str] = ",;\t"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        preamble = _PREAMBLE.match(self._text)
        self._begin = preamble.end() if preamble else 0
        separators = preamble[1] if preamble else self.separators
        check_number(max(map(self._text.count, separators)), "cells", 25 * MOST_LINES)
        self._separator = preamble[1] if preamble else max(self.separators, key=self._cells_of_first_row)
        rows = list(self._rows(self._separator))
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
                if target.startswith("'") and _is_formula(target[1:], row[source].text):
                    target = target[1:]
                self.units.append(Unit(row[source].text, target or None, state, line=line, lines=True))
                self._places.append(row)
        quoted = [cell.quoted for _, row in rows for cell in row if cell.text]
        self._quotes = bool(quoted) and all(quoted)

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def _cells_of_first_row(self, separator: str) -> int:
        try:
            return len(next(self._rows(separator), (0, []))[1])
        except InputError:
            return 0

    def _rows(self, separator: str) -> Iterator[tuple[int, list[_Cell]]]:
        """Iterate over the rows with the numbers of their lines, without lines that have no text."""
        text, mark = self._text, re.escape(separator)
        cell = re.compile(rf'(?:"((?:[^"]|"")*)"|(?!"))([^{mark}\r\n]*)({mark}|\r\n|\n|\r|\Z)')
        row: list[_Cell] = []
        at, line, count = self._begin, 1 + bool(self._begin), 0
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
            if found[3] != separator:
                count += 1
                check_number(count, "rows", MOST_LINES)
                if len(row) > 1 or value.strip():
                    yield begun, row
                row, begun = [], line

    def _cell(self, index: int, target: str) -> str:
        """Return what the cell of a translation says."""
        return f"'{target}" if _is_formula(target, self.units[index].source) else target

    def _written(self, text: str, like: _Cell | None = None) -> str:
        needs = any(c in text for c in f'{self._separator}"\r\n') or text != text.strip()
        if needs or self._quotes or (like is not None and like.quoted):
            return '"' + text.replace('"', '""') + '"'
        return text

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        if self._is_new_column:
            new = {id(self._places[i]): self._written(self._cell(i, text)) for i, text in targets.items()}
            if self._has_head:
                new[id(self._table[0])] = self._written("target")
            for row in self._table:
                splices.replace(row[-1].end, row[-1].end, self._separator + new.get(id(row), ""))
        else:
            for index, target in targets.items():
                cell = self._places[index][self._target]
                text = self._written(self._cell(index, target), cell if cell.text else None)
                splices.replace(cell.begin, cell.end, text)
        return self._encoded.encoded(splices.whole())

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Prove that the standard library reads the same cells outside the column of targets."""
        sheet = cls(original)
        csv.field_size_limit(len(original) + len(written) + 1)
        try:
            before, after = (sheet._cells(EncodedText(content).text) for content in (original, written))
        except csv.Error as error:
            return [Difference(f"the written document is not in the format: {error}")]
        for (line, old), (_, new) in zip(before, after, strict=False):
            is_row = len(old) > 1 or any(map(str.strip, old))
            if is_row and len(new) > sheet._target:
                del new[sheet._target], old[sheet._target : sheet._target + 1]
            if old != new:
                return [Difference(f"expected the cells {old}, got {new}", line)]
        if len(before) != len(after):
            return [Difference(f"expected {len(before):,} rows, got {len(after):,}")]
        return []

    def _cells(self, text: str) -> list[tuple[int, list[str]]]:
        """Return the rows as the standard library reads them, with the numbers of their lines."""
        rows = csv.reader(io.StringIO(text[self._begin :], newline=""), delimiter=self._separator)
        return [(rows.line_num + bool(self._begin), row) for row in rows]


class TabSheet(Sheet):
    """A table with tabulators between the cells."""

    media_type: ClassVar[str] = "text/tab-separated-values"
    separators: ClassVar[str] = "\t"
