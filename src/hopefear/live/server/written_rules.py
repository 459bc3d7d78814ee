"""The rules of corrections as the corrections are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

from hopefear.text.tokens import JOINED, SPACED

from ..corrections import Correction, RuleSides
from .open_session import OpenSession

MARKS = re.compile(f"[{JOINED}{SPACED}]")
"""The signs that tell how tokens are joined to a text."""

_OPEN = "…"
"""What stands for a nonterminal."""

_KEPT = 128
"""Corrections whose places are known: a page shows the latest ones again after each correction."""

Places = list[tuple[int, int]]


class WrittenRules:
    """The rules of a session's corrections with their capitals and blanks, and ``…`` for nonterminals."""

    def __init__(self, opened: OpenSession) -> None:
        self._system, self._documents = opened.system, opened.documents
        self.places = lru_cache(_KEPT)(self._places)

    def _places(self, correction: Correction) -> tuple[Places, Places]:
        """Return where the words of a correction stand in its texts."""
        source, target = correction.texts()
        unit = self._documents.unit_of(correction.number)
        return self._system.places(source, unit=unit), self._system.places(source, target, unit=unit)

    def sides(self, correction: Correction, rule: RuleSides) -> tuple[str, str]:
        """Return both sides of a rule as they stand in a correction."""
        (source, target), places = correction.texts(), self.places(correction)
        return (
            _written(rule.source, correction.source, source, places[0]),
            _written(rule.target, correction.target, target, places[1]),
        )


def _written(side: Sequence[str | int], words: Sequence[str], text: str, places: Places) -> str:
    """Return a side of a rule as it stands in a text with these words; else the words themselves."""
    parts, at = list[str](), 0
    for is_open, run in groupby(side, key=lambda symbol: isinstance(symbol, int)):
        symbols = tuple(run)
        if is_open:
            parts += [_OPEN] * len(symbols)
            at += len(symbols)  # each is one word or more
            continue
        begins = range(at, len(words) - len(symbols) + 1)
        begin = next((i for i in begins if (*words[i : i + len(symbols)],) == symbols), None)
        if begin is None:
            return " ".join(_OPEN if isinstance(each, int) else MARKS.sub("", each) for each in side)
        at = begin + len(symbols)
        parts.append(text_at(text, places, (begin, at)))
    return " ".join(parts)


def text_at(text: str, places: Sequence[tuple[int, int]], span: tuple[int, int]) -> str:
    """Return the words [begin, end) of a text with their places as they stand there."""
    begin, end = span
    return text[places[begin][0] : places[end - 1][1]] if begin < end else ""
