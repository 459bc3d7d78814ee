"""Documents that translators bring, and the same documents with their translations.

A sentence is a line of a text, a row of a CSV file, or a segment of an XLIFF file (1.2, 2.0 or 2.1).
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count, islice
from pathlib import PurePath
from typing import Any

from lxml import etree

from hopefear.base import InputError
from hopefear.base.texts import split_words

FORMATS = {"text": "text/plain", "csv": "text/csv", "xliff": "application/xliff+xml"}
"""The formats, with their media types."""

_ENDINGS = {".csv": "csv", ".tsv": "csv", ".xlf": "xliff", ".xliff": "xliff"}
_XLIFF_1, _XLIFF_2 = "urn:oasis:names:tc:xliff:document:1.2", "urn:oasis:names:tc:xliff:document:2.0"
_CODES = frozenset({"bpt", "ept", "ph", "it", "x", "bx", "ex", "sub", "cp", "sc", "ec", "sm", "em"})
"""Inline elements of XLIFF whose content is no text."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\x7f")
_XML_ENCODINGS = frozenset({"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ASCII", "US-ASCII", "ISO-8859-1"})
_FIRST, _SECOND = 0, 1  # the columns of source and target without a header

LONGEST = 20_000
"""The most characters of a text: a sentence, a correction."""

_ROWS = 200_000  # lines of a text, rows of a CSV file, also those without a sentence


@dataclass(frozen=True)
class Document:
    """A document to translate.

    Attributes
    ----------
    name : str
        The name of the file, without a folder; only for display.
    format : str
        A key of `FORMATS`.
    content : bytes
        The document as it came.
    sentences : tuple of str
        The sentences, words separated by single blanks.
    """

    name: str
    format: str
    content: bytes
    sentences: tuple[str, ...]

    @classmethod
    def read(
        cls, name: str, content: bytes, format: str | None = None, *, sentences: int | None = None
    ) -> Document:
        """Read a document.

        Parameters
        ----------
        name : str
            The name of the file; its ending tells the format if `format` does not.
        format : str, optional
            A key of `FORMATS`.
        sentences : int, optional
            The most sentences.

        Raises
        ------
        InputError
            The document is not in the format, has no sentence or too many, has a sentence of more than
            `LONGEST` characters, or holds what XML cannot.
        """
        base = PurePath(name.replace("\\", "/")).name or "document"
        kind = format or _ENDINGS.get(PurePath(base).suffix.lower(), "text")
        if kind not in FORMATS:
            raise InputError(f"expected a format of {', '.join(FORMATS)}, got {kind!r}")
        if kind == "xliff":
            found: Iterable[str] = (_text(source) for _, source in _segments(_parsed(content).getroot()))
        elif kind == "csv":
            found = _Sheet(_decoded(content)).sources()
        else:
            found = _lines(content)
        texts: list[str] = []
        for text in found:
            words = " ".join(split_words(text))
            if not words:
                continue
            if sentences is not None and len(texts) == sentences:
                raise InputError(f"expected at most {sentences} sentences, got more", path=base)
            texts.append(check_text(words, where=f"sentence {len(texts) + 1}"))
        if not texts:
            raise InputError("expected a document with sentences, got one without")
        return cls(check_text(base[:200]), kind, content, tuple(texts))

    @property
    def media_type(self) -> str:
        """The media type of the document."""
        return FORMATS[self.format]

    def translated(self, targets: Mapping[int, str], *, language: str = "und") -> bytes:
        """Return the document in its format with translations.

        Parameters
        ----------
        targets : mapping of int to str
            Translations, by the index of the sentence. A text has an empty line for a sentence without one.
        language : str
            The target language, for XLIFF 2 documents that do not name one.
        """
        if self.format == "xliff":
            return _translated_xliff(self.content, targets, language)
        numbers = count()
        if self.format == "csv":
            return _Sheet(_decoded(self.content)).translated(targets).encode()
        lines = (targets.get(next(numbers), "") if split_words(line) else "" for line in _lines(self.content))
        return "".join(f"{line}\n" for line in lines).encode()


def check_text(text: str, *, where: str = "the text") -> str:
    """Return a text that XML can hold, and that is not too long.

    Raises
    ------
    InputError
        It has a control character or half of a surrogate pair, or more than `LONGEST` characters.
    """
    if len(text) > LONGEST:
        raise InputError(f"expected at most {LONGEST:,} characters, got {len(text):,}", path=where)
    wrong = _NOT_XML.search(text)
    if wrong is not None:
        raise InputError(f"expected text without control characters, got {wrong[0]!r}", path=where)
    return text


def tmx(pairs: Iterable[tuple[str, str]], languages: tuple[str, str]) -> bytes:
    """Write sentence pairs as a translation memory, TMX 1.4.

    Parameters
    ----------
    pairs : iterable of pairs of str
        Source and target.
    languages : (str, str)
        Codes of the source and the target language.
    """
    root = etree.Element("tmx", version="1.4")
    facts = {"creationtool": "hopefear", "creationtoolversion": version("hopefear"), "segtype": "sentence"}
    facts |= {"o-tmf": "none", "adminlang": "en", "srclang": languages[0], "datatype": "plaintext"}
    etree.SubElement(root, "header", facts)
    body = etree.SubElement(root, "body")
    for pair in pairs:
        unit = etree.SubElement(body, "tu")
        for language, text in zip(languages, pair, strict=True):
            side = etree.SubElement(unit, "tuv")
            side.set("{http://www.w3.org/XML/1998/namespace}lang", language)
            etree.SubElement(side, "seg").text = text
    out: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return out


def _decoded(content: bytes) -> str:
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("expected a text in UTF-8, or in UTF-16 with a byte order mark") from None


def _lines(content: bytes) -> list[str]:
    lines = re.split("\r\n|\n|\r", _decoded(content), maxsplit=_ROWS)
    if len(lines) > _ROWS and lines[-1]:
        raise InputError(f"expected at most {_ROWS:,} lines, got more")
    return lines if lines[-1] else lines[:-1]


class _Sheet:
    """A CSV file: a header with the column ``source``, or no header and sources in the first column."""

    def __init__(self, text: str) -> None:
        begin = text.partition("\n")[0]
        self._separator = max(",;\t", key=begin.count)
        try:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator)
            self._rows = list(islice(rows, _ROWS + 1))
        except csv.Error as error:
            raise InputError(f"expected a CSV file: {error}") from None
        if len(self._rows) > _ROWS:
            raise InputError(f"expected at most {_ROWS:,} rows, got more")
        head = [cell.strip().lower() for cell in self._rows[0]] if self._rows else []
        self._has_head = "source" in head
        self._source = head.index("source") if self._has_head else _FIRST
        self._target = head.index("target") if self._has_head and "target" in head else _SECOND
        if self._has_head and "target" not in head:
            self._target = len(head)

    def sources(self) -> Iterator[str]:
        for row in self._rows[self._has_head :]:
            yield self._of(row)

    def translated(self, targets: Mapping[int, str]) -> str:
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self._separator, lineterminator="\r\n")
        numbers = count()
        for index, row in enumerate(self._rows):
            cells = list(row)
            if self._has_head and index == 0:
                text: str | None = cells[self._target] if self._target < len(cells) else "target"
            else:
                text = targets.get(next(numbers)) if split_words(self._of(row)) else None
            if text is not None:
                cells += [""] * (self._target + 1 - len(cells))
                cells[self._target] = text
            writer.writerow(cells)
        return out.getvalue()

    def _of(self, row: list[str]) -> str:
        return row[self._source] if self._source < len(row) else ""


def _parsed(content: bytes) -> Any:
    """Parse an XLIFF file; nothing but the bytes is read."""
    if b"<!DOCTYPE" in content.replace(b"\0", b"").upper():
        raise InputError("expected an XLIFF file without a document type declaration")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        tree = etree.parse(io.BytesIO(content), parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"expected an XLIFF file: {error.msg}") from None
    kind = etree.QName(tree.getroot())
    if (
        tree.docinfo.internalDTD is not None
        or (tree.docinfo.encoding or "UTF-8").upper() not in _XML_ENCODINGS
    ):
        raise InputError("expected an XLIFF file in UTF-8 or UTF-16 without a document type declaration")
    if kind.localname != "xliff" or kind.namespace not in (_XLIFF_1, _XLIFF_2):
        raise InputError(f"expected an XLIFF file of version 1.2, 2.0 or 2.1, got <{kind.localname}>")
    return tree


def _segments(root: Any) -> Iterator[tuple[Any, Any]]:
    """Iterate over the elements that hold a source and a target, and their sources with text.

    Elements that are not to be translated are left out; the closest attribute decides.
    """
    space = etree.QName(root).namespace
    holder = f"{{{space}}}{'trans-unit' if space == _XLIFF_1 else 'segment'}"
    translate = ["yes"]  # of the open elements
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            translate.pop()
            continue
        translate.append(element.get("translate", translate[-1]))
        if element.tag == holder and translate[-1] == "yes":
            source = element.find(f"{{{space}}}source")
            if source is not None and split_words(_text(source)):
                yield element, source


def _text(element: Any) -> str:
    """Return the text of an element without inline codes."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and etree.QName(child).localname not in _CODES:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _translated_xliff(content: bytes, targets: Mapping[int, str], language: str) -> bytes:
    tree = _parsed(content)
    root = tree.getroot()
    space = etree.QName(root).namespace
    for index, (element, source) in enumerate(list(_segments(root))):
        text = targets.get(index)
        if text is None:
            continue
        target = element.find(f"{{{space}}}target")
        if target is None:
            target = etree.Element(f"{{{space}}}target")
            before = element.find(f"{{{space}}}seg-source")
            place = source if before is None else before
            place.addnext(target)
            target.tail, place.tail = place.tail, place.tail
        for child in list(target):
            target.remove(child)
        target.text = text
        (target if space == _XLIFF_1 else element).set("state", "translated")
        if space == _XLIFF_2 and root.get("trgLang") is None:
            root.set("trgLang", language)
    encoding = tree.docinfo.encoding or "UTF-8"
    out: bytes = etree.tostring(tree, encoding=encoding, xml_declaration=True)
    return out
