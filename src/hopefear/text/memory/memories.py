"""The sentence pairs of a translation memory: TMX, gettext, XLIFF, a table of two columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hopefear.base import InputError
from hopefear.base.errors import naming_file

from ..documents import Document, State, pieces
from ..documents.splices import LineNumbers
from ..documents.tmx import OPAQUE
from ..documents.xml import Element, XmlText, plain_text
from .files import (
    at_least_one,
    content_of,
    ending_of,
    in_a_line,
    in_languages,
    is_reversed,
    table_rows,
    two_languages,
)

MEMORY_ENDINGS = ("tmx", "po", "xlf", "xliff", "tsv")
"""The endings of the files of memories; ``.gz`` may follow."""


class TextPair(NamedTuple):
    """A text and its translation, each in a line, as they are written."""

    source: str
    target: str
    where: str


def read_memory(path: Path, languages: tuple[str, str] | None = None) -> Iterator[TextPair]:
    """Iterate over the pairs of a translation memory; there is at least one.

    Inline codes are left out, and so is what is not translated or has to be looked at (``fuzzy``,
    ``needs-review-translation``).
    """
    ending = ending_of(path, MEMORY_ENDINGS)
    texts = _texts(path, ending, languages)
    pairs = (TextPair(in_a_line(f, where), in_a_line(e, where), where) for f, e, where in texts)
    whole = (pair for pair in pairs if pair.source and pair.target)
    return at_least_one(whole, "sentence pairs, got an empty memory", path)


def _texts(path: Path, ending: str, languages: tuple[str, str] | None) -> Iterator[tuple[str, str, str]]:
    if ending == "tsv":
        for where, cells in table_rows(path, range(2, 3)):
            yield cells[0], cells[1], where
        return
    read = _of_tmx if ending == "tmx" else _of_document
    with naming_file(path):
        texts = list(read(path, ending, languages))
    for source, target, line in texts:
        yield source, target, f"{path}:{line}"


Texts = Iterator[tuple[str, str, int | None]]


def _of_document(path: Path, ending: str, languages: tuple[str, str] | None) -> Texts:
    document = Document.read(str(path), content_of(path), ending)
    turned = is_reversed(document.languages, languages)
    for unit in document.units:
        if unit.target is None or unit.state is not State.DONE:
            continue
        source, target = (
            "".join(text for text, code in pieces(side, unit.codes) if code is None)
            for side in (unit.source, unit.target)
        )
        yield (target, source, unit.line) if turned else (source, target, unit.line)


def _of_tmx(path: Path, ending: str, languages: tuple[str, str] | None) -> Texts:
    units: list[tuple[int, dict[str, str]]] = []

    def take(element: Element) -> bool:
        if element.name != "tu":
            return False
        sides: dict[str, str] = {}
        for side in element:
            segment = side.find("seg") if side.name == "tuv" else None
            if segment is not None:
                sides.setdefault(side.language, plain_text(segment, OPAQUE))
        units.append((element.begin, sides))
        return True

    xml = XmlText(content_of(path), "a TMX file", take)
    if xml.root.name != "tmx":
        raise InputError(f"expected a TMX file, got <{xml.root.name}>")
    if languages is None and units:
        header = xml.root.find("header")
        first = header.attributes.get("srclang", "*all*") if header is not None else "*all*"
        named = [code for _, sides in units for code in sides]
        languages = two_languages([*([first] if first != "*all*" else []), *named])
    lines = LineNumbers(xml.text)
    for begin, source, target in in_languages(units, languages, "units"):
        yield source, target, lines.at(begin)
