"""What a translation must keep as its source has it, by the profile of a text."""

from __future__ import annotations

import re
from collections.abc import Collection

from .contract import NOT_XML, Unit, fitting, pieces

# All repetitions are bounded: a hostile text must not take long.
_ADDRESS = (
    r"(?:https?|ftp)://[^\s<>\"`]{0,1000}[^\s<>\"`.,;:!?)\]}'’”»。、]"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
_BRACE = r"\{\{|\}\}|\{[\w.!:\[\]%+,<>=^-]{0,60}\}"
_PERCENT = (
    r"%(?:\(\w{1,40}\)|\d{1,2}\$)?[-+ #0']{0,4}(?:\*|\d{1,4})?(?:\.(?:\*|\d{1,4}))?"
    r"(?:hh|h|ll|l|q|j|z|t|L)?[a-zA-Z%]"
)
_ROLE = r":\w[\w+.:-]{0,60}:`[^`]{1,500}`|(?<!`)`[^`<>]{1,200}`(?!`)_{1,2}|(?<=<)[^<>\s]{1,1000}(?=>`_)"
_LITERAL = r"``(?! )[^\n]{1,500}?``|\|[^|\s][^|\n]{0,80}\|_{0,2}"
_CODE_SPAN = r"(?<!`)(?P<ticks>`{1,5})(?!`)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)"

PROFILES: dict[str, re.Pattern[str]] = {
    "plain": re.compile(_ADDRESS),
    "rst": re.compile(f"{_LITERAL}|{_ROLE}|{_ADDRESS}"),
    "markdown": re.compile(rf"{_CODE_SPAN}|(?<=\]\()[^)\s]{{1,1000}}|</?\w[^<>]{{0,500}}>|{_ADDRESS}"),
    "html": re.compile(_ADDRESS),
    "xliff": re.compile(_ADDRESS),
    "printf": re.compile(f"{_PERCENT}|{_BRACE}|{_ADDRESS}"),
}
"""The marks that stay in a text of a profile; tags of HTML and XLIFF are codes of the unit."""


def marks_in(unit: Unit, text: str) -> list[tuple[int, int]]:
    """Return where a text has what the translation of a unit must keep, apart from its inline codes."""
    pattern = unit.placeholders or PROFILES.get(unit.profile, PROFILES["plain"])
    return [found.span() for found in pattern.finditer(text)]


def _counted(found: Collection[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in found:
        counts[one] = counts.get(one, 0) + 1
    return counts


def _difference(wanted: Collection[str], got: Collection[str]) -> str:
    """Say what is missing and what is too many; empty if nothing is."""
    before, after = _counted(wanted), _counted(got)
    missing = [one for one in before if after.get(one, 0) < before[one]]
    extra = [one for one in after if before.get(one, 0) < after[one]]
    said = [f"{' '.join(missing)} missing"] if missing else []
    return ", ".join(said + ([f"{' '.join(extra)} too often"] if extra else []))


def complaint_about(unit: Unit, target: str) -> str:
    """Say what is wrong with a translation; empty if nothing is."""
    if unit.source.strip() and not target.strip():
        return "there is no translation"
    found = pieces(target, unit.codes)
    wrong = _difference(unit.tags, [code.shown for _, code in found if code is not None])
    if not wrong and len(fitting(unit, target)) < len(found):
        wrong = "tags do not nest"
    if not wrong:
        before, after = (
            [text[slice(*one)] for one in marks_in(unit, text)] for text in (unit.source, target)
        )
        wrong = _difference(before, after)
    if not wrong and (control := NOT_XML.search(target)) is not None:
        wrong = f"the control character {control[0]!r}"
    return wrong
