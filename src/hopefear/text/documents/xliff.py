"""XLIFF 1.1, 1.2, and 2."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar, NamedTuple

from hopefear.base import InputError
from hopefear.base.texts import split_words

from .contract import Difference, Format, State, Unit
from .placeholders import OF_PROGRAMS
from .proofs import localisation
from .splices import LineNumbers, Splices
from .xml import (
    SPACE_KEPT,
    Element,
    XmlText,
    content_of,
    quoted,
    text_of,
    with_attribute,
    without_attribute,
)

_SPACES = {
    "": "1",  # a file without a namespace says its version in an attribute
    "urn:oasis:names:tc:xliff:document:1.1": "1",
    "urn:oasis:names:tc:xliff:document:1.2": "1",
    "urn:oasis:names:tc:xliff:document:2.0": "2",
    "urn:oasis:names:tc:xliff:document:2.1": "2",
    "urn:oasis:names:tc:xliff:document:2.2": "2",
}
_OPAQUE = frozenset({"bpt", "ept", "ph", "it", "x", "bx", "ex", "sub", "cp", "sc", "ec", "sm", "em"})
"""Inline elements whose content is no text."""

_NEW = frozenset({"new", "needs-translation", "initial"})
_DONE = frozenset({"translated", "signed-off", "final", "reviewed"})


class _Place(NamedTuple):
    """Where a unit stands: the element that holds its target, its source, and its target."""

    holder: Element
    source: Element
    target: Element | None
    segments: Element | None
    """The segmented source of which the unit is one segment."""


class Xliff(Format):
    """Translation units of XLIFF 1, segments of XLIFF 2; a ``seg-source`` has a unit for each segment.

    A unit that is not to be translated is left out; the closest attribute ``translate`` decides. Inline codes
    stand in the text as their tags, codes with content as an empty tag. The state of what is translated
    becomes ``translated``, of what needs a person ``needs-review-translation`` (1.2) or ``initial`` (2).
    """

    media_type: ClassVar[str] = "application/xliff+xml"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._xml = XmlText(content, "an XLIFF file")
        root = self._xml.root
        version = root.attributes.get("version", "")[:1] if not root.space else _SPACES.get(root.space)
        if root.name != "xliff" or version not in ("1", "2"):
            named = f" {root.attributes['version']}" if "version" in root.attributes else ""
            raise InputError(
                f"expected an XLIFF file of version 1.1, 1.2 or 2, got <{root.name}>{named} of the namespace "
                f"{root.space!r}"
            )
        self._is_first = version == "1"
        names = ("source-language", "target-language") if self._is_first else ("srcLang", "trgLang")
        holder = ((root.find("file") if self._is_first else root) or root).attributes
        self.languages = (holder.get(names[0], ""), holder.get(names[1], ""))
        lines = LineNumbers(self._xml.text)
        self._places, self.units = list[_Place](), list[Unit]()
        for element, source, kept in self._holders(root):
            for place in _places(element, source):
                if place.source.string().strip():
                    self._places.append(place)
                    self.units.append(self._unit(place, kept, lines))

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two XLIFF files by another reading."""
        return localisation.xliff(original, written)

    def _holders(self, root: Element) -> Iterator[tuple[Element, Element, bool]]:
        """Iterate over the elements that hold targets, their sources, and whether these keep lines."""
        name = "trans-unit" if self._is_first else "segment"
        waiting = [(root, "yes", "default")]
        while waiting:
            element, translate, space = waiting.pop()
            translate = element.attributes.get("translate", translate)
            space = element.attributes.get(SPACE_KEPT, space)
            if element.name == name and element.space == root.space:
                source = element.find("source")
                if translate == "yes" and source is not None:
                    space = source.attributes.get(SPACE_KEPT, space)
                    yield element, source, space == "preserve"
            else:
                waiting.extend((child, translate, space) for child in reversed(list(element)))

    def _unit(self, place: _Place, keeps_lines: bool, lines: LineNumbers) -> Unit:
        holder, source, found, _ = place
        text, codes = text_of(self._xml, source, _OPAQUE)
        target = text_of(self._xml, found, _OPAQUE)[0] if found is not None else ""
        has_target = found is not None and bool(_words(found))
        unit = holder if self._is_first or holder.parent is None else holder.parent
        notes = [one.string() for one in unit.walk() if one.name == "note"]
        return Unit(
            text,
            target if has_target else None,
            self._state(holder) if has_target else State.NEW,
            codes,
            profile="xliff",
            line=lines.at(holder.begin),
            context=unit.attributes.get("id", ""),
            notes="\n".join(notes),
            lines=keeps_lines,
            placeholders=OF_PROGRAMS,
            status=self._status(holder),
        )

    def _status(self, holder: Element) -> str:
        target = holder.find("target")
        return (target if self._is_first and target is not None else holder).attributes.get("state", "")

    def _state(self, holder: Element) -> State:
        marked = self._status(holder)
        if not marked or marked in _DONE or holder.attributes.get("approved") == "yes":
            return State.DONE
        return State.NEW if marked in _NEW else State.DRAFT

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices, files = Splices(self._xml.text), dict[int, Element]()
        contents = dict[int, dict[int, str]]()  # by holder and source
        unsure = {  # a unit of which a segment has no translation
            id(place.holder)
            for index, (place, unit) in enumerate(zip(self._places, self.units, strict=True))
            if index not in targets and unit.target is None
        }
        for index, text in targets.items():
            place = self._places[index]
            content = content_of(self.units[index], text, splices)
            contents.setdefault(id(place.holder), {})[id(place.source)] = content
            if index in drafts:
                unsure.add(id(place.holder))
        for place in self._places:
            new = contents.pop(id(place.holder), None)
            if new is None:
                continue
            content = next(iter(new.values())) if place.segments is None else self._segmented(place, new)
            self._write(splices, place, content, id(place.holder) in unsure)
            files |= {id(above): above for above in _above(place.holder) if above.name == "file"}
        if language or not self._is_first:  # version 2 demands a code where there are targets
            name = "target-language" if self._is_first else "trgLang"
            for element in files.values() if self._is_first else [self._xml.root]:
                if name not in element.attributes:
                    tag = with_attribute(self._xml.start_tag(element), name, language or "und")
                    splices.replace(element.begin, element.inner, tag)
        return self._xml.encoded(splices.whole())

    def _segmented(self, place: _Place, contents: Mapping[int, str]) -> str:
        """Return the content of a target: its segments as they stand in the segmented source."""
        xml, segments = self._xml, place.segments
        assert segments is not None
        before = _segments_of(place.holder.find("target"))
        out, at = list[str](), segments.inner
        for mid, source in _segments_of(segments).items():
            old = before.get(mid)
            if not _words(source):  # tags alone are no unit
                old = old if old is not None and old.children else source
            elif old is not None and not _words(old):
                old = None
            content = contents.get(id(source), "" if old is None else xml.text[old.inner : old.inner_end])
            end = f"</{split_words(xml.start_tag(source)[1:])[0].rstrip('/>')}>"
            tag = xml.start_tag(source)
            out += [xml.text[at : source.begin], f"{tag[:-2]}>" if source.is_single else tag, content, end]
            at = source.end
        return "".join([*out, xml.text[at : segments.inner_end]])

    def _write(self, splices: Splices, place: _Place, content: str, unsure: bool) -> None:
        holder, source = place.holder, place.holder.find("source") or place.source
        state = ("needs-review-translation" if self._is_first else "initial") if unsure else "translated"
        xml, target = self._xml, holder.find("target")
        if not self._is_first:
            tag = without_attribute(xml.start_tag(holder), "subState")
            splices.replace(holder.begin, holder.inner, with_attribute(tag, "state", state))
        is_other = target is None or xml.text[target.inner : target.inner_end] != content
        if is_other and holder.attributes.get("approved") == "yes":  # nobody has approved this text
            tag = with_attribute(xml.start_tag(holder), "approved", "no")
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
        gap = xml.text[xml.text.rfind(">", 0, source.begin) + 1 : source.begin]
        splices.replace(before.end, before.end, (gap if not gap.strip() else "") + new)


def _places(holder: Element, source: Element) -> Iterator[_Place]:
    """Iterate over what is translated of a unit: its segments if it has some, and its target has, too."""
    target, segments = holder.find("target"), holder.find("seg-source")
    sources = {} if segments is None else _segments_of(segments)
    targets = _segments_of(target)
    if segments is None or not sources:
        yield _Place(holder, source, target, None)
    elif target is not None and _words(target) and not targets.keys() & sources.keys():
        yield _Place(holder, segments, target, None)
    else:
        for mid, one in sources.items():
            yield _Place(holder, one, targets.get(mid), segments)


def _segments_of(element: Element | None) -> dict[str, Element]:
    found = [] if element is None else [one for one in element.walk() if one.name == "mrk"]
    return {
        one.attributes.get("mid", str(number)): one
        for number, one in enumerate(found)
        if one.attributes.get("mtype") == "seg"
    }


def _words(element: Element) -> str:
    return element.string().strip()


def _above(element: Element) -> Iterator[Element]:
    parent = element.parent
    while parent is not None:
        yield parent
        parent = parent.parent
