"""XML documents with the place of every element; nothing but the content is read.

Entities of a document's own are refused, so that no document can grow or read other files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from hopefear.base import InputError

from .contract import MOST, NOT_XML, Code, Kind, Unit, check_number, fitting, with_codes
from .splices import EncodedText, Splices

_DECLARED = re.compile(r"""<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']""")
_START_TAG = re.compile(r"""<[^\s/<>"'][^<>"']*(?:"[^"<]*"[^<>"']*|'[^'<]*'[^<>"']*)*>""")
_DEEPEST = 400  # elements inside each other
_SPACE = "http://www.w3.org/XML/1998/namespace"
SPACE_KEPT = f"{{{_SPACE}}}space"
"""The attribute that says whether white space counts."""


@dataclass(slots=True)
class Element:
    """An element of a document."""

    space: str
    name: str
    attributes: dict[str, str]
    begin: int
    inner: int
    parent: Element | None
    inner_end: int = 0
    end: int = 0
    children: list[Element | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Element]:
        """Iterate over the elements directly inside."""
        return (child for child in self.children if isinstance(child, Element))

    def find(self, name: str) -> Element | None:
        """Return the first element of a name directly inside."""
        return next((child for child in self if child.name == name), None)

    def walk(self) -> Iterator[Element]:
        """Iterate over the element and all inside it, in the order of the document."""
        waiting = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(list(element)))

    def string(self) -> str:
        """Return the text inside, with that of all elements inside."""
        return "".join(one if isinstance(one, str) else one.string() for one in self.children)

    @property
    def language(self) -> str:
        """The code of the language that the element itself names; empty if it names none."""
        return self.attributes.get(f"{{{_SPACE}}}lang", self.attributes.get("lang", ""))

    @property
    def is_protected(self) -> bool:
        """Whether the element says that its content is not to be translated."""
        return self.attributes.get("translate") == "no" or self.attributes.get("mtype") == "protected"

    @property
    def is_single(self) -> bool:
        """Whether the element is written as one tag, ``<a/>``."""
        return self.inner == self.end


class XmlText:
    """A document in XML."""

    def __init__(self, content: bytes, kind: str, take: Callable[[Element], bool] | None = None) -> None:
        self._kind, self._take = kind, take
        head = content[:400].replace(b"\0", b"").decode("latin-1")
        declared = _DECLARED.search(head)
        encoding = declared[1] if declared else "utf-8"
        if encoding.lower().startswith(("utf-16", "utf16")):
            encoding = "utf-8"  # a byte order mark tells better
        try:
            self._encoded = EncodedText(content, encoding)
        except InputError as error:
            raise InputError(f"expected {kind}: {error}") from None
        self.text = self._encoded.text
        self._data = self.text.encode("utf-8", "surrogatepass")
        self._last = (0, 0)  # a place in the data and in the text
        self._open: list[Element] = []
        self._count = 0
        self.root: Element = self._parse()

    def encoded(self, text: str) -> bytes:
        """Return a text as bytes of the document's encoding; characters that it lacks become references."""
        return self._encoded.encoded(text, "xmlcharrefreplace")

    def start_tag(self, element: Element) -> str:
        """Return the start tag of an element as written."""
        return self.text[element.begin : element.inner]

    def _parse(self) -> Element:
        parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.CommentHandler = lambda data: self._special("!", "-->")
        parser.ProcessingInstructionHandler = lambda target, data: self._special("?", "?>")
        parser.StartDoctypeDeclHandler = self._doctype
        parser.SkippedEntityHandler = self._entity
        self._parser, self._roots = parser, list[Element]()
        try:
            if self._take is None:
                check_number(self.text.count("<"), "tags", 2 * MOST)
            parser.Parse(self._data, True)
        except expat.ExpatError as error:
            what = expat.ErrorString(error.code)
            raise InputError(f"expected {self._kind}: {what}", line=error.lineno) from None
        del self._data, self._parser
        return self._roots[0]

    def _place(self) -> int:
        """Return where in the text the parser is; it only moves forward."""
        at = self._parser.CurrentByteIndex
        data, text = self._last
        text += len(self._data[data:at].decode("utf-8", "replace"))
        self._last = (at, text)
        return text

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _DEEPEST:
            raise InputError(f"expected {self._kind} with at most {_DEEPEST} elements inside each other")
        self._add(1 + len(attributes))
        begin = self._place()
        tag = _START_TAG.match(self.text, begin)
        assert tag is not None
        space, _, local = name.rpartition(" ")
        named = {self._attribute(key): value for key, value in attributes.items()}
        parent = self._open[-1] if self._open else None
        element = Element(space, local, named, begin, tag.end(), parent)
        (parent.children if parent is not None else self._roots).append(element)
        self._open.append(element)

    def _add(self, count: int) -> None:
        """Count elements, their attributes, comments and instructions."""
        self._count += count
        check_number(self._count, "elements and attributes")

    @staticmethod
    def _attribute(name: str) -> str:
        space, _, local = name.rpartition(" ")
        return f"{{{space}}}{local}" if space else local

    def _end(self, name: str) -> None:
        element = self._open.pop()
        if self.text[element.inner - 2 : element.inner] == "/>":
            element.inner_end = element.end = element.inner
        else:
            element.inner_end = self._place()
            element.end = self.text.index(">", element.inner_end) + 1
        if self._take is not None and element.parent is not None and self._take(element):
            self._count -= sum(1 + len(each.attributes) for each in element.walk())
            element.parent.children.pop()

    def _characters(self, data: str) -> None:
        if self._open:
            self._open[-1].children.append(data)

    def _special(self, name: str, closed: str) -> None:
        if self._open:
            self._add(1)
            begin = self._place()
            end = self.text.index(closed, begin + 2) + len(closed)
            one = Element("", name, {}, begin, end, self._open[-1], end, end)
            self._open[-1].children.append(one)

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        if has_subset:
            raise InputError(f"expected {self._kind} without a document type declaration of its own")

    def _entity(self, name: str, is_parameter: bool) -> None:
        raise InputError(f"expected {self._kind} without entities of its own, got &{name};")


def escaped(text: str) -> str:
    """Return a text as XML writes it; control characters are dropped."""
    text = NOT_XML.sub("", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def quoted(text: str) -> str:
    """Return a text as the value of an attribute, without the quotes."""
    return escaped(text).replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;")


def content_of(unit: Unit, text: str, splices: Splices) -> str:
    """Return the translation of a unit as XML: codes as they stand in the document, all else escaped."""
    out = []
    for piece, code in fitting(unit, text):
        out.append(escaped(piece) if code is None else splices.part(code.begin, code.end))
    return "".join(out)


def text_of(xml: XmlText, element: Element, opaque: frozenset[str]) -> tuple[str, tuple[Code, ...]]:
    """Return the text of an element and the inline codes in it."""
    parts: list[str | Code] = []
    codes: list[Code] = []
    taken: dict[str, str] = {}

    def add(shown: str, begin: int, end: int, kind: Kind) -> None:
        codes.append(Code(shown, begin, end, kind))
        parts.append(codes[-1])

    def walk(inside: Element) -> None:
        for child in inside.children:
            if isinstance(child, str):
                parts.append(child)
            elif child.name in opaque or child.is_single or child.name in "!?" or child.is_protected:
                tag = xml.start_tag(child) if child.is_single else shown_alone(xml, child, len(codes) + 1)
                written = xml.text[child.begin : child.end]
                if taken.setdefault(tag, written) != written:
                    tag = f'<x id="c{len(codes) + 1}"/>'
                add(tag, child.begin, child.end, Kind.ALONE)
            else:
                add(xml.start_tag(child), child.begin, child.inner, Kind.OPEN)
                walk(child)
                add(xml.text[child.inner_end : child.end], child.inner_end, child.end, Kind.CLOSE)

    walk(element)
    return with_codes(parts)


def plain_text(element: Element, opaque: frozenset[str]) -> str:
    """Return the text of an element without its inline codes; `opaque` is as for `text_of`."""
    return "".join(
        child if isinstance(child, str) else plain_text(child, opaque)
        for child in element.children
        if isinstance(child, str) or child.name not in opaque
    )


def shown_alone(xml: XmlText, element: Element, number: int) -> str:
    """Return how an element whose content is no text is shown: its name, and its id or a number."""
    named = _TAG.match(xml.text, element.begin)
    name = named[1] if named else "x"
    return f'<{name} id="{quoted(element.attributes.get("id", str(number)))}"/>'


_TAG = re.compile(r"<([^\s/>!?]+)")


def with_attribute(tag: str, name: str, value: str) -> str:
    """Return a start tag with an attribute set."""
    found = re.search(rf"""(\s{re.escape(name)}\s*=\s*)(?:"[^"]*"|'[^']*')""", tag)
    if found:
        return f'{tag[: found.start()]}{found[1]}"{quoted(value)}"{tag[found.end() :]}'
    end = len(tag) - (2 if tag.endswith("/>") else 1)
    return f'{tag[:end].rstrip()} {name}="{quoted(value)}"{" " if tag[:end].endswith(" ") else ""}{tag[end:]}'


def without_attribute(tag: str, name: str) -> str:
    """Return a start tag without an attribute."""
    return re.sub(rf"""\s+{re.escape(name)}\s*=\s*(?:"[^"]*"|'[^']*')""", "", tag, count=1)
