"""The contract of a format of documents: what a document gives to a translator, and what it takes back."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar

from hopefear.base import InputError


class State(Enum):
    """How far a unit's translation is."""

    NEW = "new"
    """There is no translation, or the document says that the text in its place is none."""
    DRAFT = "draft"
    """There is one that somebody has to look at: fuzzy, needs-review."""
    DONE = "done"
    """There is one."""


class Kind(Enum):
    """What an inline code does."""

    OPEN, CLOSE, ALONE = "open", "close", "alone"


@dataclass(frozen=True)
class Code:
    """An inline code of a unit."""

    shown: str
    begin: int
    end: int
    kind: Kind


@dataclass(frozen=True)
class Unit:
    """A part of a document that is translated as a whole: a message, a paragraph, a cell."""

    source: str
    target: str | None = None
    state: State = State.NEW
    codes: tuple[Code, ...] = ()
    profile: str = "plain"
    line: int | None = None
    context: str = ""
    notes: str = ""
    lines: bool = False
    placeholders: re.Pattern[str] | None = field(default=None, compare=False)
    optional: str = ""  # a placeholder that a translation may leave out
    status: str = ""  # what the document calls the state of the translation, such as signed-off

    @property
    def plain(self) -> str:
        """The source without its inline codes."""
        return "".join(text for text, code in pieces(self.source, self.codes) if code is None)

    @property
    def tags(self) -> tuple[str, ...]:
        """The inline codes of the source as they stand in it."""
        return tuple(code.shown for code in self.codes)


@dataclass(frozen=True)
class Complaint:
    """Why a translation of a unit needs a person."""

    unit: int
    reason: str
    line: int | None = None


@dataclass(frozen=True)
class Difference:
    """What a written document has otherwise than the original, apart from translations."""

    reason: str
    line: int | None = None


def lost_and_new(old: Counter[str], new: Counter[str], shown: Callable[[str], str] = str) -> str:
    """Say which codes a block has no more, and which it had not; empty if none."""
    said = [f"{shown(code)} is lost" for code in sorted((old - new).elements())]
    return "; ".join(said + [f"{shown(code)} is new" for code in sorted((new - old).elements())])


class Format(ABC):
    """A document of one format.

    An entry point of the group ``hopefear.documents`` names the class by the ending of its files. The
    constructor reads the document, and raises `InputError` if the document is not in the format.

    Attributes
    ----------
    is_draft_until_confirmed : bool
        Whether a translation that nobody has looked at is a draft in this format.
    """

    media_type: ClassVar[str] = "application/octet-stream"
    is_draft_until_confirmed: ClassVar[bool] = False
    languages: tuple[str, str] = ("", "")
    units: list[Unit]

    @abstractmethod
    def __init__(self, content: bytes, language: str | None = None) -> None: ...

    @abstractmethod
    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations; nothing else of it changes."""

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return ""

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Prove that a written document differs from the original in translations only.

        A format reads both with another parser than the one it writes with. Without one, the proof is that
        the format reads as many units again.

        Parameters
        ----------
        original, written : bytes
            The document as it came, and with translations.
        language : str, optional
            The code of the target language.
        named : collection of Unit
            The units that are named as in need of a person, whose inline codes may differ.

        Returns
        -------
        list of Difference
            Empty if nothing else differs.
        """
        before = len(cls(original, language).units)
        try:
            after = len(cls(written, language).units)
        except InputError as error:
            return [Difference(f"the written document is not in the format: {error}", error.line)]
        if abs(before - after) <= len(named):
            return []
        return [Difference(f"the document has {before:,} units, the written one {after:,}")]


_TAG_BEGINS = re.compile(r"</?[^\s/>]+")


def with_codes(parts: Sequence[str | Code]) -> tuple[str, tuple[Code, ...]]:
    """Join the words and codes of a unit; codes that the words have too are shown with other names."""
    words = "".join(part for part in parts if isinstance(part, str))
    codes = [part for part in parts if isinstance(part, Code)]
    while any(code is not None for _, code in pieces(words, codes)):
        codes = [replace(code, shown=_TAG_BEGINS.sub(r"\g<0>_", code.shown)) for code in codes]
    left = iter(codes)
    text = "".join(part if isinstance(part, str) else next(left).shown for part in parts)
    return text, tuple(codes)


def fitting(unit: Unit, target: str) -> list[tuple[str, Code | None]]:
    """Divide a translation at the codes of its unit; tags that do not nest are dropped if the source's do."""
    parts, source = pieces(target, unit.codes), pieces(unit.source, unit.codes)
    return balanced(parts) if len(balanced(source)) == len(source) else parts


_TAG_NAME = re.compile(r"</?\s*([^\s/>]+)")


def name_of(tag: str) -> str:
    """Return the name of a tag in lower case."""
    found = _TAG_NAME.match(tag)
    return found[1].lower() if found else tag


def pieces(text: str, codes: Collection[Code]) -> list[tuple[str, Code | None]]:
    """Divide a text at the inline codes of a unit; any other ``<`` is text.

    What stands in the text more often than codes are shown so, is given as the last of them.
    """
    if not codes:
        return [(text, None)] if text else []
    waiting: dict[str, deque[Code]] = {}
    for code in codes:
        waiting.setdefault(code.shown, deque()).append(code)
    lengths = sorted({len(shown) for shown in waiting}, reverse=True)
    begins = re.compile("[" + re.escape("".join({shown[0] for shown in waiting})) + "]")
    out: list[tuple[str, Code | None]] = []
    at = 0
    for found in begins.finditer(text):
        begin = found.start()
        shown = next(
            (text[begin : begin + size] for size in lengths if text[begin : begin + size] in waiting), ""
        )
        if begin < at or not shown:
            continue
        if begin > at:
            out.append((text[at:begin], None))
        left = waiting[shown]
        out.append((shown, left.popleft() if len(left) > 1 else left[0]))
        at = begin + len(shown)
    if at < len(text):
        out.append((text[at:], None))
    return out


def partners(tags: Sequence[tuple[str, Kind | None]]) -> dict[int, int]:
    """Match the tags that open pairs with those that close them, so that pairs nest."""
    opened: list[int] = []
    count: dict[str, int] = {}
    out = {}
    for index, (name, kind) in enumerate(tags):
        if kind is Kind.OPEN:
            opened.append(index)
            count[name] = count.get(name, 0) + 1
        elif kind is Kind.CLOSE and count.get(name):
            while True:
                one = opened.pop()
                count[tags[one][0]] -= 1
                if tags[one][0] == name:
                    break
            out[one] = index
    return out


def balanced(parts: list[tuple[str, Code | None]]) -> list[tuple[str, Code | None]]:
    """Drop tags that close nothing or are never closed, so that the others nest."""
    tags = [(name_of(text), None if code is None else code.kind) for text, code in parts]
    matched = partners(tags)
    kept = {*matched, *matched.values()}
    return [
        part
        for index, part in enumerate(parts)
        if index in kept or tags[index][1] not in (Kind.OPEN, Kind.CLOSE)
    ]


MOST = 2_000_000
"""Of the lines, values, tags or elements of a document: some take a kilobyte of memory."""

MOST_LINES = 200_000
"""The most lines of a text, rows of a table, also those without text."""


def check_number(count: int, name: str, most: int = MOST) -> None:
    """Refuse a document that has too many parts of a name, best before they are made."""
    if count > most:
        raise InputError(f"expected at most {most:,} {name}, got more")


NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\x7f")
"""The characters that XML cannot hold."""

LONGEST = 20_000
"""The most characters of a text: a sentence, a correction."""


def check_text(text: str, *, where: str = "the text") -> str:
    """Return a text that XML can hold, and that is not too long."""
    if len(text) > LONGEST:
        raise InputError(f"expected at most {LONGEST:,} characters, got {len(text):,}", path=where)
    wrong = NOT_XML.search(text)
    if wrong is not None:
        raise InputError(f"expected text without control characters, got {wrong[0]!r}", path=where)
    return text
