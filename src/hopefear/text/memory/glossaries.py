"""The terms of a glossary: a table, or TBX in its forms of 2008 and 2019."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hopefear.base import InputError
from hopefear.base.errors import naming_file

from ..documents.splices import LineNumbers
from ..documents.xml import Element, XmlText
from .files import at_least_one, content_of, ending_of, in_a_line, in_languages, table_rows, two_languages

GLOSSARY_ENDINGS = ("tsv", "txt", "tbx")
"""The endings of the files of glossaries; ``.gz`` may follow."""

_ENTRIES, _SECTIONS, _TERMS = ("termEntry", "conceptEntry"), ("langSet", "langSec"), ("term",)
_AVOIDED = ("deprecated", "superseded")
"""What the administrative status of a term to avoid begins with."""


class Term(NamedTuple):
    """A term and its translation, as they are written."""

    source: str
    target: str
    where: str


def read_glossary(path: Path, languages: tuple[str, str] | None = None) -> Iterator[Term]:
    """Iterate over the terms of a glossary; a term with several translations comes with each of them.

    A line of a table is ``source<TAB>target``, and a note may follow. The first line can be a comment. Of
    TBX, a translation whose status is deprecated or superseded is left out. There is at least one term.
    """
    return at_least_one(_terms(path, languages), "terms, got an empty file", path)


def _terms(path: Path, languages: tuple[str, str] | None) -> Iterator[Term]:
    if ending_of(path, GLOSSARY_ENDINGS) != "tbx":
        for where, cells in table_rows(path, range(2, 4)):
            yield Term(cells[0], cells[1], where)
        return
    with naming_file(path):
        terms = list(_of_tbx(path, languages))
    for source, target, line in terms:
        where = f"{path}:{line}"
        term = Term(in_a_line(source, where), in_a_line(target, where), where)
        if term.source and term.target:
            yield term


Words = list[tuple[str, bool]]
"""The terms of an entry in a language, and whether each is to be avoided."""


def _of_tbx(path: Path, languages: tuple[str, str] | None) -> Iterator[tuple[str, str, int]]:
    entries: list[tuple[int, dict[str, Words]]] = []

    def take(element: Element) -> bool:
        if element.name not in _ENTRIES:
            return False
        sections: dict[str, Words] = {}
        for section in element:
            if section.name in _SECTIONS:
                sections.setdefault(section.language, []).extend(_words(section))
        entries.append((element.begin, sections))
        return True

    xml = XmlText(content_of(path), "a TBX file", take)
    if xml.root.name not in ("martif", "tbx"):
        raise InputError(f"expected a TBX file, got <{xml.root.name}>")
    if languages is None and entries:
        languages = two_languages(code for _, sections in entries for code in sections)
    lines = LineNumbers(xml.text)
    for begin, source, target in in_languages(entries, languages, "terms"):
        for first, _ in source:
            for second, avoided in target:
                if not avoided:
                    yield first, second, lines.at(begin)


def _words(section: Element) -> Iterator[tuple[str, bool]]:
    """Iterate over the terms of a language section: the ``tig``, ``ntig`` or ``termSec`` in it."""
    for holder in section:
        inside = list(holder.walk())
        terms = [one for one in inside if one.name in _TERMS]
        statuses = [
            one.string().strip()
            for one in inside
            if "administrativeStatus" in (one.name, one.attributes.get("type"))
        ]
        avoided = any(status.startswith(_AVOIDED) for status in statuses)
        for term in terms:
            yield term.string(), avoided
