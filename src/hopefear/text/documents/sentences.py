"""Sentences of units: what is translated, and corrected, by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hopefear.base.texts import BLANK

from ..profile import Profile
from ..sentences import spans
from ..system import TextSystem
from .contract import Kind, Unit, name_of, partners, pieces
from .marks import marks_in

_GAP = re.compile(f"[{BLANK}]+")


class UnitText:
    """What a system knows about text as written; for a unit it also keeps what the unit's profile keeps.

    Parameters
    ----------
    system : TextSystem
        The system's text.
    """

    def __init__(self, system: TextSystem) -> None:
        self._system = system
        self._known: dict[tuple[str, str | None], TextSystem] = {}

    def of(self, unit: Unit) -> TextSystem:
        """Return what the system knows about the text of a unit."""
        pattern = None if unit.placeholders is None else unit.placeholders.pattern
        key = unit.profile, pattern
        if key not in self._known:
            extra = [] if pattern is None else [("format", pattern)]
            self._known[key] = self._system.with_kinds(Profile.named(unit.profile, extra))
        return self._known[key]


def sentence_of(unit: Unit, begin: int, end: int) -> Unit:
    """Return a sentence of a unit as a unit of its own, in one line."""
    codes = tuple(code for _, code in pieces(unit.source[begin:end], unit.codes) if code is not None)
    return replace(unit, source=sentence_text(unit, begin, end), codes=codes, target=None)


def joined(unit: Unit, places: Sequence[tuple[int, int]], texts: Sequence[str]) -> str:
    """Return the source of a unit with other texts in the places of its sentences."""
    out, at = list[str](), 0
    for (begin, end), text in zip(places, texts, strict=True):
        out += [unit.source[at:begin], text]
        at = end
    return "".join([*out, unit.source[at:]])


def sentence_text(unit: Unit, begin: int, end: int) -> str:
    """Return a sentence of a unit in one line; its inline codes are as they stand in the unit."""
    parts = pieces(unit.source[begin:end], unit.codes)
    return "".join(_GAP.sub(" ", text) if code is None else text for text, code in parts)


def sentences_of(unit: Unit, language: str | None = None) -> list[tuple[int, int]]:
    """Return where the sentences of a unit are.

    A line break that is a tag ends a sentence. No sentence ends inside a mark of the unit's profile, or
    between the tags of a pair. Tags at the ends of a sentence that stand alone, or that are a pair around it,
    stay outside.
    """
    text = unit.source
    out = []
    begin, end = _peeled(unit, 0, len(text))
    for first, last in _lines(unit, begin, end):
        part = text[first:last]
        kept = [*marks_in(unit, part), *_pairs(unit, part)]
        for start, stop in spans(part, language, _apart(kept)):
            place = _peeled(unit, first + start, first + stop)
            if any(c.isalnum() for c in _plain(unit, text[slice(*place)])):
                out.append(place)
    return out


def _lines(unit: Unit, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Divide a part of a unit at line breaks: those of a text by lines, and those that are tags."""
    at, depth = begin, 0
    for piece, code in pieces(unit.source[begin:end], unit.codes):
        if code is not None and code.kind is Kind.ALONE and depth == 0 and name_of(piece) in _LINE_BREAKS:
            yield begin, at
            begin = at + len(piece)
        elif code is not None:
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1, Kind.ALONE: 0}[code.kind]
        elif unit.lines:
            for found in re.finditer("\n", piece):
                yield begin, at + found.start()
                begin = at + found.end()
        at += len(piece)
    yield begin, end


_LINE_BREAKS = frozenset({"br", "text:line-break"})


def _plain(unit: Unit, text: str) -> str:
    return "".join(piece for piece, code in pieces(text, unit.codes) if code is None)


def _pairs(unit: Unit, text: str) -> Iterator[tuple[int, int]]:
    """Iterate over the parts of a text that are tags, or stand between the tags of a pair."""
    at, depth, begun = 0, 0, 0
    for piece, code in pieces(text, unit.codes):
        if code is not None:
            if depth == 0:
                begun = at
            depth += {Kind.OPEN: 1, Kind.CLOSE: -1, Kind.ALONE: 0}[code.kind]
            if depth <= 0:
                depth = 0
                yield begun, at + len(piece)
        at += len(piece)


def _apart(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the same places as parts that do not overlap."""
    out: list[tuple[int, int]] = []
    for begin, end in sorted(parts):
        if out and begin < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out


def _peeled(unit: Unit, begin: int, end: int) -> tuple[int, int]:
    """Return a part of a unit without white space, lone tags and pairs of tags around it."""
    parts = pieces(unit.source[begin:end], unit.codes)

    def blank(index: int) -> bool:
        piece, code = parts[index]
        return not piece.strip() if code is None else code.kind is Kind.ALONE

    pairs = partners([(name_of(piece), None if code is None else code.kind) for piece, code in parts])
    first, last = 0, len(parts)
    while first < last:
        if blank(first):
            begin += len(parts[first][0])
            first += 1
        elif blank(last - 1):
            last -= 1
            end -= len(parts[last][0])
        elif pairs.get(first) == last - 1:
            begin += len(parts[first][0])
            end -= len(parts[last - 1][0])
            first, last = first + 1, last - 1
        else:
            break
    text = unit.source[begin:end]
    return begin + len(text) - len(text.lstrip()), end - (len(text) - len(text.rstrip()))
