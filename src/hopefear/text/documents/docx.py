"""Texts of Word, ``.docx``: runs of the format that most of a paragraph has are its text, others are tags."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Mapping
from functools import partial
from typing import ClassVar

from hopefear.base import InputError
from hopefear.base.texts import split_words

from .contract import Code, Difference, Format, Kind, Unit, fitting, with_codes
from .proofs import package as proof
from .splices import Splices
from .xml import Element, XmlText, escaped, shown_alone

_PART = re.compile(r"word/(?:document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_LARGEST = 256 << 20  # bytes of all members, unpacked
_LARGEST_PART = 64 << 20
_AROUND = frozenset(split_words("hyperlink smartTag ins moveTo customXml dir bdo sdt sdtContent"))
"""Elements around runs."""

_DROPPED = frozenset({"proofErr", "lastRenderedPageBreak"})
"""What Word notes about the old text alone."""


_DAMAGED = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError)


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
            shown = shown_alone(self.xml, element, len(self.codes) + 1)
            name = split_words(shown[1:])[0].rpartition(":")[2]
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
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as package:
                members = package.infolist()
                texts = [one for one in members if _PART.fullmatch(one.filename)]
                if sum(one.file_size for one in members) > _LARGEST or any(
                    one.file_size > _LARGEST_PART for one in texts
                ):
                    raise InputError(f"expected a docx file of at most {_LARGEST >> 20} MB, unpacked")
                found = {one.filename: package.read(one) for one in texts}
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            EOFError,
            OSError,
        ) as error:
            raise InputError(f"expected a docx file: {error}") from None
        if "word/document.xml" not in found:
            raise InputError("expected a docx file, got a package without word/document.xml")
        for name, data in found.items():
            xml = XmlText(data, "a docx file")
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
            lambda name: _PART.fullmatch(name) is not None,
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
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(self._content)) as package, zipfile.ZipFile(out, "w") as written:
            for member in package.infolist():
                if member.filename in self._parts:
                    xml = self._parts[member.filename][0]
                    written.writestr(member, xml.encoded(splices[member.filename].whole()))
                else:
                    written.writestr(member, package.read(member))
        return out.getvalue()
