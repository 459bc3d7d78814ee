"""Sentences of units: what is translated, and corrected, by itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from hopefear.base.texts import BLANK

from ..profile import Profile
from ..sentences import spans
from ..system import TextSystem
from .contract import Code, Kind, Unit, name_of, partners, pieces
from .marks import marks_in, profile_of

_GAP = re.compile(f"[{BLANK}]+")


class UnitText:
    """What a system knows about text as written; for a unit it also keeps what the unit's profile keeps."""

    def __init__(self, system: TextSystem) -> None:
        self._system = system
        self._known: dict[Profile, TextSystem] = {}

    def of(self, unit: Unit) -> TextSystem:
        """Return what the system knows about the text of a unit."""
        profile = profile_of(unit)
        if profile not in self._known:
            self._known[profile] = self._system.with_kinds(profile)
        return self._known[profile]


def joined(unit: Unit, places: Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
    """Return the source of a unit with other texts in the places of its sentences."""
    out, at = list[str](), 0
    for (begin, end), text in zip(places, texts, strict=True):
        out += [unit.source[at:begin], text]
        at = end
    return "".join([*out, unit.source[at:]])


class DividedUnit:
    """The sentences of a unit.

    A line break that is a tag ends a sentence. No sentence ends inside a mark of the unit's profile, or
    between the tags of a pair. Tags at the ends of a sentence that stand alone, or that are a pair around it,
    stay outside.
    """

    def __init__(self, unit: Unit, language: str | None = None) -> None:
        self._unit, self._language = unit, language
        self._parts, at = list[_Part](), 0
        for text, code in pieces(unit.source, unit.codes):
            self._parts.append(_Part(at, text, code))
            at += len(text)
        self._begins = [part.begin for part in self._parts]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Where the sentences begin and end in the source."""
        found, source = list[tuple[int, int]](), self._unit.source
        for first, last in self._lines(*self.whole):
            text = source[first:last]
            kept = [*marks_in(self._unit, text), *self._pairs(first, last)]
            for begin, end in spans(text, self._language, _apart(kept)):
                place = self._peeled(first + begin, first + end)
                if self._has_words(*place):
                    found.append(place)
        return found

    def _has_words(self, begin: int, end: int) -> bool:
        parts = self._between(begin, end)
        return any(any(map(str.isalnum, part.text)) for part in parts if part.code is None)

    @property
    def whole(self) -> tuple[int, int]:
        """Where the unit as one sentence begins and ends in the source."""
        return self._peeled(0, len(self._unit.source))

    def text(self, begin: int, end: int) -> str:
        """Return a sentence in one line; its inline codes are as they stand in the unit."""
        return "".join(
            _GAP.sub(" ", part.text) if part.code is None else part.text for part in self._between(begin, end)
        )

    def sentence(self, begin: int, end: int) -> Unit:
        """Return a sentence as a unit of its own, in one line."""
        codes = tuple(part.code for part in self._between(begin, end) if part.code is not None)
        return replace(self._unit, source=self.text(begin, end), codes=codes, target=None)

    def _between(self, begin: int, end: int) -> list[_Part]:
        """List the parts between two places; texts are cut there."""
        found = []
        for index in range(max(bisect_right(self._begins, begin) - 1, 0), len(self._parts)):
            part = self._parts[index]
            if part.begin >= end:
                break
            low, high = max(begin - part.begin, 0), end - part.begin
            if low or high < len(part.text):
                part = _Part(part.begin + low, part.text[low:high], part.code)
            if part.text:
                found.append(part)
        return found

    def _lines(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Divide a part of the unit at line breaks: those of a text by lines, and those that are tags."""
        depth = 0
        for at, text, code in self._between(begin, end):
            if code is not None and code.kind is Kind.ALONE and depth == 0 and name_of(text) in _LINE_BREAKS:
                yield begin, at
                begin = at + len(text)
            elif code is not None:
                depth += _DEPTH[code.kind]
            elif self._unit.lines:
                for found in re.finditer("\n", text):
                    yield begin, at + found.start()
                    begin = at + found.end()
        yield begin, end

    def _pairs(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Iterate over what is a tag, or stands between the tags of a pair; places count from `begin`."""
        depth, begun = 0, 0
        for at, text, code in self._between(begin, end):
            if code is None:
                continue
            if depth == 0:
                begun = at - begin
            depth = max(depth + _DEPTH[code.kind], 0)
            if depth == 0:
                yield begun, at - begin + len(text)

    def _peeled(self, begin: int, end: int) -> tuple[int, int]:
        """Return a part of the unit without white space, lone tags and pairs of tags around it."""
        if not self._unit.codes:
            return self._stripped(begin, end)
        parts = self._between(begin, end)

        def blank(part: _Part) -> bool:
            return not part.text.strip() if part.code is None else part.code.kind is Kind.ALONE

        pairs = partners(
            [(name_of(part.text), None if part.code is None else part.code.kind) for part in parts]
        )
        first, last = 0, len(parts)
        while first < last:
            if blank(parts[first]):
                begin += len(parts[first].text)
                first += 1
            elif blank(parts[last - 1]):
                last -= 1
                end -= len(parts[last].text)
            elif pairs.get(first) == last - 1:
                begin += len(parts[first].text)
                end -= len(parts[last - 1].text)
                first, last = first + 1, last - 1
            else:
                break
        return self._stripped(begin, end)

    def _stripped(self, begin: int, end: int) -> tuple[int, int]:
        text = self._unit.source[begin:end]
        return begin + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))


class _Part(NamedTuple):
    begin: int
    text: str
    code: Code | None


_LINE_BREAKS = frozenset({"br", "text:line-break"})
_DEPTH = {Kind.OPEN: 1, Kind.CLOSE: -1, Kind.ALONE: 0}


def _apart(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the same places as parts that do not overlap."""
    out: list[tuple[int, int]] = []
    for begin, end in sorted(parts):
        if out and begin < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out
