"""What a translation must keep as its source has it, by the profile of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from ..profile import BUILT_IN, Profile, differences, opening_and_closing
from .contract import NOT_XML, Code, Unit, fitting, pieces


def profile_of(unit: Unit) -> Profile:
    """Return what the text of a unit keeps: what its profile says, with the unit's own placeholders."""
    return _profile(unit.profile, None if unit.placeholders is None else unit.placeholders.pattern)


def marks_in(unit: Unit, text: str) -> list[tuple[int, int]]:
    """Return where a text has what the translation of a unit must keep, apart from its inline codes."""
    return [(piece.begin, piece.end) for piece in profile_of(unit).kept(text)]


def both_profiles(first: str, second: str) -> str:
    """Return the name of what two profiles keep together."""
    return second if first == "plain" else first if first == second else f"{first}+{second}"


@lru_cache
def _profile(name: str, placeholders: str | None) -> Profile:
    kinds = dict[str, str]()
    for part in name.split("+"):
        for kind, pattern in BUILT_IN[part].items():
            old = kinds.get(kind, pattern)
            kinds[kind] = old if old == pattern else f"{old}|{pattern}"
    if placeholders is not None:
        kinds = {"format": placeholders} | {
            kind: pattern for kind, pattern in kinds.items() if kind != "format"
        }
    return Profile(tuple(kinds.items()))


def _without_codes(parts: Iterable[tuple[str, Code | None]]) -> str:
    return "".join(text.replace("\n", " ") if code is None else " " for text, code in parts)


def complaints_about(unit: Unit, target: str, profile: Profile | None = None) -> list[str]:
    """Say what is wrong with a translation; empty if nothing is."""
    if unit.source.strip() and not target.strip():
        return ["there is no translation"]
    found = pieces(target, unit.codes)
    tags = [code.shown for _, code in found if code is not None]
    wrong = differences([(tag, tag) for tag in unit.tags], [(tag, tag) for tag in tags])
    source, text = (_without_codes(one) for one in (pieces(unit.source, unit.codes), found))
    if unit.optional and unit.optional not in text:
        source = source.replace(unit.optional, " ", 1)
    wrong += (profile or profile_of(unit)).complaints_about(source, text)
    if wrong:
        return wrong
    if len(fitting(unit, target)) < len(found):
        return ["tags do not nest"]
    control = NOT_XML.search(target)
    return [] if control is None else [f"the control character {control[0]!r}"]


def emptied(unit: Unit, target: str, profile: Profile | None = None) -> list[str]:
    """Return the pairs of marks that hold words in the source and nothing in a translation, as a link may."""
    profile = profile or profile_of(unit)
    filled, _ = _pairs(unit, unit.source, profile)
    _, empty = _pairs(unit, target, profile)
    return [pair for pair in filled if pair in empty]


def _pairs(unit: Unit, text: str, profile: Profile) -> tuple[Counter[str], Counter[str]]:
    """Return the pairs of marks of a text that hold words, and those that hold none."""
    marks, at = list[tuple[int, int]](), 0
    for part, code in pieces(text, unit.codes):
        if code is not None:
            marks.append((at, at + len(part)))
        else:
            marks += [(at + piece.begin, at + piece.end) for piece in profile.pieces(part) if piece.paired]
        at += len(part)
    sides = Counter[str](), Counter[str]()
    for first, last in opening_and_closing([text[begin:end] for begin, end in marks]):
        gaps = zip(marks[first:last], marks[first + 1 : last + 1], strict=True)
        words = any(any(map(str.isalnum, text[end:begin])) for (_, end), (begin, _) in gaps)
        sides[not words][text[slice(*marks[first])] + text[slice(*marks[last])]] += 1
    return sides
