"""Web pages, HTML and XHTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from html.parser import HTMLParser
from typing import ClassVar

from hopefear.base import InputError
from hopefear.base.texts import split_words

from .contract import (
    NOT_XML,
    Code,
    Difference,
    Format,
    Kind,
    Unit,
    check_number,
    fitting,
    lost_and_new,
    name_of,
    partners,
    with_codes,
)
from .splices import EncodedText, LineNumbers, Splices

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([A-Za-z][\w.-]{0,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']""")
# An unclosed tag ends before the next one, so that many of them do not take long.
_TAG = re.compile(r"""</?[A-Za-z][^\s/<>]*(?:[^<>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))""")

_INLINE = frozenset(
    split_words(
        "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr "
        "output q rp rt ruby s samp small span strike strong sub sup svg time tt u var wbr"
    )
)
_VOID = frozenset(split_words("area base br col embed hr img input link meta param source track wbr"))
_OPAQUE = frozenset(split_words("code kbd samp var math svg tt"))
"""Inline elements whose content is no text."""

_SKIPPED = frozenset(split_words("script style pre textarea template noscript xmp"))
"""Elements that are left as they are."""

_ATTRIBUTES = frozenset({"alt", "title", "placeholder", "aria-label"})
"""Attributes whose values are texts of their own."""

_DESCRIPTIONS = frozenset({"description", "keywords", "og:title", "og:description"})


@dataclass(frozen=True)
class _Token:
    """A part of a page: a text, a tag, or what is neither (a comment, a declaration), with no name."""

    begin: int
    end: int
    name: str = ""
    kind: Kind | None = None

    @property
    def is_text(self) -> bool:
        return self.kind is None and self.name == "text"


_NO_CHARACTER = re.compile(r"&#[0-9]{4000}")


class Html(Format):
    """Paragraphs, headings, cells and other blocks of a web page, and the attributes that people read.

    Inline elements stand in the text as their tags; those that hold code, or are not to be translated, as an
    empty tag.
    Scripts, styles, preformatted text and forms' values stay as they are.
    """

    media_type: ClassVar[str] = "text/html"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = _decoded(content)
        self._text = self._encoded.text
        check_number(self._text.count("<"), "tags")
        self._lines = LineNumbers(self._text)
        if found := _NO_CHARACTER.search(self._text):  # Python reads no number of so many digits
            line = self._lines.at(found.start())
            raise InputError(f"expected HTML: no character has the number {found[0][:12]}…", line=line)
        self._root: _Token | None = None  # the tag <html>
        self._found: list[tuple[int, int, Unit, str]] = []  # with the quotation mark of an attribute
        self._read()
        self._found.sort(key=lambda one: one[0])
        self.units = [unit for _, _, unit, _ in self._found]

    def _tokens(self) -> Iterator[_Token]:
        """Iterate over the parts of the page."""
        text, at, size = self._text, 0, len(self._text)
        while at < size:
            begin = text.find("<", at)
            if begin < 0:
                begin = size
            token = None
            while begin < size and token is None:
                token = self._tag(begin)
                if token is None:  # a < that begins no tag
                    begin = text.find("<", begin + 1)
                    begin = size if begin < 0 else begin
            if at < begin:
                yield _Token(at, begin, "text")
            if token is not None:
                yield token
            at = begin if token is None else token.end

    def _tag(self, begin: int) -> _Token | None:
        text = self._text
        for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", ">")):
            if text.startswith(opening, begin):
                end = text.find(closing, begin + len(opening))
                return _Token(begin, len(text) if end < 0 else end + len(closing))
        found = _TAG.match(text, begin)
        if found is None:
            return None
        name = name_of(found[0])
        if found[0].startswith("</"):
            kind = Kind.CLOSE
        else:
            kind = Kind.ALONE if name in _VOID or found[0].endswith("/>") else Kind.OPEN
        return _Token(begin, found.end(), name, kind)

    def _read(self) -> None:
        block: list[_Token] = []
        tokens = self._tokens()
        for token in tokens:
            if token.kind is Kind.OPEN and (token.name in _SKIPPED or self._is_kept(token)):
                if token.name in _INLINE:
                    block.append(_Token(token.begin, self._skip(tokens, token), token.name, Kind.ALONE))
                    continue
                self._close(block)
                self._skip(tokens, token)
            elif token.kind is Kind.OPEN and token.name in _OPAQUE:
                block.append(_Token(token.begin, self._skip(tokens, token), token.name, Kind.ALONE))
            elif token.is_text or token.name in _INLINE:
                block.append(token)
                self._attributes(token)
            elif token.kind is None:
                if self._text.startswith("<!--", token.begin):
                    block.append(_Token(token.begin, token.end, "!--", Kind.ALONE))
                else:
                    self._close(block)
            else:
                self._close(block)
                self._attributes(token)
                if token.name == "html" and token.kind is Kind.OPEN:
                    self._root = token
        self._close(block)

    def _is_kept(self, token: _Token) -> bool:
        tag = self._text[token.begin : token.end]
        return any(
            one[1].lower() == "translate" and _value(one).lower() == "no" for one in _ATTRIBUTE.finditer(tag)
        )

    @staticmethod
    def _skip(tokens: Iterator[_Token], opened: _Token) -> int:
        """Go on behind the end of an element."""
        depth, end = 1, opened.end
        for token in tokens:
            end = token.end
            if token.name == opened.name and token.kind is not Kind.ALONE:
                depth += 1 if token.kind is Kind.OPEN else -1
                if not depth:
                    break
        return end

    def _close(self, block: list[_Token]) -> None:
        """Make a unit of a block, without the tags and the white space around its text."""
        tokens, block[:] = list(block), []

        def blank(token: _Token) -> bool:
            return not token.is_text or not unescape(self._text[token.begin : token.end]).strip()

        pairs = partners([(token.name, token.kind) for token in tokens])
        first, last = 0, len(tokens)
        while first < last:
            if tokens[first].kind not in (Kind.OPEN, Kind.CLOSE) and blank(tokens[first]):
                first += 1
            elif tokens[last - 1].kind not in (Kind.OPEN, Kind.CLOSE) and blank(tokens[last - 1]):
                last -= 1
            elif pairs.get(first) == last - 1:
                first, last = first + 1, last - 1
            else:
                break
        tokens = tokens[first:last]
        if all(map(blank, tokens)):
            return
        raw = self._text[tokens[0].begin : tokens[-1].end]
        begin = tokens[0].begin + (len(raw) - len(raw.lstrip()) if tokens[0].is_text else 0)
        end = tokens[-1].end - (len(raw) - len(raw.rstrip()) if tokens[-1].is_text else 0)
        parts: list[str | Code] = []
        codes: list[Code] = []
        taken: dict[str, str] = {}
        for token in tokens:
            written = self._text[max(token.begin, begin) : min(token.end, end)]
            if token.is_text:
                parts.append(unescape(written))
                continue
            assert token.kind is not None
            shown = written
            if token.kind is Kind.ALONE and not _TAG.fullmatch(written):
                shown = f'<{token.name.strip("!-") or "x"} id="{len(codes) + 1}"/>'
            if token.kind is Kind.ALONE and taken.setdefault(shown, written) != written:
                shown = f'<x id="c{len(codes) + 1}"/>'
            codes.append(Code(shown, token.begin, token.end, token.kind))
            parts.append(codes[-1])
        text, shown_codes = with_codes(parts)
        unit = Unit(text, codes=shown_codes, profile="html", line=self._lines.at(begin))
        self._found.append((begin, end, unit, ""))

    def _attributes(self, token: _Token) -> None:
        if token.kind in (None, Kind.CLOSE):
            return
        tag = self._text[token.begin : token.end]
        found = [(one[1].lower(), one) for one in _ATTRIBUTE.finditer(tag)]
        names = _ATTRIBUTES
        values = {name: _value(one).lower() for name, one in found}
        if token.name == "meta" and _DESCRIPTIONS & {values.get("name"), values.get("property")}:
            names = names | {"content"}
        if token.name == "input" and values.get("type") in ("submit", "button", "reset"):
            names = names | {"value"}
        for name, one in found:
            group = one.lastindex or 2
            if name in names and one[group].strip():
                begin, end = token.begin + one.start(group), token.begin + one.end(group)
                unit = Unit(unescape(one[group]), line=self._lines.at(begin), context=f"{token.name} {name}")
                self._found.append((begin, end, unit, _MARKS[group]))

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations; the language that ``<html>`` names becomes the target's."""
        splices = Splices(self._text)
        for index, target in targets.items():
            begin, end, unit, mark = self._found[index]
            if mark:
                value = _escaped(target).replace(*("'", "&#39;") if mark == "'" else ('"', "&quot;"))
                splices.replace(begin, end, f'"{value}"' if mark == "=" else value)
            else:
                splices.replace(begin, end, partial(self._content, splices, unit, target))
        if language and self._root is not None:
            for one in _ATTRIBUTE.finditer(self._text, self._root.begin, self._root.end):
                if one[1].lower() in ("lang", "xml:lang"):
                    group = one.lastindex or 2
                    splices.replace(one.start(group), one.end(group), language)
        return self._encoded.encoded(splices.whole(), "xmlcharrefreplace")

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Prove that the standard library reads the same elements, and inside each block the same tags."""
        before, after = (_outline(_decoded(content).text) for content in (original, written))
        for old, new in zip(before, after, strict=False):
            if old.tag != new.tag:
                return [Difference(f"expected {old.tag}, got {new.tag}", old.line)]
        if len(before) != len(after):
            return [Difference(f"expected {len(before):,} tags of blocks, got {len(after):,}")]
        lines = {unit.line for unit in named}
        found = []
        ends = [*(block.line for block in before[1:]), None]
        for old, new, end in zip(before, after, ends, strict=True):
            inside = range(old.line, (end or max(old.line, *(line or 0 for line in lines), 0)) + 1)
            if old.codes != new.codes and lines.isdisjoint(inside):
                found.append(Difference(lost_and_new(old.codes, new.codes), old.line))
        return found

    @staticmethod
    def _content(splices: Splices, unit: Unit, target: str) -> str:
        out = []
        for piece, code in fitting(unit, target):
            out.append(_escaped(piece) if code is None else splices.part(code.begin, code.end))
        return "".join(out)


def _decoded(content: bytes) -> EncodedText:
    """Decode a page by the encoding that it declares."""
    head = content[:2048]
    declared = _XML_ENCODING.search(head) or _CHARSET.search(head)
    return EncodedText(content, declared[1].decode() if declared else "utf-8")


@dataclass(frozen=True)
class _Block:
    """What a page has from the tag of a block to the next one: inline tags, comments, and text that stays."""

    tag: str
    line: int
    codes: Counter[str] = field(default_factory=Counter)


class _Outline(HTMLParser):
    """Reads a page for the proof."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = [_Block("the beginning", 1)]
        self._opaque: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kept = [f"{name}={value!r}" for name, value in attrs if not _is_translated(tag, name)]
        self._add(tag, f"<{' '.join([tag, *kept])}>")
        if tag in _SKIPPED | _OPAQUE:
            self._opaque[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._add(tag, f"</{tag}>")
        if self._opaque:
            self._opaque -= Counter([tag])

    def handle_data(self, data: str) -> None:
        if self._opaque:
            self._keep(data)

    def handle_comment(self, data: str) -> None:
        self._keep(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._keep(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self._keep(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self._keep(f"<![{data}]>")

    def _add(self, tag: str, shown: str) -> None:
        if tag in _INLINE:
            self._keep(shown)
        else:
            self.blocks.append(_Block(shown, self.getpos()[0]))

    def _keep(self, code: str) -> None:
        self.blocks[-1].codes[code] += 1


def _outline(text: str) -> list[_Block]:
    """Return the blocks of a page as the standard library reads it."""
    reader = _Outline()
    reader.feed(text)
    reader.close()
    return reader.blocks


def _is_translated(tag: str, attribute: str) -> bool:
    """Tell whether the value of an attribute can be a text of its own, or the language of the page."""
    others = {"meta": ("content",), "input": ("value",), "html": ("lang", "xml:lang")}
    return attribute in _ATTRIBUTES or attribute in others.get(tag, ())


_MARKS = {2: '"', 3: "'", 4: "="}
"""What stands around the value of an attribute, by the group of `_ATTRIBUTE`: = for nothing."""


def _value(attribute: re.Match[str]) -> str:
    return attribute[attribute.lastindex or 2]


def _escaped(text: str) -> str:
    text = NOT_XML.sub("", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\xa0", "&nbsp;")
