"""What a translator is asked about before a translation is confirmed: numbers, and the sign at the end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from hopefear.base.texts import BLANK

_NUMBER = re.compile(r"(?<![A-Za-z\d])\d+(?:[.,:\u00a0\u202f\u2019']\d+)*")
_CLOSING = "\"'”’»›)]}」』）"
_TAG = re.compile(r"<[^<>]*>$")
_LACKING = ("the translation has no ", "the source has no ")
_SIGNS = {
    **dict.fromkeys(".。．।۔…", "a full stop"),
    **dict.fromkeys("!！", "an exclamation mark"),
    **dict.fromkeys("?？؟", "a question mark"),
}


def doubts(
    source: str,
    target: str,
    complaints: Iterable[str] = (),
    confirmed: Iterable[tuple[str, str]] = (),
) -> list[str]:
    """Say which numbers a translation lacks, unless a complaint does, and whether it ends otherwise.

    A sentence that ends with no sign may be translated with one, and any may end as confirmed ones often do.
    """
    told = Counter(map(_digits, _NUMBER.findall(" ".join(complaints))))
    lacking = list[str]()
    has = Counter(map(_digits, _NUMBER.findall(target))) + told
    for number in _NUMBER.findall(source):
        if not has[_digits(number)]:
            lacking.append(f"the translation has no {number}")
        has[_digits(number)] -= 1
    end, other = _end(source), _end(target)
    if end is not None and end != other and not _is_usual(end, other, confirmed):
        how = "does not" if other is None else f"ends with {other}"
        lacking.append(f"the sentence ends with {end}, the translation {how}")
    return lacking


def _is_usual(of_source: str, of_target: str | None, confirmed: Iterable[tuple[str, str]]) -> bool:
    """Tell whether confirmed sentences with the one end often have the other one: twice, and one of ten."""
    ends = Counter(_end(target) for source, target in confirmed if _end(source) == of_source)
    return ends[of_target] > 1 and 10 * ends[of_target] >= ends.total()


def together(complaints: Iterable[str]) -> list[str]:
    """Say what a translation lacks, and what its sentence lacks, once for all pieces."""
    told: dict[str, list[str]] = {}
    for complaint in complaints:
        lacking = next((begin for begin in _LACKING if complaint.startswith(begin)), complaint)
        told.setdefault(lacking, []).append(complaint.removeprefix(lacking))
    return [begin + ", ".join(pieces) for begin, pieces in told.items()]


def _digits(number: str) -> str:
    """Return the digits of a number, whatever stands between them."""
    return "".join(str(int(sign)) for sign in number if sign.isdecimal())


def _end(text: str) -> str | None:
    """Return the name of the sign that ends a text, before tags, quotation marks and brackets."""
    while (inner := _TAG.sub("", text.rstrip(BLANK)).rstrip(_CLOSING)) != text:
        text = inner
    return _SIGNS.get(text[-1:])
