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


def doubts(source: str, target: str, complaints: Iterable[str] = ()) -> list[str]:
    """Say which numbers a translation lacks, unless a complaint does, and whether it ends otherwise."""
    told = Counter(map(_digits, _NUMBER.findall(" ".join(complaints))))
    lacking = list[str]()
    has = Counter(map(_digits, _NUMBER.findall(target))) + told
    for number in _NUMBER.findall(source):
        if not has[_digits(number)]:
            lacking.append(f"the translation has no {number}")
        has[_digits(number)] -= 1
    ends = _end(source), _end(target)
    if ends[0] != ends[1]:
        how = ["ends with " + end if end else "does not" for end in ends]
        if not ends[0]:
            how.reverse()
            lacking.append(f"the translation {how[0]}, the sentence {how[1]}")
        else:
            lacking.append(f"the sentence {how[0]}, the translation {how[1]}")
    return lacking


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
