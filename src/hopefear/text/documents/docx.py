"""Texts of Word, ``.docx``: runs of the format that most of a paragraph has are its text, others are tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar

from hopefear.base.texts import split_words

from .contract import Code, Difference, Format, Kind, Unit, fitting, with_codes
from .package import read_texts, with_texts
from .proofs import package as proof
from .splices import Splices
from .xml import Element, XmlText, escaped

_PART = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_KIND, _MAIN = "a docx file", "word/document.xml"
_AROUND = frozenset(split_words("hyperlink smartTag ins moveTo customXml dir bdo sdt sdtContent"))
"""Elements around runs."""

_DROPPED = frozenset({"proofErr", "lastRenderedPageBreak"})
"""What Word notes about the old text alone."""


class _Paragraph:
    """A paragraph: its text, with the codes of it."""

    def __init__(self, xml: XmlText, element: Element) -> None:
        self.xml, self.element = xml, element
        properties = element.find("pPr")
        self.begin = element.inner if properties is None else properties.end
        sizes = Counter[str]()
        for run in element.walk():
            if run.name == "r" and run.find("t") is not None:
                sizes[self._format(run)] += len("".join(one.string() for one in run if one.name == "t"))
        self.format = max(sizes, key=lambda one: sizes[one], default="")
        self.codes, self.parts = list[Code](), list[str | Code]()
        self.formats: dict[int, str] = {}  # of codes that begin runs, by the number of the code
        self.in_runs: set[int] = set()  # where codes begin that must stand in a run
        self._read(element)

    def _format(self, run: Element) -> str:
        found = run.find("rPr")
        return "" if found is None else self.xml.text[found.begin : found.end]

    def _add(self, shown: str, begin: int, end: int, kind: Kind) -> None:
        self.codes.append(Code(shown, begin, end, kind))
        self.parts.append(self.codes[-1])

    def _alone(self, element: Element) -> None:
        if element.name not in _DROPPED:
            name = "x" if element.name in "!?" else element.name  # of a comment or an instruction
            self._add(f'<{name} id="c{len(self.codes) + 1}"/>', element.begin, element.end, Kind.ALONE)

    def _read(self, inside: Element) -> None:
        for child in inside:
            if child.name == "r" and child.find("t") is not None:
                self._run(child)
            elif child.name in _AROUND and not child.is_single:
                shown = f'<{child.name} id="c{len(self.codes) + 1}">'
                self._add(shown, child.begin, child.inner, Kind.OPEN)
                self._read(child)
                self._add(f"</{child.name}>", child.inner_end, child.end, Kind.CLOSE)
            elif child.name != "pPr":
                self._alone(child)

    def _run(self, run: Element) -> None:
        style = self._format(run)
        if style != self.format:
            begin = run.begin
            self.formats[begin] = style
            self._add(f'<r id="c{len(self.codes) + 1}">', begin, begin, Kind.OPEN)
        for child in run:
            if child.name == "t":
                self.parts.append(child.string())
            elif child.name != "rPr":
                self.in_runs.add(child.begin)
                self._alone(child)
        if style != self.format:
            self._add("</r>", run.end, run.end, Kind.CLOSE)

    @property
    def unit(self) -> Unit:
        """The paragraph as a unit."""
        text, codes = with_codes(self.parts)
        return Unit(text, codes=codes, profile="xliff", context="p")

    def content(self, unit: Unit, target: str, splices: Splices) -> str:
        """Return a translation as runs."""
        out, formats = list[str](), [self.format]
        for piece, code in fitting(unit, target):
            if code is None:
                text = f'<w:t xml:space="preserve">{escaped(piece)}</w:t>'
                out.append(f"<w:r>{formats[-1]}{text}</w:r>")
            elif code.kind is Kind.OPEN and code.begin in self.formats and code.begin == code.end:
                formats.append(self.formats[code.begin])
            elif code.kind is Kind.CLOSE and code.begin == code.end:
                if len(formats) > 1:
                    formats.pop()
            elif code.begin in self.in_runs:
                out.append(f"<w:r>{formats[-1]}{splices.part(code.begin, code.end)}</w:r>")
            else:
                out.append(splices.part(code.begin, code.end))
        return "".join(out)


class Docx(Format):
    """The paragraphs of a text of Word, of its headers, footers and notes, and in its tables and boxes."""

    media_type: ClassVar[str] = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._content, self._parts = content, dict[str, tuple[XmlText, list[_Paragraph]]]()
        self.units: list[Unit] = []
        self._places: list[tuple[str, _Paragraph]] = []
        for name, data in read_texts(content, _KIND, _MAIN, _is_text).items():
            xml = XmlText(data, _KIND)
            elements = [
                one for one in xml.root.walk() if xml.start_tag(one).startswith("<w:p") and one.name == "p"
            ]
            paragraphs = [_Paragraph(xml, one) for one in elements]
            self._parts[name] = xml, paragraphs
            for paragraph in paragraphs:
                unit = paragraph.unit
                if unit.plain.strip():
                    self.units.append(unit)
                    self._places.append((name, paragraph))

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two packages by another reading."""
        return proof.differences(
            original,
            written,
            _is_text,
            lambda node: node.name == "w:p",
            named,
            proof.marks_of_word,
        )

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = {name: Splices(xml.text) for name, (xml, _) in self._parts.items()}
        for index, target in targets.items():
            name, paragraph = self._places[index]
            part, unit = splices[name], self.units[index]

            # Made late: a box in a paragraph has paragraphs of its own.
            late = partial(paragraph.content, unit, target, part)
            part.replace(paragraph.begin, paragraph.element.inner_end, late)
        texts = {name: xml.encoded(splices[name].whole()) for name, (xml, _) in self._parts.items()}
        return with_texts(self._content, _KIND, texts)


def _is_text(name: str) -> bool:
    return _PART.fullmatch(name) is not None
