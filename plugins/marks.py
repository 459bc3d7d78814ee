"""Marks in a line of input: how some words are translated, and what stays together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hopefear.base.errors import InputError
from hopefear.base.texts import BLANK

ATTRIBUTE = r"""(?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))"""
"""A regular expression of an attribute in a tag, see `attributes_of`."""

_TAG = re.compile(rf"<x(?P<attributes>{ATTRIBUTE}+)\s*>|</x>|</?zone>|<wall\s*/>")
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_ENTITIES = {"&quot;": '"', "&apos;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&"}


@dataclass(frozen=True, slots=True)
class Mark:
    """What a line of input asks of some of its words."""

    kind: Literal["term", "zone", "wall"]
    begin: int
    end: int
    translations: tuple[str, ...] = ()
    soft: bool = False

    def words(self, places: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        """Return the words [begin, end) of the mark, given the words' places in the text.

        For a wall, both are the number of the first word behind it.
        """
        if self.kind == "wall":
            first = sum(begin < self.begin for begin, _ in places)
            return first, first
        inside = [n for n, (begin, end) in enumerate(places) if begin < self.end and end > self.begin]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)


def _decoded(text: str) -> str:
    return re.sub(r"&\w+;", lambda match: _ENTITIES.get(match.group(), match.group()), text)


def attributes_of(text: str, where: str) -> dict[str, str]:
    """Read ``name="value"`` pairs."""
    attributes: dict[str, str] = {}
    for name, double, single in _ATTRIBUTE.findall(text):
        if name in attributes:
            raise InputError(f"attribute {name} is given twice", path=where)
        attributes[name] = _decoded(double or single)
    return attributes


def read_marks(line: str, where: str) -> tuple[str, tuple[Mark, ...]]:
    """Return a sentence without its marks, and the marks.

    ``<x translation="a|b">words</x>`` gives translations to choose from, ``soft="yes"`` makes them one choice
    among others, ``<x translate="no">words</x>`` keeps the words; ``<zone>words</zone>`` and ``<wall/>``
    limit reordering. Any other tag belongs to the sentence.
    """
    if "<x" not in line and "<zone" not in line and "<wall" not in line:
        return line, ()
    text, position = "", 0
    marks: list[Mark] = []
    opened: list[tuple[str, int, Mark | None]] = []
    for match in _TAG.finditer(line):
        tag, name = match.group(), "x" if match.group().startswith(("<x", "</x")) else "zone"
        if tag.startswith("</") and not any(name == each[0] for each in opened):
            continue  # it closes a tag of the sentence
        attributes = attributes_of(match.group("attributes") or "", where)
        if name == "x" and not tag.startswith("</") and not {"translation", "translate"} & {*attributes}:
            continue
        text = _joined(text, line[position : match.start()])
        position = match.end()
        if tag.startswith("<wall"):
            marks.append(Mark("wall", len(text), len(text)))
        elif not tag.startswith("</"):
            if name == "x" and any(each[0] == "x" for each in opened):
                raise InputError("expected </x> before another <x ...>", path=where)
            mark = _term(attributes, where) if name == "x" else None
            opened.append((name, len(text), mark))
        else:
            begun, begin, mark = opened.pop()
            if begun != name:
                raise InputError(f"expected </{begun}> before </{name}>", path=where)
            if not text[begin:].strip(BLANK):
                raise InputError(f"expected words before </{name}>", path=where)
            if mark is None:
                marks.append(Mark("zone", begin, len(text)))
            else:
                kept = mark.translations or (text[begin:].strip(BLANK),)
                marks.append(Mark("term", begin, len(text), kept, mark.soft))
    if opened:
        raise InputError(f"expected </{opened[-1][0]}> in {line[:80]!r}", path=where)
    return _joined(text, line[position:]), tuple(marks)


def _joined(text: str, more: str) -> str:
    """Put texts together that a mark was between; the blanks on one of its sides are enough."""
    return text + (more.lstrip(BLANK) if text[-1:] in BLANK else more)


def _term(attributes: dict[str, str], where: str) -> Mark:
    rest = dict(attributes)
    translate, soft = rest.pop("translate", None), rest.pop("soft", "no")
    translations = tuple(rest.pop("translation", "").split("|")) if translate is None else ()
    if translate not in (None, "no") or soft not in ("yes", "no") or rest:
        message = 'expected <x translation="..."> or <x translate="no">, with soft="yes" or without'
        raise InputError(f"{message}, got {attributes!r}", path=where)
    if not all(each.strip(BLANK) for each in translations):
        raise InputError("expected a translation between bars in <x translation=...>", path=where)
    return Mark("term", 0, 0, translations, soft == "yes")
