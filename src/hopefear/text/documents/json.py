"""JSON of programs: keys stay, values are texts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from hopefear.base import InputError

from .contract import Difference, Format, Unit, check_number
from .placeholders import ICU_BEGINS, OF_PROGRAMS
from .proofs import json as proof
from .splices import EncodedText, LineNumbers, Splices

_TOKEN = re.compile(r'\s+|(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<sign>[\[\]{}:,])|[-+.\w]+')
_PLACEHOLDERS = re.compile(rf"\$t\([^()]{{1,200}}\)|#|{OF_PROGRAMS.pattern}")
_ICU = re.compile(rf"\s*{ICU_BEGINS}")
_BRANCH = re.compile(r"\s*(?:offset:\d+\s*)?(?:=\d+|\w+)\s*\{")


class Json(Format):
    """The texts of a JSON file, by the path of their key; each branch of an ICU plural is a unit.

    Keys that begin with ``@``, as those of ARB, hold no texts.
    """

    media_type: ClassVar[str] = "application/json"

    def __init__(self, content: bytes, language: str | None = None) -> None:
        self._encoded = EncodedText(content)
        self._text = self._encoded.text
        check_number(sum(map(self._text.count, "[{,")), "values")
        try:
            json.loads(self._text)
        except ValueError as error:
            line = error.lineno if isinstance(error, json.JSONDecodeError) else None
            raise InputError(f"expected JSON: {error}", line=line) from None
        except RecursionError:
            raise InputError("expected JSON with fewer values inside each other") from None
        self._places: list[tuple[int, int, int, int]] = []  # a string, and a part of its text
        self.units: list[Unit] = []
        lines = LineNumbers(self._text)
        for path, begin, end in _strings(self._text):
            text = json.loads(self._text[begin:end])
            for first, last in _parts(text):
                if words := text[first:last] if text[first:last].strip() else "":
                    self._places.append((begin, end, first, last))
                    self.units.append(
                        Unit(
                            words,
                            profile="printf",
                            line=lines.at(begin),
                            context=path,
                            lines=True,
                            placeholders=_PLACEHOLDERS,
                        )
                    )

    @classmethod
    def differences(
        cls, original: bytes, written: bytes, *, language: str | None = None, named: Collection[Unit] = ()
    ) -> list[Difference]:
        """Compare two files by another reading."""
        return proof.differences(original, written, {unit.context for unit in named})

    def translated(self, targets: Mapping[int, str], drafts: Collection[int], language: str | None) -> bytes:
        """Return the document with translations."""
        splices, parts = Splices(self._text), dict[tuple[int, int], Splices]()
        for index, target in targets.items():
            begin, end, first, last = self._places[index]
            if (begin, end) not in parts:
                parts[begin, end] = Splices(json.loads(self._text[begin:end]))
            parts[begin, end].replace(first, last, target)
        for (begin, end), new in parts.items():
            plain = self._text[begin:end].isascii() and "\\u" in self._text[begin:end]
            splices.replace(begin, end, json.dumps(new.whole(), ensure_ascii=plain))
        return self._encoded.encoded(splices.whole())


def _strings(text: str) -> Iterator[tuple[str, int, int]]:
    """Iterate over the strings that are values of no key with ``@``: their paths, begins and ends."""
    path: list[str | int] = []
    is_key = False
    for token in _TOKEN.finditer(text):
        sign = token["sign"]
        if sign == "{":
            path.append("")
            is_key = True
        elif sign == "[":
            path.append(0)
        elif sign in ("}", "]"):
            path.pop()
            is_key = False
        elif sign == ",":
            if isinstance(path[-1], int):
                path[-1] += 1
            is_key = isinstance(path[-1], str)
        elif sign == ":":
            is_key = False
        elif token["string"] is not None and is_key:
            path[-1] = json.loads(token[0])
        elif token["string"] is not None and not any(isinstance(key, str) and key[:1] == "@" for key in path):
            yield ".".join(map(str, path)), *token.span()


def _parts(text: str) -> list[tuple[int, int]]:
    """Return where a text has words: in the branches of an ICU plural, or all of it."""
    begun = _ICU.match(text)
    found, at = list[tuple[int, int]](), begun.end() if begun else 0
    while begun and (branch := _BRANCH.match(text, at)):
        depth, at = 1, branch.end()
        while depth and at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        found.append((branch.end(), at - 1))
    return found if found and text[at:].strip() == "}" else [(0, len(text))]
