"""XLIFF 1.2, 2.0 and 2.1."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from hopefear.base import InputError
from hopefear.base.texts import split_words

from .contract import Difference, Format, State, Unit
from .proofs import localisation
from .splices import LineNumbers, Splices
from .xml import Element, XmlText, content_of, quoted, text_of, with_attribute

_XLIFF_1, _XLIFF_2 = "urn:oasis:names:tc:xliff:document:1.2", "urn:oasis:names:tc:xliff:document:2."
_OPAQUE = frozenset({"bpt", "ept", "ph", "it", "x", "bx", "ex", "sub", "cp", "sc", "ec", "sm", "em"})
"""Inline elements whose content is no text."""

_NEW = frozenset({"new", "needs-translation", "initial"})
_DONE = frozenset({"translated", "signed-off", "final", "reviewed"})


class Xliff(Format):
    """Translation units of XLIFF 1.2, segments of XLIFF 2.

    A unit that is not to be translated is left out; the closest attribute ``translate`` decides. Inline codes
    stand in the text as their tags, codes with content as an empty tag. The state of what is translated
    becomes ``translated``, of what needs a person ``needs-review-translation`` (1.2) or ``initial`` (2).
    """

    media_type: ClassVar[str] = "application/xliff+xml"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._xml = XmlText(content, "an XLIFF file")
        root = self._xml.root
        self._is_first = root.space == _XLIFF_1
        if root.name != "xliff" or not (self._is_first or root.space.startswith(_XLIFF_2)):
            raise InputError(f"expected an XLIFF file of version 1.2, 2.0 or 2.1, got <{root.name}>")
        names = ("source-language", "target-language") if self._is_first else ("srcLang", "trgLang")
        holder = ((root.find("file") if self._is_first else root) or root).attributes
        self.languages = (holder.get(names[0], ""), holder.get(names[1], ""))
        self._found = list(self._segments(root))
        lines = LineNumbers(self._xml.text)
        self.units = [self._unit(holder, source, lines) for holder, source in self._found]

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two XLIFF files by another reading."""
        return localisation.xliff(original, written)

    def _segments(self, root: Element) -> Iterator[tuple[Element, Element]]:
        """Iterate over the elements that hold a source and a target, and their sources with text."""
        holder = "trans-unit" if self._is_first else "segment"
        waiting = [(root, "yes")]
        while waiting:
            element, translate = waiting.pop()
            translate = element.attributes.get("translate", translate)
            if element.name == holder and element.space == root.space:
                source = element.find("source")
                if translate == "yes" and source is not None and source.string().strip():
                    yield element, source
            else:
                waiting.extend((child, translate) for child in reversed(list(element)))

    def _unit(self, holder: Element, source: Element, lines: LineNumbers) -> Unit:
        text, codes = text_of(self._xml, source, _OPAQUE)
        found = holder.find("target")
        target = text_of(self._xml, found, _OPAQUE)[0] if found is not None else ""
        unit = holder if self._is_first or holder.parent is None else holder.parent
        notes = [one.string() for one in unit.walk() if one.name == "note"]
        return Unit(
            text,
            target or None,
            self._state(holder, found) if target.strip() else State.NEW,
            codes,
            profile="xliff",
            line=lines.at(holder.begin),
            context=unit.attributes.get("id", ""),
            notes="\n".join(notes),
        )

    def _state(self, holder: Element, target: Element | None) -> State:
        marked = (target if self._is_first and target is not None else holder).attributes.get("state")
        if marked is None or marked in _DONE or holder.attributes.get("approved") == "yes":
            return State.DONE
        return State.NEW if marked in _NEW else State.DRAFT

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices, files = Splices(self._xml.text), dict[int, Element]()
        for index, text in targets.items():
            holder, source = self._found[index]
            content = content_of(self.units[index], text, splices)
            unsure = index in drafts
            state = ("needs-review-translation" if self._is_first else "initial") if unsure else "translated"
            self._write(splices, holder, source, content, state)
            for above in _above(holder):
                if above.name == "file":
                    files[id(above)] = above
        if language or not self._is_first:  # version 2 demands a code where there are targets
            name = "target-language" if self._is_first else "trgLang"
            for element in files.values() if self._is_first else [self._xml.root]:
                if name not in element.attributes:
                    tag = with_attribute(self._xml.start_tag(element), name, language or "und")
                    splices.replace(element.begin, element.inner, tag)
        return self._xml.encoded(splices.whole())

    def _write(self, splices: Splices, holder: Element, source: Element, content: str, state: str) -> None:
        xml, target = self._xml, holder.find("target")
        if not self._is_first:
            tag = with_attribute(xml.start_tag(holder), "state", state)
            splices.replace(holder.begin, holder.inner, tag)
        if target is not None:
            tag = xml.start_tag(target)
            if self._is_first:
                tag = with_attribute(tag, "state", state)
            if target.is_single:
                opening = tag[:-2].rstrip()
                name = split_words(opening)[0].lstrip("<")
                splices.replace(target.begin, target.end, f"{opening}>{content}</{name}>")
            else:
                splices.replace(target.begin, target.inner_end, tag + content)
            return
        before = holder.find("seg-source") or source
        opening = xml.text[source.begin :].split("source", 1)[0]  # with the prefix of a namespace
        marked = f' state="{quoted(state)}"' if self._is_first else ""
        new = f"{opening}target{marked}>{content}</{opening[1:]}target>"
        # The white space between elements is repeated: the new one stands in a line of its own if others do.
        at = holder.children.index(source)
        gap = holder.children[at - 1] if at and isinstance(holder.children[at - 1], str) else ""
        begin = source.begin - len(gap) if isinstance(gap, str) and not gap.strip() else source.begin
        splices.replace(before.end, before.end, xml.text[begin : source.begin] + new)


def _above(element: Element) -> Iterator[Element]:
    parent = element.parent
    while parent is not None:
        yield parent
        parent = parent.parent
