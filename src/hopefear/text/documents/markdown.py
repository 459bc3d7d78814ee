"""Markdown: CommonMark, with tables and front matter."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import ClassVar

from hopefear.base.texts import split_words

from .contract import Format, Unit
from .splices import EncodedText, Splices

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_NOTE = r"\[\^[^\]\s]{1,99}\]:[ \t]*"
_CONTAINER = re.compile(
    rf"[ ]{{0,3}}(?:>[ \t]?|(?:[-+*]|\d{{1,9}}[.)])(?:[ \t]+|$)(?:\[[ xX]\][ \t]+)?|{_NOTE})"
)
_DEEPEST = 30  # items and quotations inside each other
_ITEM = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?:[ \t]+)(?:\[[ xX]\][ \t]+)?")
_CONTINUED = re.compile(r"\s*(?!1[.)])\d")
"""A number that begins a line of a paragraph, not a list."""
_HEADING = re.compile(r"[ ]{0,3}#{1,6}(?:[ \t]+|$)")
_RULE = re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+|-+)[ \t]*$")
_DEFINITION = re.compile(r"[ ]{0,3}\[[^\]]+\]:[ \t]*\S")
_HTML = re.compile(r"[ ]{0,3}<(?:[/!?]|[A-Za-z])")
_INLINE_HTML = re.compile(r"[ ]{0,3}</?(?:a|b|i|em|strong|code|kbd|span|sub|sup|br|img|u|s|mark|https?:)\b")
_DELIMITERS = re.compile(r"[ ]{0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_DIRECTIVE = re.compile(r"[ ]{0,3}(?::{3,}|\$\$)")
_CELL = re.compile(r"(?:[^|\\`]|\\.|`[^`]*`|`)+")
_LIKE_A_BLOCK = re.compile(r"(#{1,6}|>|[-+*]|\d+[.)])(?=\s|$)")
_NO_TEXT = re.compile(r"[\W\d_]*$")


class Markdown(Format):
    """Paragraphs, headings, items of lists and cells of tables. Code, HTML blocks and definitions stay.

    Marks inside a paragraph are part of its text. A paragraph that is translated becomes one line; a hard
    line break separates units.
    """

    media_type: ClassVar[str] = "text/markdown"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        self.units: list[Unit] = []
        self._places: list[tuple[int, int, bool]] = []  # with whether it is the cell of a table
        self._paragraph: list[tuple[int, int]] = []  # the texts of its lines
        self._begun = 0
        self._in_list = False
        self._read()

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def _read(self) -> None:
        found = list(_LINE.finditer(self._text))
        closed = self._front_matter([line[0] for line in found])
        fence, in_html, in_block, indent = "", False, False, 0
        in_table = blank = False
        for number, line in enumerate(found, 1):
            begin, written = line.start(), line[0].rstrip("\r\n")
            if number <= closed:
                continue
            at, marks = self._containers(written)
            rest = written[at:]
            if fence:
                if re.fullmatch(rf"\s*{re.escape(fence)}{re.escape(fence[0])}*\s*", rest):
                    fence = ""
                continue
            if not rest.strip():
                self._close()
                in_html = in_table = False
                blank = True
                indent = indent if not marks else at
                continue
            self._in_list &= bool(marks or not blank or written[0] in " \t")
            blank = False
            opened = _FENCE.match(rest.lstrip())
            if opened and not in_html:
                self._close()
                fence = opened[1]
                continue
            if _DIRECTIVE.match(rest):
                self._close()
                in_block = rest.strip() == "$$" and not in_block
                continue
            if in_block:
                continue
            deep = len(rest) - len(rest.lstrip(" "))
            indent = at if marks else min(indent, deep)
            is_code = (deep - (0 if marks else indent) >= 4 or rest.startswith("\t")) and not self._paragraph
            if is_code and not in_table:
                continue
            if in_html or (_HTML.match(rest) and not _INLINE_HTML.match(rest) and not self._paragraph):
                self._close()
                in_html = True
                continue
            if marks:
                self._close()
            if _DELIMITERS.match(rest) and "|" in rest and len(self._paragraph) == 1:
                self._cells(*self._paragraph.pop(), self._begun)
                in_table = True
                continue
            if in_table and "|" in rest:
                self._cells(begin + at, begin + len(written), number)
                continue
            in_table = False
            if _RULE.match(rest):
                self._close()
                continue
            heading = _HEADING.match(rest)
            if heading:
                self._close()
                text = rest.rstrip()
                closed_by = text.rstrip("#")
                text = closed_by if closed_by.endswith((" ", "\t")) else text
                self._add(begin + at + heading.end(), begin + at + max(heading.end(), len(text)), number)
                continue
            if _DEFINITION.match(rest) and not self._paragraph:
                continue
            if not self._paragraph:
                self._begun = number
            first = begin + at + len(rest) - len(rest.lstrip())
            broken = rest.endswith(("  ", "\\"))
            text = rest.removesuffix("\\").rstrip()
            self._paragraph.append((first, begin + at + len(text)))
            if broken:
                self._close()
        self._close()

    @staticmethod
    def _front_matter(lines: list[str]) -> int:
        """Return the number of lines of metadata before the text."""
        if lines and lines[0].rstrip() in ("---", "+++"):
            for number, line in enumerate(lines[1:], 2):
                if line.rstrip() in (lines[0].rstrip(), "..."):
                    return number
        return 0

    def _containers(self, line: str) -> tuple[int, bool]:
        """Return where the text of a line begins, and whether a new item or quotation begins in it."""
        at, is_new = 0, False
        for _ in range(_DEEPEST):
            if _RULE.match(line, at):
                break
            found = _CONTAINER.match(line, at)
            if found is None and not at:  # items inside items are indented
                found = _ITEM.match(line, len(line) - len(line.lstrip()))
            if found is None or (self._paragraph and not self._in_list and _CONTINUED.match(found[0])):
                break
            at = found.end()
            self._in_list |= ">" not in found[0]
            is_new |= ">" not in found[0] or not self._paragraph
        return at, is_new

    def _close(self) -> None:
        if self._paragraph:
            self._add(self._paragraph[0][0], self._paragraph[-1][1], self._begun, tuple(self._paragraph))
            self._paragraph = []

    def _cells(self, begin: int, end: int, number: int) -> None:
        for cell in _CELL.finditer(self._text, begin, end):
            self._add(cell.start(), cell.end(), number, is_cell=True)

    def _add(
        self,
        begin: int,
        end: int,
        number: int,
        parts: tuple[tuple[int, int], ...] = (),
        *,
        is_cell: bool = False,
    ) -> None:
        text = "\n".join(self._text[first:last] for first, last in parts or ((begin, end),))
        if _NO_TEXT.match(text):
            return
        begin += len(text) - len(text.lstrip())
        end -= len(text) - len(text.rstrip())
        text = text.strip()
        if is_cell:
            text = text.replace("\\|", "|")
        self.units.append(Unit(text, profile="markdown", line=number))
        self._places.append((begin, end, is_cell))

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        for index, target in targets.items():
            begin, end, is_cell = self._places[index]
            text = re.sub(r"[\r\n]+[ \t]*", " ", target.strip())
            if is_cell:
                text = text.replace("|", "\\|")
            elif _LIKE_A_BLOCK.match(text) and not _LIKE_A_BLOCK.match(self.units[index].source):
                at = len(split_words(text)[0]) - 1 if text[0].isdigit() else 0
                text = f"{text[:at]}\\{text[at:]}"
            splices.replace(begin, end, text)
        return self._encoded.encoded(splices.whole())
