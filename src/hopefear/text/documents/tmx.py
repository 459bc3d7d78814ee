"""Translation memories, TMX 1.4."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import version
from time import gmtime, strftime
from types import MappingProxyType
from typing import ClassVar

from hopefear.base import InputError

from .contract import Difference, Format, State, Unit
from .proofs import localisation
from .splices import LineNumbers, Splices
from .xml import Element, XmlText, content_of, escaped, quoted, text_of, with_attribute

OPAQUE = frozenset({"bpt", "ept", "ph", "it", "ut", "sub"})
"""Inline elements whose content is no text."""

_DATE = "%Y%m%dT%H%M%SZ"


def _same(first: str, second: str) -> bool:
    """Tell whether two codes are of one language: ``es`` and ``es-MX`` are."""
    left, right = (code.lower().replace("_", "-").split("-") for code in (first, second))
    return left[: len(right)] == right[: len(left)]


class Tmx(Format):
    """Units of a translation memory: its source language, and the target language beside it.

    Without a code of the target language, it is the only other language of the memory.
    """

    media_type: ClassVar[str] = "application/x-tmx+xml"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._xml = XmlText(content, "a TMX file")
        root = self._xml.root
        header, body = root.find("header"), root.find("body")
        if root.name != "tmx" or header is None or body is None:
            raise InputError(f"expected a TMX file with a header and a body, got <{root.name}>")
        source = header.attributes.get("srclang", "*all*")
        sides = {one.language for unit in body for one in unit if one.name == "tuv"}
        if source == "*all*":
            named = (one.language for unit in body for one in unit if one.name == "tuv")
            source = next((code for code in named if language is None or not _same(code, language)), "")
        others = {code for code in sides if not _same(code, source)}
        self._language = language or (next(iter(others)) if len(others) == 1 else None)
        self.units: list[Unit] = []
        self._places: list[tuple[Element, Element | None]] = []
        lines = LineNumbers(self._xml.text)
        for unit in body:
            if unit.name != "tu":
                continue
            begun = self._begun(unit, source)
            target = self._side(unit, self._language) if self._language else None
            segment = begun.find("seg") if begun is not None else None
            if begun is None or begun is target or segment is None or not segment.string().strip():
                continue
            text, codes = text_of(self._xml, segment, OPAQUE)
            found = target.find("seg") if target is not None else None
            written = text_of(self._xml, found, OPAQUE)[0] if found is not None else ""
            self.units.append(
                Unit(
                    text,
                    written or None,
                    State.DONE if written.strip() else State.NEW,
                    codes,
                    profile="xliff",
                    line=lines.at(unit.begin),
                    context=unit.attributes.get("tuid", ""),
                )
            )
            self._places.append((begun, target))

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two memories by another reading."""
        return localisation.tmx(original, written, named)

    def _begun(self, unit: Element, source: str) -> Element | None:
        """Return the side of a unit that is translated; of ``*all*`` any that is not the translation."""
        named = unit.attributes.get("srclang", source)
        if named != "*all*":
            return self._side(unit, named)
        others = (one for one in unit if one.name == "tuv" and not _same(one.language, self._language or "-"))
        return self._side(unit, source) or next(others, None)

    @staticmethod
    def _side(unit: Element, language: str) -> Element | None:
        return next((one for one in unit if one.name == "tuv" and _same(one.language, language)), None)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        language = self._language or language
        if not language:
            raise InputError("expected the code of the target language, for a memory that does not name one")
        splices, text = Splices(self._xml.text), self._xml.text
        for index, translation in targets.items():
            source, target = self._places[index]
            content = content_of(self.units[index], translation, splices)
            segment = target.find("seg") if target is not None else None
            if segment is not None:
                splices.replace(segment.begin, segment.end, f"<seg>{content}</seg>")
                continue
            tag = '<tuv xml:lang="">' if "xml:lang" in self._xml.start_tag(source) else '<tuv lang="">'
            name = tag[5:].split("=")[0]
            gap = text[text.rfind(">", 0, source.begin) + 1 : source.begin]
            new = f"{with_attribute(tag, name, language)}<seg>{content}</seg></tuv>"
            splices.replace(source.end, source.end, (gap if not gap.strip() else "") + new)
        return self._xml.encoded(splices.whole())


def tmx(
    pairs: Iterable[tuple[str, str]],
    languages: tuple[str, str],
    times: Mapping[tuple[str, str], float] = MappingProxyType({}),
) -> bytes:
    """Write sentence pairs as a translation memory, TMX 1.4, with their times in seconds since the epoch."""
    facts = {"creationtool": "hopefear", "creationtoolversion": version("hopefear"), "segtype": "sentence"}
    facts |= {"o-tmf": "none", "adminlang": "en", "srclang": languages[0], "datatype": "plaintext"}
    named = " ".join(f'{name}="{quoted(value)}"' for name, value in facts.items())
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<tmx version="1.4">',
        f"  <header {named}/>",
        "  <body>",
    ]
    for pair in pairs:
        made = f' creationdate="{strftime(_DATE, gmtime(times[pair]))}"' if pair in times else ""
        lines.append(f"    <tu{made}>")
        for language, text in zip(languages, pair, strict=True):
            lines.append(f'      <tuv xml:lang="{quoted(language)}"><seg>{escaped(text)}</seg></tuv>')
        lines.append("    </tu>")
    return "\n".join([*lines, "  </body>", "</tmx>", ""]).encode()
