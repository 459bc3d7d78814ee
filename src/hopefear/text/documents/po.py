"""Catalogues of messages of GNU gettext, ``.po`` and ``.pot``."""

from __future__ import annotations

import gettext
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from hopefear.base import InputError

from .contract import Difference, Format, State, Unit, check_number
from .placeholders import number_in, placeholders_of
from .plurals import plural_forms
from .proofs import po as proof
from .splices import EncodedText, Splices

_CHARSET = re.compile(rb"charset=([A-Za-z][\w.-]{0,40})")
_KEYWORD = re.compile(r"(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d{1,3})\])?)[ \t]*(?=\")")
_STRING = re.compile(r'("(?:[^"\\]|\\.)*"(?:[ \t]*"(?:[^"\\]|\\.)*")*)[ \t]*$')
_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WRITTEN = {"\\": "\\\\", '"': '\\"', **{value: f"\\{key}" for key, value in _ESCAPED.items()}}
_TO_WRITE = re.compile('[\\\\"\a\b\f\n\r\t\v]')
_PLURAL = re.compile(r"plural\s*=\s*([^;\n]*[^;\s])")
_NPLURALS = re.compile(r"nplurals\s*=\s*(\d{1,2})\s*;")


@dataclass
class _Message:
    """A message: its texts by keyword, and where its lines are."""

    line: int
    strings: dict[str, str] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    stale: list[tuple[int, int]] = field(default_factory=list)  # lines of previous messages, ``#|``
    flag_lines: list[tuple[int, int]] = field(default_factory=list)
    first: int = 0  # where the message begins after its comments
    begin: int = -1
    end: int = 0

    @property
    def is_plural(self) -> bool:
        return "msgid_plural" in self.strings

    @property
    def targets(self) -> list[str]:
        return [text for key, text in self.strings.items() if key.startswith("msgstr")]


class Po(Format):
    """A catalogue of messages: each message, and each plural form, is a unit.

    Only ``msgstr`` changes, and the flag ``fuzzy``. A language that the header lacks is filled in, and plural
    forms if the header has only a template's.
    """

    media_type: ClassVar[str] = "text/x-gettext-translation"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        declared = _CHARSET.search(content[: 1 << 16])
        charset = declared[1].decode() if declared else "utf-8"
        self._is_template = charset.upper() == "CHARSET"
        self._encoded = EncodedText(content, "utf-8" if self._is_template else charset)
        self._text = self._encoded.text
        check_number(self._text.count("\n"), "lines")
        self._end_of_line = "\r\n" if "\r\n" in self._text[:1000] else "\n"
        self._language = language
        self._messages = list(self._parsed())
        header = next((one for one in self._messages if one.strings["msgid"] == ""), None)
        self._header = header if header is not None and "msgctxt" not in header.strings else None
        self._width = self._wrapping()
        self.languages = ("", self._named_language())
        self.units: list[Unit] = []
        self._places: list[tuple[_Message, int]] = []
        for message in self._messages:
            if message is not self._header:
                self._add(message)

    def lacks(self, text: str) -> str:
        """Return the characters of a text that the encoding of the document lacks."""
        return self._encoded.lacks(text)

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two catalogues by another reading."""
        return proof.differences(original, written)

    def _count(self, language: str | None) -> int:
        """Return the number of plural forms."""
        stated = _NPLURALS.search(self._header.strings.get("msgstr", "") if self._header else "")
        if stated and 1 <= int(stated[1]) <= 9:
            return int(stated[1])
        return plural_forms(language or self._named_language())[0]

    def _named_language(self) -> str:
        found = re.search(
            r"^Language:[ \t]*(\S*)", (self._header or _NOTHING).strings["msgstr"], re.MULTILINE
        )
        return found[1] if found else ""

    @cached_property
    def _forms_of_one(self) -> frozenset[int]:
        """The plural forms that stand for one, and for no more numbers than nought and one."""
        header = (self._header or _NOTHING).strings["msgstr"]
        stated = _PLURAL.search(header) if _NPLURALS.search(header) else None
        rule = stated[1] if stated else plural_forms(self._language or self._named_language())[1]
        try:
            form_of = gettext.c2py(rule)
            numbers = [form_of(number) for number in range(200)]
        except (ValueError, RecursionError, ZeroDivisionError):
            return frozenset([0])
        return frozenset([numbers[1]]) - set(numbers[2:])

    def _add(self, message: _Message) -> None:
        strings, singular = message.strings, message.strings["msgid"]
        forms = self._count(self._language) if message.is_plural else 1
        fuzzy = "fuzzy" in message.flags
        placeholders = placeholders_of(message.flags)
        optional = ""
        for form in range(forms):
            if message.is_plural:
                source = singular if form in self._forms_of_one else strings["msgid_plural"]
                target = strings.get(f"msgstr[{form}]", "")
                # The form for one may leave out the number.
                number = number_in(source, strings["msgid_plural"], placeholders)
                optional = number if form in self._forms_of_one else ""
            else:
                source, target = singular, strings.get("msgstr", "")
            state = State.NEW if not target else State.DRAFT if fuzzy else State.DONE
            self.units.append(
                Unit(
                    source,
                    target or None,
                    state,
                    profile="plain" if placeholders is None else "printf",
                    line=message.line,
                    context=strings.get("msgctxt", ""),
                    notes="\n".join(message.notes),
                    lines=True,
                    placeholders=placeholders,
                    optional=optional,
                    status="fuzzy" if fuzzy else "",
                )
            )
            self._places.append((message, form))

    def _parsed(self) -> Iterator[_Message]:
        """Iterate over the messages, without those that are obsolete."""
        message, key, at = _Message(1), "", 0
        for number, whole in enumerate(re.findall(r"[^\n]*\n|[^\n]+", self._text), 1):
            begin, at = at, at + len(whole)
            line = whole.strip()
            keyword = _KEYWORD.match(line)
            starts = line.startswith("#") or not line or (keyword and keyword[1] in ("msgctxt", "msgid"))
            if starts and message.begin >= 0:
                yield message
                message, key = _Message(number), ""
            if not line:
                continue
            if line.startswith("#"):
                if key:
                    raise InputError("expected msgstr, got a comment", line=number)
                if line.startswith("#~"):  # comments and flags before it are of the obsolete message
                    message = _Message(number)
                self._comment(message, line, begin, at)
                continue
            if keyword:
                key = keyword[1]
                if key in message.strings or (key != "msgctxt" and key != "msgid" and not message.strings):
                    raise self._wrong(number, line)
                if not message.strings:
                    message.line, message.first = number, begin
                message.strings[key] = ""
            found = _STRING.match(line, keyword.end() if keyword else 0)
            if not found or not key:
                raise self._wrong(number, line)
            message.strings[key] += "".join(map(_unescaped, _STRINGS.findall(found[1])))
            if key.startswith("msgstr"):
                message.begin = begin if message.begin < 0 else message.begin
                message.end = begin + len(whole.rstrip("\r\n"))
        if message.begin >= 0:
            yield message
        elif message.strings:
            raise InputError("expected msgstr, got the end of the file", line=message.line)

    def _wrong(self, number: int, line: str) -> InputError:
        return InputError(
            f'expected a line of a catalogue, such as msgid "text", got {line[:60]!r}', line=number
        )

    @staticmethod
    def _comment(message: _Message, line: str, begin: int, end: int) -> None:
        if line.startswith("#,"):
            message.flags.update(flag.strip() for flag in line[2:].split(","))
            message.flag_lines.append((begin, end))
        elif line.startswith("#|"):
            message.stale.append((begin, end))
        elif line.startswith(("#.", "# ")):
            message.notes.append(line[2:].strip())

    def _wrapping(self) -> int | None:
        """Return the longest line of the catalogue's own style; None if it never breaks a line at a blank."""
        widest, wrapped = 0, False
        for message in self._messages:
            block = [line.strip() for line in self._text[message.first : message.end].split("\n")]
            for line, following in zip(block, [*block[1:], ""], strict=True):
                if " " in line[line.find('"') : -2].strip():
                    widest = max(widest, _columns(line))
                wrapped |= line[:1] == '"' == following[:1] and not line.endswith('\\n"')
        if not wrapped:
            return None if widest > 80 else 79
        return max(40, widest)

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices = Splices(self._text)
        changed: dict[int, dict[int, str]] = {}
        unsure: set[int] = set()
        for index, target in targets.items():
            message, form = self._places[index]
            changed.setdefault(id(message), {})[form] = _with_ends(self.units[index].source, target)
            if index in drafts:
                unsure.add(id(message))
        for message in self._messages:
            if id(message) in changed:
                self._replace(splices, message, changed[id(message)], language)
                self._flag(splices, message, id(message) in unsure)
        self._complete_header(splices, language)
        return self._encoded.encoded(splices.whole())

    def _replace(
        self, splices: Splices, message: _Message, forms: dict[int, str], language: str | None
    ) -> None:
        if message.is_plural:
            count = self._count(language or self._language)
            texts = {
                f"msgstr[{form}]": forms.get(form, message.strings.get(f"msgstr[{form}]", ""))
                for form in range(count)
            }
        else:
            texts = {"msgstr": forms[0]}
        lines = [line for key, text in texts.items() for line in self._lines(key, text)]
        splices.replace(message.begin, message.end, self._end_of_line.join(lines))

    def _flag(self, splices: Splices, message: _Message, unsure: bool) -> None:
        """Set or remove the flag fuzzy; a message that is not fuzzy has no previous message."""
        if unsure == ("fuzzy" in message.flags):
            return
        if unsure:
            if message.flag_lines:
                begin, _ = message.flag_lines[0]
                splices.replace(begin + 2, begin + 2, " fuzzy,")
            else:
                splices.replace(message.first, message.first, f"#, fuzzy{self._end_of_line}")
            return
        for begin, end in message.stale:
            splices.replace(begin, end, "")
        for begin, end in message.flag_lines:
            line = self._text[begin:end]
            kept = [flag for flag in line.strip()[2:].split(",") if flag.strip() != "fuzzy"]
            new = f"#,{','.join(kept)}" if any(flag.strip() for flag in kept) else ""
            splices.replace(begin, end, line.replace(line.strip(), new) if new else "")

    def _complete_header(self, splices: Splices, language: str | None) -> None:
        """Fill in what a header lacks: the language, the encoding and plural forms of a template."""
        header = self._header
        if header is None:
            return
        old = new = header.strings["msgstr"]
        if language:
            if re.search(r"^Language:", new, re.MULTILINE):
                new = re.sub(r"^Language:[ \t]*$", lambda _: f"Language: {language}", new, flags=re.MULTILINE)
            else:
                new = f"{_ended(new)}Language: {language}\n"
        if any(message.is_plural for message in self._messages) and not _NPLURALS.search(new):
            count, rule = plural_forms(language or self._named_language())
            line = f"Plural-Forms: nplurals={count}; plural={rule};"
            if re.search(r"^Plural-Forms:", new, re.MULTILINE):
                new = re.sub(r"^Plural-Forms:.*$", lambda _: line, new, flags=re.MULTILINE)
            else:
                new = f"{_ended(new)}{line}\n"
        if self._is_template:
            new = new.replace("charset=CHARSET", "charset=UTF-8")
        if new != old:
            splices.replace(header.begin, header.end, self._end_of_line.join(self._lines("msgstr", new)))
            self._flag(splices, header, False)

    def _lines(self, key: str, text: str) -> list[str]:
        """Return the lines of a text in the catalogue's own style."""
        parts = [_written(part) for part in re.findall(r"[^\n]*\n|[^\n]+", text)] or [""]
        if len(parts) == 1 and (self._width is None or _columns(parts[0]) + len(key) + 3 <= self._width):
            return [f'{key} "{parts[0]}"']
        if self._width is None:
            return (
                [f'{key} ""', *(f'"{part}"' for part in parts)] if len(parts) > 1 else [f'{key} "{parts[0]}"']
            )
        width = self._width - 2
        return [f'{key} ""', *(f'"{line}"' for part in parts for line in _wrapped(part, width))]


_NOTHING = _Message(0, {"msgid": "", "msgstr": ""})


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1]:
            return chr(int(found[1], 16))
        return chr(int(found[2], 8)) if found[2] else _ESCAPED.get(found[3], found[3])

    return _ESCAPE.sub(character, text)


def _written(text: str) -> str:
    character: Callable[[re.Match[str]], str] = lambda found: _WRITTEN[found[0]]  # noqa: E731
    return _TO_WRITE.sub(character, text)


def _with_ends(source: str, target: str) -> str:
    """Return a translation that begins and ends with a line feed as its message does, as msgfmt demands."""
    if not target:
        return target
    text = source.strip("\n")
    before, _, behind = source.partition(text) if text else (source, "", "")
    return f"{before}{target.strip(chr(10))}{behind}"


def _ended(header: str) -> str:
    return header if not header or header.endswith("\n") else f"{header}\n"


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


_BREAK = re.compile(r"[^ ]* +|[^ ]+")
_IDEOGRAPHS = re.compile(
    r"(?<=[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60])(?![\u3001\u3002\uff01-\uff60\u3005\u30fc])"
)


def _wrapped(text: str, width: int) -> list[str]:
    """Break a text after blanks, and between ideographs."""
    lines, line, length = [], "", 0
    for word in _BREAK.findall(text):
        for piece in [word] if word.isascii() else _IDEOGRAPHS.split(word):
            columns = _columns(piece)
            if line and length + columns > width:
                lines.append(line)
                line, length = "", 0
            line, length = line + piece, length + columns
    return [*lines, line]
