"""What a translation must keep as its source has it, by the profile of a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ..profile import BUILT_IN, Profile
from .contract import NOT_XML, Unit, fitting, pieces


def profile_of(unit: Unit) -> Profile:
    """Return what the text of a unit keeps: what its profile says, with the unit's own placeholders."""
    return _profile(unit.profile, None if unit.placeholders is None else unit.placeholders.pattern)


def marks_in(unit: Unit, text: str) -> list[tuple[int, int]]:
    """Return where a text has what the translation of a unit must keep, apart from its inline codes."""
    return [(piece.begin, piece.end) for piece in profile_of(unit).kept(text)]


@lru_cache
def _profile(name: str, placeholders: str | None) -> Profile:
    kinds = dict(BUILT_IN[name])
    if placeholders is not None:
        kinds = {"format": placeholders} | {
            kind: pattern for kind, pattern in kinds.items() if kind != "format"
        }
    return Profile(tuple(kinds.items()))


def _difference(wanted: Sequence[tuple[str, str]], got: Sequence[tuple[str, str]]) -> str:
    """Say what is missing and what is too many; empty if nothing is.

    Parameters
    ----------
    wanted, got : sequence of (str, str)
        What must be the same, and how it is shown.
    """
    before, after = (Counter(key for key, _ in found) for found in (wanted, got))
    shown = {key: text.strip() for key, text in (*got, *wanted)}
    wrong = [
        " ".join(shown[one] for one in found) + said
        for found, said in ((before - after, " missing"), (after - before, " too often"))
        if found
    ]
    return ", ".join(wrong)


def _kept(unit: Unit, text: str) -> list[tuple[str, str]]:
    kept = profile_of(unit).kept(text)
    return [(piece.what_it_is(text), text[piece.begin : piece.end]) for piece in kept]


def complaint_about(unit: Unit, target: str) -> str:
    """Say what is wrong with a translation; empty if nothing is."""
    if unit.source.strip() and not target.strip():
        return "there is no translation"
    found = pieces(target, unit.codes)
    tags = [code.shown for _, code in found if code is not None]
    wrong = _difference([(tag, tag) for tag in unit.tags], [(tag, tag) for tag in tags])
    if not wrong and len(fitting(unit, target)) < len(found):
        wrong = "tags do not nest"
    if not wrong:
        wrong = _difference(_kept(unit, unit.source), _kept(unit, target))
    if not wrong and (control := NOT_XML.search(target)) is not None:
        wrong = f"the control character {control[0]!r}"
    return wrong
