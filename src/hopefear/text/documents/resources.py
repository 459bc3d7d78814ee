"""Texts of programs in XML with one language each: Android's ``strings.xml``, and RESX of .NET."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from hopefear.base import InputError

from .contract import Difference, Format, Unit, fitting, pieces
from .placeholders import ANDROID, OF_PROGRAMS
from .proofs import resources as proof
from .splices import LineNumbers, Splices
from .xml import Element, XmlText, content_of, escaped, text_of

_NOTHING: frozenset[str] = frozenset()
_GROUPS = frozenset({"g"})  # ``xliff:g``, whose content is not translated


class _Resources(Format):
    """Elements whose content is text; all else stays."""

    media_type: ClassVar[str] = "application/xml"
    placeholders: ClassVar[re.Pattern[str]] = OF_PROGRAMS
    opaque: ClassVar[frozenset[str]] = _NOTHING
    kind: ClassVar[str]
    root: ClassVar[str]

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._xml = XmlText(content, self.kind)
        if self._xml.root.name != self.root:
            raise InputError(f"expected {self.kind}, got <{self._xml.root.name}>")
        lines = LineNumbers(self._xml.text)
        self._places = [(name, one) for name, one in self.texts(self._xml.root) if one.string().strip()]
        self.units = []
        for name, element in self._places:
            text, codes = text_of(self._xml, element, self.opaque)
            parts = pieces(text, codes)
            shown = "".join(part if code is not None else self.shown(part) for part, code in parts)
            line = lines.at(element.begin)
            self.units.append(
                Unit(
                    shown,
                    None,
                    codes=codes,
                    profile="printf",
                    line=line,
                    context=name,
                    lines=True,
                    placeholders=self.placeholders,
                )
            )

    @abstractmethod
    def texts(self, root: Element) -> Iterator[tuple[str, Element]]:
        """Iterate over the elements that hold texts, with their names."""

    def shown(self, text: str) -> str:
        """Return a text as it is read."""
        return text

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._xml.text)
        for index, target in targets.items():
            _, element = self._places[index]
            splices.replace(
                element.inner, element.inner_end, self.content(self.units[index], target, splices)
            )
        return self._xml.encoded(splices.whole())

    def content(self, unit: Unit, target: str, splices: Splices) -> str:
        """Return a translation as XML."""
        return content_of(unit, target, splices)


class AndroidStrings(_Resources):
    r"""The strings, arrays and plurals of an Android program; ``translatable="false"`` is left out.

    ``\n``, ``\"`` and the like are kept. An apostrophe of a translation is written as ``\'``.
    """

    placeholders = ANDROID
    opaque = _GROUPS
    kind = "an Android file of strings"
    root = "resources"

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two files of strings by another reading."""
        return proof.android(original, written, named)

    def texts(self, root: Element) -> Iterator[tuple[str, Element]]:
        """Iterate over the strings and items."""
        for element in root:
            if element.attributes.get("translatable") == "false":
                continue
            name = element.attributes.get("name", "")
            holders = [element] if element.name == "string" else []
            if element.name in ("string-array", "plurals"):
                holders = [item for item in element if item.name == "item"]
            yield from ((name, one) for one in holders if not _REFERENCE.match(one.string().strip()))

    def shown(self, text: str) -> str:
        """Return a text with apostrophes as they are read."""
        return text.replace("\\'", "'")

    def content(self, unit: Unit, target: str, splices: Splices) -> str:
        """Return a translation as XML, with escaped apostrophes, and quotes if the source quotes nothing."""
        marks = "'" if _QUOTE.search(unit.source) else "'\""
        out = []
        for piece, code in fitting(unit, target):
            text = re.sub(rf"(?<!\\)[{marks}]", lambda found: f"\\{found[0]}", piece)
            out.append(escaped(text) if code is None else splices.part(code.begin, code.end))
        content = "".join(out)
        return f"\\{content}" if content[:1] in ("@", "?") else content


_REFERENCE = re.compile(r"[@?][\w+.:]{1,60}/?[\w.]{1,100}\Z")
_QUOTE = re.compile(r'(?<!\\)"')


class Resx(_Resources):
    """The texts of a RESX file; data of a type, XML, and names that begin with ``>>``, are left out."""

    kind = "a RESX file"
    root = "root"

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two RESX files by another reading."""
        return proof.resx(original, written, named)

    def texts(self, root: Element) -> Iterator[tuple[str, Element]]:
        """Iterate over the values of texts."""
        for data in root:
            name, value = data.attributes.get("name", ""), data.find("value")
            typed = {"type", "mimetype"} & data.attributes.keys() or name.startswith(">>")
            if data.name == "data" and value is not None and not typed and not _is_settings(value.string()):
                yield name, value


def _is_settings(text: str) -> bool:
    """Tell whether a value is XML, as the layouts of forms are."""
    return text.lstrip().startswith("<?xml")
