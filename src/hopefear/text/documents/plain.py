"""Texts with a unit in each line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import ClassVar

from .contract import MOST_LINES, Format, Unit, check_number
from .splices import EncodedText, Splices

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")


class Text(Format):
    """A text: each line that is not blank is a unit. A line without a translation stays as it is."""

    media_type: ClassVar[str] = "text/plain"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        self.units: list[Unit] = []
        self._places: list[tuple[int, int]] = []
        for number, found in enumerate(_LINE.finditer(self._text), 1):
            line = found[1]
            if found.start() < len(self._text):
                check_number(number, "lines", MOST_LINES)
            if line.strip():
                begin = found.start() + len(line) - len(line.lstrip())
                self._places.append((begin, begin + len(line.strip())))
                self.units.append(Unit(line.strip(), line=number))

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations, each in one line."""
        splices = Splices(self._text)
        for index, target in targets.items():
            splices.replace(*self._places[index], re.sub(r"[\r\n]+", " ", target))
        return self._encoded.encoded(splices.whole())
