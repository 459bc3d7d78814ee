"""The proof of documents in XML: read by SAX, they have the same elements around translations."""

from __future__ import annotations

import io
import xml.sax
import xml.sax.handler
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from ..contract import Difference


@dataclass
class Node:
    """An element, a comment or a processing instruction, with names and attributes as they are written."""

    name: str
    attributes: dict[str, str]
    line: int | None
    children: list[Node | str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the elements directly inside."""
        return (child for child in self.children if isinstance(child, Node))

    @property
    def local(self) -> str:
        """The name without a prefix."""
        return self.name.rpartition(":")[2]

    @property
    def content(self) -> list[object]:
        """What is inside, to compare it."""
        return [child if isinstance(child, str) else child.whole for child in self.children]

    @property
    def whole(self) -> tuple[object, ...]:
        """The element with what is inside, to compare it."""
        return self.name, self.attributes, self.content

    def child(self, name: str) -> Node | None:
        """Return the first element of a name directly inside."""
        return next((child for child in self if child.local == name), None)

    def walk(self) -> Iterator[Node]:
        """Iterate over the elements inside, in the order of the document."""
        waiting = list(self)[::-1]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(list(node)[::-1])

    def text(self) -> str:
        """Return the text inside."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def marks(self) -> Counter[str]:
        """Count the elements inside by their start tags."""
        return Counter(map(Node.tag, self.walk()))

    def tag(self) -> str:
        """Return the start tag, with sorted attributes."""
        return f"<{self.name} {sorted(self.attributes.items())}>"


class _Reader(xml.sax.handler.ContentHandler):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Node("", {}, None)]
        self._text = list[str]()  # of the open element, behind its last child
        self._where: Any = None

    def setDocumentLocator(self, locator: Any) -> None:
        self._where = locator

    def startElement(self, name: str, attrs: Any) -> None:
        self._add(node := Node(name, dict(attrs.items()), self._where.getLineNumber()))
        self.open.append(node)

    def endElement(self, name: str) -> None:
        self._add()
        self.open.pop()

    def characters(self, content: str) -> None:
        self._text.append(content)

    def _add(self, *nodes: Node) -> None:
        text = "".join(self._text)
        self._text.clear()
        self.open[-1].children += [*filter(None, [text]), *nodes]

    def _special(self, name: str, content: str) -> None:
        self._add(Node(name, {"": content}, self._where.getLineNumber()))

    def processingInstruction(self, target: str, data: str) -> None:
        self._special(f"?{target}", data)

    def comment(self, content: str) -> None:
        self._special("!", content)

    def startDTD(self, name: str, public_id: str | None, system_id: str | None) -> None:
        self._special("!DOCTYPE", f"{name} {public_id} {system_id}")

    def endDTD(self) -> None:
        """Do nothing: SAX demands it."""

    startCDATA = endCDATA = endDTD


def read(content: bytes) -> Node:
    """Return a document as a node; `xml.sax.SAXException` is raised if it is not well-formed."""
    handler, parser = _Reader(), xml.sax.make_parser()
    parser.setContentHandler(handler)
    parser.setProperty(xml.sax.handler.property_lexical_handler, handler)
    parser.setFeature(xml.sax.handler.feature_external_ges, False)
    parser.setFeature(xml.sax.handler.feature_external_pes, False)
    parser.parse(io.BytesIO(content))
    return handler.open[0]


Check = Callable[[Node, Node], str]
"""Says what is wrong with a unit as it was and as it is; empty if nothing is."""


def compare(
    original: bytes,
    written: bytes,
    is_unit: Callable[[Node], bool],
    check: Check,
    added: frozenset[str] = frozenset(),
) -> list[Difference]:
    """Compare two documents: units by `check`, all else must be equal but for attributes that are `added`."""
    before = read(original)
    try:
        after = read(written)
    except xml.sax.SAXException as error:
        line = error.getLineNumber() if isinstance(error, xml.sax.SAXParseException) else None
        return [Difference(f"the written document is no XML: {error.getMessage()}", line)]
    found = list[Difference]()
    for old, new in zip_longest(_parts(before, is_unit), _parts(after, is_unit)):
        if isinstance(old, Node) and isinstance(new, Node) and is_unit(old) and is_unit(new):
            if reason := check(old, new):
                found.append(Difference(reason, old.line))
        elif old is None or new is None or not _same(old, new, added):
            node = next((one for one in (old, new) if isinstance(one, Node)), before)
            found.append(Difference(f"the document changes at <{node.name}>", node.line))
            break  # all that follows may be shifted
    return found


def _parts(root: Node, is_unit: Callable[[Node], bool]) -> Iterator[Node | str]:
    """Iterate over the parts of a document; the content of units is left out."""
    waiting = root.children[::-1]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, Node) and not is_unit(part):
            waiting += ["</>", *part.children[::-1]]


def _same(old: Node | str, new: Node | str, added: frozenset[str]) -> bool:
    if isinstance(old, str) or isinstance(new, str):
        return old == new
    free = added - old.attributes.keys()
    kept = {name: value for name, value in new.attributes.items() if name not in free}
    return old.name == new.name and old.attributes == kept


def same_marks(source: Node, target: Node, marks: Callable[[Node], Counter[str]] = Node.marks) -> str:
    """Say which inline elements a translation lacks or has too often; empty if none."""
    wanted, got = marks(source), marks(target)
    wrong = [*(wanted - got), *(got - wanted)]
    return f"the translation has not the tags of its source: {wrong[0][:80]}" if wrong else ""
