"""What is not translated: pieces of a text such as code, addresses and tags, by profile.

A profile is a list of kinds. A kind is a name and a regular expression; a piece of a line that matches is
one token, and in rules and models the token of its kind, such as ``⟨url⟩``. The first kind that matches at a
place counts. What the group ``name`` of an expression matches is a kind of its own, if the text has taught
it: ``:func:`len``` is a ``⟨func⟩``, and one that is seldom seen is a ``⟨role⟩``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.errors import naming_file
from hopefear.base.lines import read_lines
from hopefear.base.loading import near
from hopefear.base.texts import split_words

from .slow_patterns import SECONDS, first_slow

PAIRED = "paired"
"""The word after the name of a kind whose pieces are opening and closing marks around words."""

HOLDING_WORDS = frozenset({"emphasis"})
"""The kinds whose pieces hold words, which a text may translate."""

NUMBERS = frozenset({"measure"})
"""The kinds whose pieces have numbers, which a language can write with commas for points."""

_TAG_NAME = re.compile(r"<(/?)([\w:.-]+)")
_LINE = re.compile(
    rf"(?P<name>[a-z]+)(?P<paired>\s+{PAIRED})?\s*=\s*(?P<pattern>.+?)(?:\s{{1,99}}->\s+(?P<form>.+))?"
)
_SEPARATORS = str.maketrans(".,", ",.")
_GROUPS = re.compile(r"[.,\s]")
_REFERENCE = re.compile(r"(:[\w+.:-]{0,100}:)?`?[^`<>]*<([^<>]+)>`")
_TITLED = re.compile(r"(\]\([^\s]*) \"[^\"]*\"\)")

# No expression may take long for a hostile line: where a repetition could reach over the beginnings of other
# pieces, it stops at them, or has a bound.
_URL = r"(?:https?|ftp)://[^\s<>\"'`）」』。、]*[^\s<>\"'`.,;:!?)\]}）」』。、]"
_EMAIL = r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_UNITS = "kB|KB|MB|GB|TB|KiB|MiB|GiB|kHz|MHz|GHz|Hz|km|cm|mm|nm|kg|mg|ml|ms|ns|dpi|px|°C|°F|kW|kWh"
_PLAIN = {
    "url": _URL,
    "email": _EMAIL,
    "measure": rf"(?<![\w.,])\d+(?:[.,]\d+)*[ \u00a0\u202f]?(?:{_UNITS})(?!\w)",
}

_ROLE = r"(?<![\w`]):(?:[a-zA-Z][\w+.-]*:)??(?P<name>[a-zA-Z][\w+.-]*):`[^`]+`"
_LINK = r"(?<![\w:`])`(?=[^`<>]+ <[^`<>]+>`__?)|(?<=[^`\s]) <[^`<>]+>`__?"
_STRONG = r"(?<![\w*\\])\*\*(?=\S)[^*]+?(?<=\S)\*\*(?![\w*])"
_EMPHASIS = r"(?<![\w*\\])\*(?=\S)[^*]+?(?<=\S)\*(?![\w*])"

_ENTITY = r"&(?:[a-zA-Z][a-zA-Z0-9]*|#\d+|#x[0-9a-fA-F]+);"
_VALUE = r"(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^\s\"'<>]+)"
_ATTRIBUTES = rf"(?:\s+[^\s\"'<>/=]+(?:\s*=\s*{_VALUE})?)*\s*"
_OPENING_OR_CLOSING = rf"</?[a-zA-Z][\w:.-]*{_ATTRIBUTES}>"
_COMMENT = r"<!--(?:[^<]|<(?!!--))*?-->"
_ALONE = rf"<[a-zA-Z][\w:.-]*{_ATTRIBUTES}/>|{_COMMENT}|<(?:br|hr|img|input|wbr)\b[^<>]*>"
_TAGS = {"tag": _ALONE, "mark paired": _OPENING_OR_CLOSING}
_ESCAPE = r"\\[!-/:-@\[-`{-~]"
_AUTOLINK = r"<[a-zA-Z][\w+.-]{1,31}:[^<>\s]*>|<[\w.+-]+@[\w.-]+>"
_NO_ELEMENT = r"<\?.{0,1000}?\?>|<![A-Z][^<>]{0,1000}>|<!\[CDATA\[.{0,1000}?\]\]>"
_TEMPLATE = r"\{[#.:][^{}]{0,300}\}|\{\{[^{}]{0,300}\}\}|\{%.{0,300}?%\}"
_IN_PARENTHESES = r"\((?:[^()\s\\]|\\.|\([^()\s]{0,300}\)){0,300}\)"
_DESTINATION = rf"(?:<[^<>\n]{{0,2000}}>|(?:[^()<>\s\\]|\\.|{_IN_PARENTHESES}){{0,2000}})"
_TITLE = r"(?:\"(?:[^\"\\]|\\.){0,500}\"|'(?:[^'\\]|\\.){0,500}'|\((?:[^()\\]|\\.){0,500}\))"
_LINK_END = (
    rf"\]\(\s{{0,99}}{_DESTINATION}(?:[ \t\n]{{1,99}}{_TITLE})?\s{{0,99}}\)|\]\[(?:[^\[\]\\]|\\.){{1,999}}\]"
)
_OF_MARKDOWN = (
    r"\*{2,3}|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])|~~"
    r"|(?<![\w_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\w_])"
    rf"|!?\[(?=(?:[^\[\]\\]|\\.|!?\[[^\[\]]{{0,300}}\]){{0,1000}}\][\[(])|{_LINK_END}"
)

_SIZE = r"(?:\d{1,9}|\*)?(?:\.(?:\d{1,9}|\*))?(?:hh|h|ll|l|L|q|j|z|t)?"
_PRINTF = rf"%(?:\(\w{{1,60}}\))?[-+#0]{{0,5}}{_SIZE}[diouxXeEfFgGcrsa](?![a-zA-Z])|%\d{{1,2}}\$[sd]|%%"
_BRACES = r"\$?\{\{?\s{0,9}[\w.!:\[\]%+,<>=^-]{0,60}\s{0,9}\}\}?"

BUILT_IN: dict[str, dict[str, str]] = {
    "plain": _PLAIN,
    "rst": {
        "literal": r"``(?:[^`]|`(?!`))+``",
        "role": _ROLE,
        "mark paired": _LINK,
        "reference": r"(?<![\w:`])`[^`<>]+`__?(?!\w)",
        "emphasis": f"{_STRONG}|{_EMPHASIS}",
        "substitution": r"\|[\w.-]+\|_{0,2}|\[[#\w.-]+\]_",
        **_PLAIN,
    },
    "markdown": {
        "literal": r"(?<!`)(?P<ticks>`{1,9})(?!`).+?(?<!`)(?P=ticks)(?!`)",
        "escape": _ESCAPE,
        "entity": _ENTITY,
        "link": _AUTOLINK,
        "tag": f"{_ALONE}|{_NO_ELEMENT}",
        "note": r"\[\^[^\[\]\s]{1,99}\]",
        "attributes": _TEMPLATE,
        "mark paired": f"{_OPENING_OR_CLOSING}|{_OF_MARKDOWN}",
        **_PLAIN,
    },
    "html": {"entity": _ENTITY, **_TAGS, **_PLAIN},
    "xliff": {
        "code": r"<(?P<code>ph|bpt|ept|it|ut)\b[^<>]*>[^<>]*</(?P=code)>",
        "entity": _ENTITY,
        **_TAGS,
        **_PLAIN,
    },
    "printf": {"format": f"{_PRINTF}|{_BRACES}", "entity": _ENTITY, **_TAGS, **_PLAIN},
}
"""The profiles that come along: kinds with their regular expressions."""


_NO_FORMS: Mapping[str, str] = {}


@dataclass(frozen=True)
class Piece:
    """A piece of a line that is not translated."""

    begin: int
    end: int
    kind: str
    name: str
    paired: bool
    form: str = ""

    def is_kept(self, line: str) -> bool:
        """Tell whether each translation of a line must have the piece.

        It must, unless the piece holds words, or is a mark around words that names nothing: a translation
        need not stress what its source stresses. The address of a link must stay.
        """
        names = any(map(str.isalnum, line[self.begin : self.end]))
        return self.kind not in HOLDING_WORDS and (names or not self.paired)

    def what_it_is(self, line: str) -> str:
        """Return what the piece has in common with those that stand for the same in a translation.

        That is its text; of a number only its digits and its unit count.
        """
        text = self.form or line[self.begin : self.end]
        return _GROUPS.sub("", text) if self.kind in NUMBERS else what_it_is(text)

    def pattern(self, line: str) -> str:
        """Return a regular expression, also of JavaScript, of what a translation may have in its place."""
        text = self.form or line[self.begin : self.end]
        if self.kind in NUMBERS:
            return f"{_GROUPS.pattern}?".join(map(re.escape, _GROUPS.sub("", text)))
        return pattern_of(text)


@dataclass(frozen=True)
class Profile:
    r"""The kinds of pieces that are not translated.

    Attributes
    ----------
    kinds : tuple of (str, str)
        Names with regular expressions; ``NAME paired`` for marks around words.
    forms : mapping of str to str
        For the name of a kind what translations have in the place of its pieces: a text with ``\1`` and the
        like for the groups of the expression. Pieces of other kinds stay as they are.
    """

    kinds: tuple[tuple[str, str], ...]
    forms: dict[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def named(cls, name: str, extra: Profile | None = None) -> Profile:
        """Return a profile that comes along.

        Parameters
        ----------
        name : str
            A key of `BUILT_IN`, or ``none``.
        extra : Profile, optional
            More kinds, which count before the profile's own; one with another form in translations is in the
            place of the profile's kind of its name.

        Raises
        ------
        InputError
            There is no such profile, or a regular expression is wrong.
        """
        if name != "none" and name not in BUILT_IN:
            raise InputError(f"{name}: unknown profile, {near(name, {*BUILT_IN, 'none'})}")
        extra = extra or cls(())
        others = (kind for kind in BUILT_IN.get(name, {}).items() if kind[0] not in extra.forms)
        return cls((*extra.kinds, *others), extra.forms)

    def __post_init__(self) -> None:
        for name, pattern in self.kinds:
            _check(name, pattern, self.forms.get(name))

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        parts = []
        for number, (_, pattern) in enumerate(self.kinds):
            parts.append(f"(?P<kind{number}>{_renamed(pattern, number)})")
        return re.compile("|".join(parts), re.DOTALL) if parts else None

    def pieces(self, line: str, forms: Mapping[str, str] = _NO_FORMS) -> list[Piece]:
        """Find the pieces of a line that are not translated, in order.

        Parameters
        ----------
        forms : mapping of str to str
            Texts that are pieces, too, with their kinds: those that stand for pieces of another line.
        """
        pieces = self._pieces(line)
        if not forms:
            return pieces
        texts = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
        matches = re.finditer(rf"(?<!\w)(?<!\d[.,])(?:{texts})(?!\w)(?![.,]\d)", line)
        of_forms = [Piece(*match.span(), forms[match[0]], forms[match[0]], False) for match in matches]
        taken = bytearray(len(line) + 1)
        for piece in of_forms:
            taken[piece.begin : piece.end] = b"\1" * (piece.end - piece.begin)
        others = (piece for piece in pieces if not any(taken[piece.begin : piece.end]))
        return sorted((*of_forms, *others), key=lambda piece: piece.begin)

    def _pieces(self, line: str) -> list[Piece]:
        if self._pattern is None:
            return []
        pieces = []
        for match in self._pattern.finditer(line):
            if match.end() == match.start():
                continue
            number = int(_kind_group(match)[4:])
            kind, *paired = split_words(self.kinds[number][0])
            name = (match.groupdict().get(f"k{number}name") or kind).lower()
            name = name if name.isascii() and name.isalpha() else kind
            form = self._form(number, line, match.start()) if kind in self.forms else ""
            pieces.append(Piece(*match.span(), kind, name, bool(paired), form))
        return pieces

    def _form(self, number: int, line: str, begin: int) -> str:
        """Return what a translation has in the place of a piece."""
        name, pattern = self.kinds[number]
        match = re.compile(pattern, re.DOTALL).match(line, begin)
        return "" if match is None else match.expand(self.forms[name])

    def kept(self, line: str) -> list[Piece]:
        """Find the pieces of a line that each of its translations must have as often, in order."""
        return [piece for piece in self.pieces(line) if piece.is_kept(line)]

    def complaints_about(self, line: str, translation: str) -> list[str]:
        """Say which pieces of a line its translation has lost or doubled, or has made up."""
        pieces = self.pieces(line)
        sides = (line, pieces), (translation, self.pieces(translation, forms_of(pieces)))
        source, target = (
            [
                (piece.what_it_is(text), (piece.form or text[piece.begin : piece.end]).strip())
                for piece in found
                if piece.is_kept(text)
            ]
            for text, found in sides
        )
        return differences(source, target)


def forms_of(pieces: Iterable[Piece]) -> dict[str, str]:
    """Return what stands for pieces in a translation where this is other text, with their kinds."""
    return {piece.form: piece.kind for piece in pieces if piece.form}


def differences(source: Sequence[tuple[str, str]], target: Sequence[tuple[str, str]]) -> list[str]:
    """Say what of a source its translation has lost or doubled, or has made up, one sentence each."""
    wanted, got = (Counter(key for key, _ in side) for side in (source, target))
    shown = {key: text for key, text in (*target, *source)}
    missing, extra = wanted - got, got - wanted
    kinds = (
        ("the translation has no {}", [key for key in missing if key not in got]),
        ("the translation has {} less often", [key for key in missing if key in got]),
        ("the translation has {} more often", [key for key in extra if key in wanted]),
        ("the source has no {}", [key for key in extra if key not in wanted]),
    )
    return [said.format(repr(shown[key])) for said, keys in kinds for key in keys]


def read_kinds(path: str | Path) -> Profile:
    """Read kinds from a file.

    It has lines ``NAME = REGEX``, ``NAME = REGEX -> FORM``, if translations have another form, and
    ``NAME paired = REGEX``; ``#`` begins a comment.

    Raises
    ------
    InputError
        With file and line: a line has another form, or a regular expression is wrong or too slow.
    """
    kinds, forms = list[tuple[str, str]](), dict[str, str]()
    places = dict[str, tuple[str, str]]()
    for where, line in read_lines(path):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        match = _LINE.fullmatch(text)
        if match is None:
            raise InputError("expected NAME = REGULAR EXPRESSION, a name of the letters a to z", path=where)
        name = match["name"] + (f" {PAIRED}" if match["paired"] else "")
        with naming_file(where):
            _check(name, match["pattern"], match["form"])
        if name in forms or (match["form"] is not None and name in dict(kinds)):
            raise InputError(f"expected one line for {name}, a kind with another form", path=where)
        kinds.append((name, match["pattern"]))
        places[match["pattern"]] = where, name
        if match["form"] is not None:
            forms[name] = match["form"]
    if (slow := first_slow(places)) is not None:
        where, name = places[slow]
        message = f"expected a regular expression for {name} that no line holds up for {SECONDS} s of work"
        raise InputError(message, path=where)
    return Profile(tuple(kinds), forms)


def with_other_separators(text: str) -> str:
    """Return a number with commas for points and points for commas."""
    return text.translate(_SEPARATORS)


def what_it_is(text: str) -> str:
    """Return what pieces that stand for the same thing have in common.

    A title may be translated: of a reference or a link with a title, the rest counts.
    """
    if (found := _REFERENCE.fullmatch(text.strip().rstrip("_"))) is not None:
        return f"{found[1] or ''}<{found[2]}>"
    if (found := _TITLED.fullmatch(text)) is not None:
        return f"{found[1]})"
    return text


def pattern_of(text: str) -> str:
    """Return a regular expression for the texts of which `what_it_is` says the same."""
    if (match := _REFERENCE.fullmatch(text.strip().rstrip("_"))) is not None:
        return f"{re.escape(match[1] or '')}`?[^`<>]*<{re.escape(match[2])}>`"
    if (match := _TITLED.fullmatch(text)) is not None:
        return rf'{re.escape(match[1])}(?: "[^"]*")?\)'
    return re.escape(text)


def opening_and_closing(marks: Sequence[str]) -> list[tuple[int, int]]:
    """Match opening and closing marks of a line, the inner ones first.

    A tag closes the last open one of its name; another mark closes the last open one that it can close.
    """
    open_ones, pairs = list[tuple[str, int]](), list[tuple[int, int]]()
    by_name = dict[str, int]()  # how many of a name are open
    for index, mark in enumerate(marks):
        opens, closes = _names(mark)
        if closes and by_name.get(closes):
            name = ""
            while name != closes:
                name, partner = open_ones.pop()
                by_name[name] -= 1
            pairs.append((partner, index))
        elif opens:
            open_ones.append((opens, index))
            by_name[opens] = by_name.get(opens, 0) + 1
    return pairs


def _names(mark: str) -> tuple[str, str]:
    """Return what a mark opens and what it closes; a sign such as ``**`` does both."""
    if tag := _TAG_NAME.match(mark):
        return ("", tag[2]) if tag[1] else (tag[2], "")
    for begin, partner in (("](", "["), (" <", "`")):
        if mark.startswith(begin):
            return "", partner
    return (mark[-1], "") if mark in ("[", "![", "`") else (mark, mark)


def _kind_group(match: re.Match[str]) -> str:
    groups = match.groupdict().items()
    return next(name for name, text in groups if name.startswith("kind") and text is not None)


def _renamed(pattern: str, number: int) -> str:
    """Give the named groups of a pattern names of their own, as several patterns become one."""
    return re.sub(r"\(\?P(<|=)(\w+)", lambda m: f"(?P{m[1]}k{number}{m[2]}", pattern)


def _check(name: str, pattern: str, form: str | None) -> None:
    try:
        compiled = re.compile(_renamed(pattern, 0))
        if form is not None:
            re.sub(pattern, form, "")
    except (re.error, IndexError, OverflowError, RecursionError) as error:
        raise InputError(f"expected a regular expression for {name}: {error}") from None
    if compiled.match(""):
        raise InputError(f"expected a regular expression for {name} that does not match nothing")
    if form is not None and name.endswith(PAIRED):
        raise InputError(f"expected no other form of {name}, a mark")
