"""The proof of catalogues: both are read by the tokens of gettext's own grammar, not by lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from hopefear.base import InputError

from ..contract import Difference
from ..splices import EncodedText

_TOKEN = re.compile(
    r'\s+|(?P<comment>#[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<keyword>msg[a-z_]+(?:\[\d+\])?)'
)
_BRACES, _NUMBERED = re.compile(r"\{[^{}]*\}"), re.compile(r"%L?(?:\d+|n)")
_DIRECTIVE = re.compile(r"%(?:\{[^}]*\}|(?:\([^)]*\)|<[^>]*>)?[-+ #0-9'.*$]*[a-zA-Z@%])")
_BRACED = re.compile(r"(?:.*-brace|c\+\+|csharp|rust)-format")
_WITH_NUMBERS = re.compile(r"(?:qt|qt-plural|kde|kde-kuit|ycp|smalltalk)-format")
_WITHOUT = re.compile(r"(?:no-.*|java|lisp|scheme|sh)-format|(?!.*-format)")

_FILLED_IN = re.compile(r"Language:|Plural-Forms:")


@dataclass
class _Entry:
    line: int
    comments: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    previous: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def is_header(self) -> bool:
        return self.texts.get("msgid") == "" and "msgctxt" not in self.texts

    @property
    def original(self) -> list[tuple[str, str]]:
        return [(key, text) for key, text in self.texts.items() if not key.startswith("msgstr")]

    @property
    def targets(self) -> dict[str, str]:
        return {key: text for key, text in self.texts.items() if key.startswith("msgstr")}

    def comment(self, text: str) -> None:
        if text.startswith("#,"):
            self.flags |= {flag.strip() for flag in text[2:].split(",")}
        elif text.startswith("#|"):
            self.previous.append(text)
        else:
            self.comments.append(text)


def _entries(content: bytes) -> Iterator[_Entry]:
    declared = re.search(rb"charset=([A-Za-z][\w.-]*)", content)
    charset = declared[1].decode() if declared else "utf-8"
    text = EncodedText(content, "utf-8" if charset.upper() == "CHARSET" else charset).text
    entry, key, at, line = _Entry(1), "", 0, 1
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise InputError(f"expected a catalogue, got {text[at : at + 20]!r}", line=line)
        if token.lastgroup == "string" and not key:
            raise InputError("expected a keyword before a string", line=line)
        begins = token.lastgroup == "comment" or token[0] in ("msgctxt", "msgid")
        if begins and any(name.startswith("msgstr") for name in entry.texts):
            yield entry
            entry, key = _Entry(line), ""
        if token.lastgroup == "comment":
            entry.comment(token[0].rstrip())
        elif token.lastgroup == "keyword":
            key = token[0]
            if key in entry.texts:
                raise InputError(f"expected one {key} of a message", line=line)
            entry.line = line if not entry.texts else entry.line
            entry.texts[key] = ""
        elif token.lastgroup == "string":
            entry.texts[key] += token[0][1:-1]
        line += token[0].count("\n")
        at = token.end()
    yield entry


def differences(original: bytes, written: bytes) -> list[Difference]:
    """Compare two catalogues; what changed of a message is held to what ``msgfmt -c`` demands."""
    before = list(_entries(original))
    try:
        after = list(_entries(written))
    except InputError as error:
        return [Difference(f"the written catalogue cannot be read: {error}", error.line)]
    forms = _number_of_forms(after)
    found = list[Difference]()
    for old, new in zip_longest(before, after):
        if old is None or new is None:
            line = (old or new).line
            return [*found, Difference("the written catalogue has other messages", line)]
        if reason := _reason(old, new, forms):
            found.append(Difference(reason, old.line))
    return found


def _number_of_forms(entries: list[_Entry]) -> int | None:
    header = next((one.texts.get("msgstr", "") for one in entries if one.is_header), "")
    stated = re.search(r"nplurals\s*=\s*(\d+)", header)
    return int(stated[1]) if stated else None


def _reason(old: _Entry, new: _Entry, forms: int | None) -> str:
    """Say what differs in an entry beside its translation; empty if nothing does."""
    if old.original != new.original:
        return "the message is another one"
    if old.comments != new.comments or old.flags - {"fuzzy", ""} != new.flags - {"fuzzy", ""}:
        return "the message has other comments or flags"
    if old.previous != new.previous and not ("fuzzy" in old.flags - new.flags and not new.previous):
        return "the message has another previous message"
    if old.is_header:
        return _reason_of_header(old.texts.get("msgstr", ""), new.texts.get("msgstr", ""))
    if old.targets == new.targets:
        # Somebody may have looked at a translation, and kept it.
        same = old.flags == new.flags or any(old.targets.values())
        return "" if same else "the state of a translation changed that did not change"
    wanted = [f"msgstr[{form}]" for form in range(forms or 0)] if "msgid_plural" in new.texts else ["msgstr"]
    if forms is not None and sorted(new.targets) != sorted(wanted):
        return f"the message has the forms {', '.join(new.targets)}, the header demands {forms}"
    return _reason_of_texts(new)


def _reason_of_header(old: str, new: str) -> str:
    def kept(text: str) -> list[str]:
        lines = text.replace("charset=CHARSET", "charset=UTF-8").removesuffix("\\n").split("\\n")
        return [line for line in lines if not _FILLED_IN.match(line)]

    return "" if kept(old) == kept(new) else "the header has other fields"


def _reason_of_texts(entry: _Entry) -> str:
    """Say what ``msgfmt -c`` would say of a translation: ends of lines, and formats unless it is fuzzy."""
    source = entry.texts.get("msgid", "")
    plural = entry.texts.get("msgid_plural", source)
    for key, target in entry.targets.items():
        if not target:
            continue
        for edge in (str.startswith, str.endswith):
            if edge(source, "\\n") != edge(target, "\\n"):
                return f"{key} has not the line feeds at its ends that the message has"
        for pattern in () if "fuzzy" in entry.flags else filter(None, map(_pattern_of, sorted(entry.flags))):
            got, *wanted = (Counter(pattern.findall(text)) for text in (target, source, plural))
            # The form for one may leave out the number.
            if got not in wanted and (source is plural or got - wanted[0] - wanted[1]):
                return f"{key} has other placeholders than the message"
    return ""


def _pattern_of(flag: str) -> re.Pattern[str] | None:
    if _WITHOUT.match(flag):
        return None
    return _BRACES if _BRACED.match(flag) else _NUMBERED if _WITH_NUMBERS.match(flag) else _DIRECTIVE
