"""Full matches: a sentence that was translated before, and its translation with the pieces of this one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

from hopefear.base.texts import BLANK
from hopefear.plugins.written import Written

from .languages import Span
from .plain import STRAIGHT
from .tokens import kind_of, unescaped, without_marks


class WrittenPair(NamedTuple):
    """A sentence pair as tokens and as it is written."""

    source: Sequence[str]
    target: Sequence[str]
    links: Sequence[tuple[int, int]]
    texts: tuple[str, str]


class FullMatch(NamedTuple):
    """A translation as it is written, and where its tokens stand."""

    text: str
    places: tuple[Span, ...]


def full_match(pair: WrittenPair, written: Written) -> FullMatch | None:
    """Return the translation that a sentence pair gives for a sentence; None if it is no full match.

    The same sentence has the same translation, letter for letter. A sentence with other pieces, such as
    numbers or code, gets its own in their places, if the pair keeps all of its pieces.
    """
    source, target = pair.texts
    marks = {mark for each in written.pairs for mark in (each.opening, each.closing)}
    places = _places(pair.target, target, marks)
    if source == written.text:
        end = len(target)
        return FullMatch(target, places or ((0, end), *[(end, end)] * (len(pair.target) - 1)))
    of_source = _places(pair.source, source, marks)
    if places is None or of_source is None:
        return None
    pieces, made = (_pieces(side) for side in (pair.source, pair.target))
    partners = {e: f for f, e in pair.links if f in pieces and e in made}
    keeps_all = pieces == {*written.contents} and made == {*partners}
    if not keeps_all or sorted(partners.values()) != sorted(pieces):
        return None
    if _frame(source, of_source, pieces) != _frame(written.text, written.places, pieces):
        return None
    out, moved, at, length = list[str](), list[Span](), 0, 0
    for e, (begin, end) in enumerate(places):
        text = written.contents[partners[e]] if e in partners else target[begin:end]
        out += target[at:begin], text
        length += begin - at + len(text)
        moved.append((length - len(text), length))
        at = end
    return FullMatch("".join([*out, target[at:]]), tuple(moved))


def _pieces(tokens: Sequence[str]) -> set[int]:
    return {place for place, token in enumerate(tokens) if kind_of(token) is not None}


def _frame(text: str, places: Sequence[Span], pieces: Set[int]) -> list[str]:
    """Return what stands around the pieces of a text."""
    out, at = list[str](), 0
    for n in sorted(pieces):
        out.append(text[at : places[n][0]])
        at = places[n][1]
    return [*out, text[at:]]


def _places(tokens: Sequence[str], text: str, marks: Iterable[str]) -> tuple[Span, ...] | None:
    """Find the tokens of a text in it, whatever their case; None if it is not made of them alone.

    Blanks and marks lie between tokens. A piece is what the tokens beside it leave.
    """
    between = re.compile("|".join([rf"[{BLANK}]", *map(re.escape, marks)]))
    folded, pieces = _folded(text), _pieces(tokens)
    if any(n + 1 in pieces for n in pieces):
        return None  # nobody knows where one ends

    def behind(at: int) -> int:
        while match := between.match(text, at):
            at = match.end()
        return at

    reached: list[dict[int, int]] = []  # by the end of a token its begin
    ends = [0]
    for n, token in enumerate(tokens):
        word = _folded(unescaped(without_marks(token)))
        begins = map(behind, ends)
        if n in pieces:
            begin = next(begins)
            found = dict.fromkeys(range(begin + 1, len(text) + 1), begin)
        else:
            found = {begin + len(word): begin for begin in begins if folded.startswith(word, begin)}
        reached.append(found)
        ends = sorted(found)
        if not ends:
            return None
    out = list[Span]()
    wanted = {len(text)}
    for found in reversed(reached):
        end = next((end for end in sorted(found) if behind(end) in wanted), None)
        if end is None:
            return None
        out.append((found[end], end))
        wanted = {found[end]}
    return tuple(reversed(out))


def _folded(text: str) -> str:
    """Return a text of the same length in small letters and with straight quotation marks."""
    return "".join(character.lower()[:1] for character in text).translate(STRAIGHT)
