"""Texts from Python code: a string is one text, and is never split into characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .errors import InputError

BLANK = " \t\n\r"
"""The characters that separate words, as in cdec; every other white space is part of a word."""

_WORD = re.compile(rf"[^{BLANK}]+")


def split_words(text: str) -> tuple[str, ...]:
    """Split a text into its words."""
    return tuple(_WORD.findall(text))


def join_words(words: Iterable[str]) -> str:
    """Join words to a text, which `split_words` splits into the same words."""
    return " ".join(words)


def first_word(line: str) -> tuple[str, str]:
    """Return the first word of a line, empty if there is none, and what follows the blanks after it."""
    word, *rest = re.split(f"[{BLANK}]+", line.strip(BLANK), maxsplit=1)
    return word, "".join(rest)


def split_lines(text: str) -> list[str]:
    """Split a text at its line ends, and nowhere else."""
    lines = re.split("\r\n|\r|\n", text)
    return lines if lines[-1] else lines[:-1]


def word_places(text: str) -> tuple[tuple[int, int], ...]:
    """Return begin and end of each word of a text."""
    return tuple(match.span() for match in _WORD.finditer(text))


def is_whole(text: str) -> bool:
    """Tell whether a text is a whole number from 0, of digits that an integer of 64 bits can hold."""
    return text.isascii() and text.isdecimal() and len(text) < 19


_BAR = re.compile(rf"(?<![^{BLANK}])\|\|\|(?![^{BLANK}])")


def split_fields(text: str) -> list[str]:
    """Split a line of a grammar or of a k-best list at its words ``|||``."""
    return _BAR.split(text)


def as_words(name: str, value: str | Iterable[str]) -> tuple[str, ...]:
    """Return the words of a text, or a sequence of words, as a tuple."""
    return split_words(value) if isinstance(value, str) else as_texts(name, value)


def as_texts(name: str, value: Iterable[str]) -> tuple[str, ...]:
    """Return a sequence of texts as a tuple."""
    expect_several(name, value)
    texts = tuple(value)
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"{name} must be a sequence of texts, got {type(text).__name__}")
    return texts


def expect_unicode(name: str, texts: Iterable[str], where: str | None = None) -> None:
    """Refuse texts with half of a surrogate pair, which stands for a byte that is not UTF-8."""
    for text in texts:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            got = f"got half of a surrogate pair in {shortened(ascii(text))}"
            raise InputError(f"{name} must be valid Unicode text, {got}", path=where) from error


def expect_several(name: str, value: Any) -> None:
    """Refuse a value that is not a sequence, and a single string, whose items would be characters."""
    if isinstance(value, (str, bytes)):
        raise InputError(f"{name} must be a sequence, got a single string: {value[:80]!r}")
    if not isinstance(value, Iterable):
        raise InputError(f"{name} must be a sequence, got {shortened(repr(value))}")


def shortened(text: str, length: int = 60) -> str:
    """Cut a text that is longer than `length` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"
