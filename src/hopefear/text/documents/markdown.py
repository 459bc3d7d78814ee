"""Markdown: CommonMark with tables, footnotes and front matter; markdown-it-py finds its blocks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from .contract import MOST_LINES, Difference, Format, Unit, check_number, lost_and_new
from .marks import marks_in
from .splices import EncodedText, Splices

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\n|\r)|([^\r\n]+)")
_DEEPEST = 60  # items and quotations inside each other
_NOTE = re.compile(r"\[\^[^\]\s]{1,99}\]:")
_HARD_BREAK = re.compile(r"[ ]{2,}\Z|(?<!\\)(?:\\\\)*\\\Z")
_TASK = re.compile(r"\[[ xX]\][ \t]+")
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){1,999})\](?:\[\])?(?![\[(])")
_NUMBER = re.compile(r"\d{1,9}(?=[.)])")
_NO_TEXT = re.compile(r"[\W\d_]*\Z")


class _Place(NamedTuple):
    """Where the text of a unit stands, and whether it is a cell of a table."""

    begin: int
    end: int
    is_cell: bool = False


class Markdown(Format):
    """Paragraphs, headings, items of lists and cells of tables. Code, HTML blocks and definitions stay.

    Marks inside a paragraph are part of its text. A paragraph that is translated becomes one line; a hard
    line break separates units.
    """

    media_type: ClassVar[str] = "text/markdown"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        check_number(max(map(self._text.count, "\n\r")), "lines", MOST_LINES)
        check_number(self._text.count("|"), "cells", 5 * MOST_LINES)
        self._lines = [(line[1] or line[2] or "", line.start()) for line in _LINE.finditer(self._text)]
        self._places: list[_Place] = []
        self.units: list[Unit] = []
        tokens, labels = blocks(line for line, _ in self._lines)
        row = 0
        for before, token in pairwise(tokens):
            if token.type == "tr_open":
                row = self._lines[_first(token)][1]
            elif token.type == "inline" and before.type in ("th_open", "td_open"):
                row = self._add_cell(token, row)
            elif token.type == "inline":
                self._add_lines(token)
        self._keep_labels(labels)

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    def _add_cell(self, token: Token, at: int) -> int:
        """Add the cell of a table whose text stands behind a place; return the place behind it."""
        written = token.content.replace("|", "\\|")
        begin = self._text.index(written, at)
        end = begin + len(written)
        self._add(token.content, _Place(begin, end, True), _first(token))
        return end

    def _add_lines(self, token: Token) -> None:
        """Add a paragraph or a heading; each of its lines ends with the same line of the content."""
        number = _first(token)
        parts, begin, begun = list[str](), 0, 0
        contents = token.content.split("\n")
        breaks = _has_hard_breaks(contents)
        for left, content in zip(reversed(range(len(contents))), map(str.strip, contents), strict=True):
            while (at := self._lines[number][0].rfind(content)) < 0:
                number += 1
            line, start = self._lines[number]
            if not parts:
                begin, begun = start + at, number
            number += 1
            is_broken = left > 0 and breaks and _HARD_BREAK.search(line)
            parts.append(content.removesuffix("\\").rstrip() if is_broken else content)
            if is_broken or not left:
                self._add("\n".join(parts), _Place(begin, start + at + len(parts[-1])), begun)
                parts = []

    def _add(self, text: str, place: _Place, number: int) -> None:
        if task := _TASK.match(text):
            text, place = text[task.end() :], place._replace(begin=place.begin + task.end())
        unit = Unit(text, profile="markdown", line=number + 1)
        rest, at = list[str](), 0
        for begin, end in marks_in(unit, text):
            rest.append(text[at:begin])
            at = end
        if not _NO_TEXT.match("".join([*rest, text[at:]])):
            self.units.append(unit)
            self._places.append(place)

    def _keep_labels(self, labels: Collection[str]) -> None:
        """Let units keep what is the text and the label of a link at once."""
        used = {
            re.sub(r"\\?\s+", r"\\s+", re.escape(label[1]))
            for unit in self.units
            for label in _LABEL.finditer(unit.source)
            if normal(label[1]) in labels
        }
        if used:
            kept = re.compile(rf"!?\[(?:{'|'.join(sorted(used))})\](?:\[\])?(?![\[(])")
            self.units = [replace(unit, placeholders=kept) for unit in self.units]

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        for index, target in targets.items():
            begin, end, is_cell = self._places[index]
            text = re.sub(r"[\r\n]+[ \t]*", " ", target.strip())
            if is_cell:
                text = text.replace("|", "\\|")
            elif _is_paragraph(self.units[index].source) and not _is_paragraph(text):
                number = _NUMBER.match(text)
                at = number.end() if number else 0
                text = f"{text[:at]}\\{text[at:]}"
            splices.replace(begin, end, text)
        return self._encoded.encoded(splices.whole())

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Prove that a CommonMark parser sees the same blocks, with the same code, tags and addresses."""
        before, after = _outline(original), _outline(written)
        for old, new in zip(before, after, strict=False):
            if old.shape != new.shape:
                shown = [" ".join(filter(None, block.shape[:2])) for block in (old, new)]
                return [Difference(f"expected the block {shown[0]}, got {shown[1]}", old.lines.start + 1)]
        if len(before) != len(after):
            return [Difference(f"expected {len(before):,} blocks, got {len(after):,}")]
        lines = {unit.line - 1 for unit in named if unit.line is not None}
        found = []
        for old, new in zip(before, after, strict=True):
            if old.codes != new.codes and lines.isdisjoint(old.lines):
                found.append(Difference(lost_and_new(old.codes, new.codes, repr), old.lines.start + 1))
        return found


class _Block(NamedTuple):
    """A block as a parser of CommonMark sees it; its codes are code, tags and addresses inside its text."""

    shape: tuple[str, ...]
    lines: range
    codes: Counter[str]


def _outline(content: bytes) -> list[_Block]:
    """Return the blocks of a document."""
    lines = EncodedText(content).text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    env, found, at = dict[str, Any](), list[_Block](), range(0)
    for token in _parser().parse("\n".join(_without_front_matter(lines)), env):
        at = range(*token.map) if token.map else at
        kept = "" if token.type == "inline" else token.content
        shape = token.type, token.tag, token.info, kept, repr(token.attrs)
        found.append(_Block(shape, at, Counter(map(_code_of, token.children or ())) - _NO_CODE))
    labels = [f"{label} {link['href']}" for label, link in env.get("references", {}).items()]
    return [*found, _Block(("definitions", *labels), range(len(lines)), Counter())]


def _code_of(token: Token) -> str:
    """Return what a translation keeps of a part of a text; nothing of words and emphasis."""
    address = token.attrs.get("href") or token.attrs.get("src")
    if address is not None:
        return f"{token.type.removesuffix('_open')} {address}"
    return re.sub(r"\s+", " ", token.content) if token.type in ("code_inline", "html_inline") else ""


_NO_CODE = Counter({"": 1 << 60})


def _first(token: Token) -> int:
    """Return the number of the first line of a block, from 0."""
    assert token.map is not None
    return token.map[0]


def _has_hard_breaks(lines: Sequence[str]) -> bool:
    """Tell whether all lines of a paragraph that look so end with a hard break, none inside code or a tag."""
    expected = sum(_HARD_BREAK.search(line) is not None for line in lines[:-1])
    tokens, parser = list[Any](), _parser()
    if expected:
        parser.inline.parse("\n".join(lines), parser, {}, tokens)
    return expected > 0 and expected == [token.type for token in tokens].count("hardbreak")


def _is_paragraph(text: str) -> bool:
    """Tell whether a text that begins a block makes a paragraph, and nothing else."""
    tokens, _ = blocks(text.split("\n"))
    return [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]


def blocks(lines: Iterable[str]) -> tuple[list[Token], Collection[str]]:
    """Return the blocks of lines, and the labels that they define; front matter has no blocks."""
    parser, env, tokens = _parser(), dict[str, Any](), list[Any]()
    parser.block.parse("\n".join(_without_front_matter(lines)), parser, env, tokens)
    return tokens, env.get("references", {})


def normal(label: str) -> str:
    """Return what equal labels of links have in common."""
    from markdown_it.common.utils import normalizeReference

    return normalizeReference(label)


def _without_front_matter(lines: Iterable[str]) -> list[str]:
    """Return lines of which those of metadata before the text are empty."""
    lines = list(lines)
    if lines and lines[0].rstrip() in ("---", "+++"):
        for number, line in enumerate(lines[1:], 1):
            if line.rstrip() in (lines[0].rstrip(), "..."):
                return [""] * (number + 1) + lines[number + 1 :]
    return lines


@cache
def _parser() -> MarkdownIt:
    """Return a parser of CommonMark with tables, footnotes, directives and formulas."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("reference", "footnote", _footnote, {"alt": ends[:2]})
    parser.block.ruler.before("reference", "directive", _directive, {"alt": ends})
    return parser


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read ``[^name]:`` as the beginning of a footnote, whose other lines are indented."""
    at = state.bMarks[start] + state.tShift[start]
    mark = _NOTE.match(state.src, at, state.eMarks[start])
    if mark is None or state.is_code_block(start) or state.level + 1 >= _DEEPEST:
        return False
    if silent:
        return True
    line = state.bMarks[start], state.tShift[start], state.sCount[start]
    around = state.blkIndent, state.parentType
    text = state.skipSpaces(mark.end())
    state.bMarks[start], state.tShift[start] = mark.end(), text - mark.end()
    state.blkIndent += 4
    state.sCount[start] = state.blkIndent
    state.parentType = "footnote"
    state.push("footnote_open", "div", 1)
    state.md.block.tokenize(state, start, end)
    state.push("footnote_close", "div", -1)
    state.blkIndent, state.parentType = around
    state.bMarks[start], state.tShift[start], state.sCount[start] = line
    return True


def _directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line of ``:::``, and lines between ``$$``, as no text."""

    def line(number: int) -> str:
        return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()

    first = line(start)
    last = start if first.startswith(":::") or (first.startswith("$$") and first != "$$") else None
    if first == "$$":
        last = next((number for number in range(start + 1, end) if line(number).endswith("$$")), None)
    if last is None or state.is_code_block(start):
        return False
    if not silent:
        state.line = last + 1
    return True
