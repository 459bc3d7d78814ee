"""The proof of packages: files of XML in an archive, of which some hold paragraphs."""

from __future__ import annotations

import io
import zipfile
from collections import Counter
from collections.abc import Callable, Collection

from ..contract import Difference, Unit
from .xml import Node, compare, same_marks

_RUNS = frozenset({"w:r", "w:t", "w:proofErr", "w:lastRenderedPageBreak"})


def marks_of_word(paragraph: Node) -> Counter[str]:
    """Count the elements of a paragraph of Word, but for runs: each format that there is counts once."""
    found, waiting = Counter[str](), list(paragraph)
    while waiting:
        node = waiting.pop()
        if node.name == "w:rPr":
            found[str(node.whole)] = 1
            continue
        if node.name not in _RUNS:
            found[node.tag()] += 1
        waiting.extend(node)
    return found


def differences(
    original: bytes,
    written: bytes,
    holds_text: Callable[[str], bool],
    is_paragraph: Callable[[Node], bool],
    named: Collection[Unit],
    marks: Callable[[Node], Counter[str]] = Node.marks,
) -> list[Difference]:
    """Compare two packages: the same files, and in those that hold text the same elements.

    A paragraph has as many inline elements of each kind, unless a unit of it is named.
    """
    found, left = list[Difference](), iter(named)
    with zipfile.ZipFile(io.BytesIO(original)) as before, zipfile.ZipFile(io.BytesIO(written)) as after:
        if before.namelist() != after.namelist():
            return [Difference("the package has other files")]
        for name in before.namelist():
            old, new = before.read(name), after.read(name)
            if old == new:
                continue
            if not holds_text(name):
                found.append(Difference(f"{name} in the package changes"))
                continue

            def changed(one: Node, other: Node, name: str = name) -> str:
                if one.attributes != other.attributes:
                    return "the attributes of a paragraph change"
                reason = same_marks(one, other, marks)
                if reason and not any(_is_in(unit, one) for unit in left):
                    return f"{name} in the package: {reason}"
                return ""

            found += compare(old, new, is_paragraph, changed)
    return found


def _is_in(unit: Unit, paragraph: Node) -> bool:
    """Tell whether a paragraph has the text of a unit, with others in it."""
    left = iter(paragraph.text())
    return all(character in left for character in unit.plain)
