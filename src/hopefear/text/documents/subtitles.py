"""Subtitles: SubRip and WebVTT."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import ClassVar

from hopefear.base import InputError

from .contract import Code, Format, Kind, Unit, fitting
from .splices import EncodedText, LineNumbers, Splices

_TIME = r"(?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3}"
_TIMES = re.compile(rf"[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\r\n]*(?:\r?\n|\r|\Z)")
_TAG = re.compile(r"<(/?)([A-Za-z][^<>\s]*)[^<>]*>|\{\\[^{}]*\}")
_SPEAKER = re.compile(r"\s*[-–—]")


class Subtitles(Format):
    """Cues: the lines of one are a unit, and its translation is broken into as many lines.

    Where the lines are said by several speakers, each begins with a dash and stands alone.
    """

    media_type: ClassVar[str] = "application/x-subrip"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        text = self._text = self._encoded.text
        self._places: list[tuple[int, int]] = []
        self.units: list[Unit] = []
        lines = LineNumbers(text)
        times = list(_TIMES.finditer(text))
        if not times:
            raise InputError("expected subtitles with times such as 00:00:01,000 --> 00:00:02,500")
        for found in times:
            end = re.compile(r"(?:\r?\n|\r)[ \t]*(?:\r?\n|\r|\Z)|\Z").search(text, found.end())
            begin, last = found.end(), end.start() if end else len(text)
            if last < begin or text[begin : begin + 1] in "\r\n":
                continue  # an empty cue
            cue = text[begin:last].replace("\r\n", "\n")
            if not _TAG.sub("", cue).strip():
                continue
            codes = tuple(
                Code(
                    one[0],
                    begin,
                    begin,
                    Kind.ALONE if one[2] is None else Kind.CLOSE if one[1] else Kind.OPEN,
                )
                for one in _TAG.finditer(cue)
            )
            spoken = [line for line in cue.split("\n") if line.strip()]
            alone = len(spoken) > 1 and all(map(_SPEAKER.match, spoken))
            self.units.append(Unit(cue, codes=codes, profile="html", line=lines.at(begin), lines=alone))
            self._places.append((begin, last))

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        for index, target in targets.items():
            begin, end = self._places[index]
            unit = self.units[index]
            text = "".join(piece for piece, _ in fitting(unit, target))
            text = re.sub(r"\n\s*\n", "\n", text.strip())
            if "\n" not in text and not unit.lines:
                text = broken(text, unit.source.strip().count("\n") + 1)
            if "\r\n" in self._text:
                text = text.replace("\n", "\r\n")
            splices.replace(begin, end, text)
        return self._encoded.encoded(splices.whole())


def broken(text: str, lines: int) -> str:
    """Break a text after blanks into lines that are about equally long."""
    out = []
    while lines > 1 and " " in text:
        middle = len(text) / lines
        places = [found.start() for found in re.finditer(r" (?![^<]*>)", text)]
        if not places:
            break
        at = min(places, key=lambda place: abs(place - middle))
        out.append(text[:at])
        text, lines = text[at + 1 :], lines - 1
    return "\n".join([*out, text])
