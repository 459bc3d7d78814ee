"""Text with its encoding, and replacements in it: whatever is not replaced stays as it is."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Callable

from hopefear.base import InputError

_ENCODINGS = re.compile(
    r"utf-?8|us-ascii|ascii|(?:iso|latin|windows|cp|koi8|big5|gb|euc|shift|tis|mac)[\w-]*", re.IGNORECASE
)
_STATEFUL = re.compile(r"iso-?2022", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class EncodedText:
    """The text of a document, which becomes the same bytes again."""

    def __init__(self, content: bytes, declared: str = "utf-8") -> None:
        self._mark, self.encoding = b"", declared
        for mark, encoding in _BOMS:
            if content.startswith(mark):
                self._mark, self.encoding = mark, encoding
        try:
            if not self._mark and (not _ENCODINGS.fullmatch(declared) or _STATEFUL.match(declared)):
                raise LookupError
            self.text = content[len(self._mark) :].decode(self.encoding)
            same = self.encoded(self.text) == content
        except (UnicodeError, LookupError):
            same = False
        if not same:
            wanted = "UTF-8, or in UTF-16 with a byte order mark"
            if declared.lower() not in ("utf-8", "utf8"):
                wanted = f"the encoding that it declares, {declared}"
            raise InputError(f"expected a text in {wanted}")

    def encoded(self, text: str, errors: str = "strict") -> bytes:
        """Return a text as bytes of the document's encoding, with its byte order mark."""
        return self._mark + text.encode(self.encoding, errors)

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding lacks."""
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return "".join(sorted({c for c in text if not _has(self.encoding, c)}))
        return ""


def _has(encoding: str, character: str) -> bool:
    try:
        return bool(character.encode(encoding))
    except UnicodeEncodeError:
        return False


class Splices:
    """Replacements of parts of a text; a replacement can hold parts of what it replaces, with their own."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spliced: list[tuple[int, int, Callable[[], str]]] = []
        self._begins: list[int] = []

    def replace(self, begin: int, end: int, new: str | Callable[[], str]) -> None:
        """Replace a part. `new` can be made late, so that it can ask for `part`."""
        self._spliced.append((begin, end, (lambda: new) if isinstance(new, str) else new))

    def part(self, begin: int, end: int, *, inside: bool = False) -> str:
        """Return a part of the text with its replacements."""
        if len(self._begins) != len(self._spliced):
            self._spliced.sort(key=lambda one: (one[0], one[0] < one[1], -one[1]))  # insertions come first
            self._begins = [first for first, _, _ in self._spliced]
        out, at = [], begin
        for index in range(bisect_left(self._begins, begin), len(self._spliced)):
            first, last, make = self._spliced[index]
            if first > end or (first == end and end < len(self._text)):
                break
            if first < at or last > end or (inside and (first, last) == (begin, end)):
                continue
            out.append(self._text[at:first])
            out.append(make())
            at = last
        return "".join([*out, self._text[at:end]])

    def whole(self) -> str:
        """Return the text with all replacements."""
        return self.part(0, len(self._text))


class LineNumbers:
    """The numbers of the lines of a text, from 1."""

    def __init__(self, text: str) -> None:
        self._ends = [found.start() for found in re.finditer("\n", text)]

    def at(self, position: int) -> int:
        """Return the number of the line in which a character stands."""
        return bisect_left(self._ends, position) + 1
