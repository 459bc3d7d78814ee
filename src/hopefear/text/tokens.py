"""A line of text as tokens, with what lay between them: nothing of the line is lost.

Two neighbouring tokens have an expected gap, a space or nothing, which follows from their characters: nothing
before a full stop, after an opening bracket, and between two characters of scripts without spaces. Where the
line has another gap, a mark on one of the tokens says so: ``￭`` stands for no space, ``▁`` for a space. So
most tokens have no mark, the same word is the same token in all places, and the tokens of a translation join
to a line with the right gaps.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from hopefear.base.texts import BLANK, split_words

JOINED, SPACED = "￭", "▁"
"""The marks of a token: no space, or a space, lies on this side."""

OPEN, CLOSE = "⟨", "⟩"
"""Around the kind of a placeholder, such as ``⟨url⟩``."""

ESCAPE = "％"
"""Before the four or more hexadecimal digits of a character that a token cannot have, and ``;``."""

TAGS = (f"{OPEN}tag{CLOSE}", f"{OPEN}code{CLOSE}")
"""Placeholders that often lie beside a word without a space."""

_MARKS = JOINED + SPACED
_ESCAPED = re.compile(f"{ESCAPE}([0-9A-F]{{1,6}});")
_PLACEHOLDER = re.compile(f"{OPEN}[a-z]+{CLOSE}")
_SPECIAL = re.compile(f"[{JOINED}{SPACED}{ESCAPE}{OPEN}{CLOSE}\\s\x00-\x1f\x7f-\x9f\u2028\u2029]")
_RESERVED = re.compile(r"<|\|(?=\|\|)|\((?=\(\()")
_RESERVED_IN_BRACKETS = re.compile(rf"\[|{_RESERVED.pattern}")
_CLOSES, _OPENS, _WIDE = 1, 2, 4
_CLOSING = frozenset(".,;:!?%…‰°")
_OPENING = frozenset("¿¡")
_SIGNS = frozenset(".,:;!?()-/'\"`*、。「」（）・")  # tokens as they are


def escaped(text: str) -> str:
    """Return a piece of a line as a token without blanks that no file of a system misreads."""
    if text in ("<s>", "</s>", "<unk>") or text[0] == "[" or "|||" in text or text.startswith("((("):
        text = _SPECIAL.sub(_code, text)
        return (_RESERVED_IN_BRACKETS if text.endswith("]") else _RESERVED).sub(_code, text)
    return _SPECIAL.sub(_code, text)


def escaped_pieces(line: str, spans: Iterable[tuple[int, int]]) -> list[str]:
    """Return the pieces of a line, from begin to end, as tokens without marks."""
    texts = [line[begin:end] for begin, end in spans]
    return [text if text.isalnum() or text in _SIGNS else escaped(text) for text in texts]


def unescaped(token: str) -> str:
    """Return the piece of a line that a token without marks stands for."""
    return _ESCAPED.sub(_character, token) if ESCAPE in token else token


def placeholder(kind: str) -> str:
    """Return the token that stands for all pieces of a kind."""
    return f"{OPEN}{kind}{CLOSE}"


def kind_of(token: str) -> str | None:
    """Return the kind of a placeholder, with or without marks; None for another token."""
    if OPEN not in token:
        return None
    bare = token.strip(_MARKS)
    return bare[1:-1] if _PLACEHOLDER.fullmatch(bare) else None


def without_marks(token: str) -> str:
    """Return a token without its marks."""
    return token.strip(_MARKS) if token[0] in _MARKS or token[-1] in _MARKS else token


def marked(pieces: Sequence[str], gaps: Sequence[bool]) -> list[str]:
    """Return tokens with the marks that they need."""
    tokens = list(pieces)
    for i, (left, right, spaced) in enumerate(zip(pieces, pieces[1:], gaps, strict=False)):
        if spaced == _expects_space(left[-1] + right[0]):
            continue
        mark = SPACED if spaced else JOINED
        if _rank(left) < _rank(right):
            tokens[i] += mark
        else:
            tokens[i + 1] = mark + tokens[i + 1]
    return tokens


def gap_after(left: str, right: str) -> str:
    """Return what lies between two tokens: a space or nothing."""
    marks = left[-1] + right[0]
    if JOINED in marks:
        return ""
    if SPACED in marks:
        return " "
    left, right = without_marks(left), without_marks(right)
    return " " if left and right and _expects_space(left[-1] + right[0]) else ""


def join(tokens: Iterable[str]) -> str:
    """Return the line of tokens."""
    line, before = list[str](), ""
    for token in tokens:
        if before:
            line.append(gap_after(before, token))
        line.append(unescaped(without_marks(token)))
        before = token
    return "".join(line)


def join_line(line: str) -> str:
    """Return the line of tokens that are separated by blanks."""
    return join(split_words(line))


@lru_cache(1 << 16)
def _expects_space(pair: str) -> bool:
    """Tell whether a space lies between two tokens as a rule, by the two characters beside it."""
    before, after = map(_side, pair)
    return not (after & _CLOSES or before & _OPENS or before & after & _WIDE)


@lru_cache(1 << 14)
def _side(character: str) -> int:
    """Return what the first or last character of a token says about the gap beside it."""
    if character in (OPEN, CLOSE, ESCAPE):  # a placeholder, or a character that is escaped
        return 0
    category = unicodedata.category(character)
    closes = _CLOSES if character in _CLOSING or category in ("Pe", "Pf") else 0
    opens = _OPENS if character in _OPENING or category in ("Ps", "Pi") else 0
    return closes | opens | (_WIDE if is_wide(character) else 0)


def is_wide(character: str) -> bool:
    """Tell whether a character is of a script that has no spaces between words, or of its punctuation."""
    code = ord(character)
    return (
        0x0E00 <= code < 0x0F00  # Thai, Lao
        or 0x1000 <= code < 0x10A0  # Myanmar
        or 0x1780 <= code < 0x1800  # Khmer
        or (0x2E80 <= code < 0xA4D0 and not 0x3130 <= code < 0x3190)  # Han, kana; not Hangul
        or 0xF900 <= code < 0xFB00
        or (0xFF00 <= code < 0xFFA0 and character not in (ESCAPE,))
        or 0x20000 <= code < 0x40000
    )


@lru_cache(1 << 14)
def _rank(token: str) -> int:
    """Rank a token as the one that gets a mark: signs and tags before words before those without spaces."""
    if _PLACEHOLDER.fullmatch(token):
        return 0 if token in TAGS else 1
    if not any(character.isalnum() for character in unescaped(token)):
        return 0
    return 2 if is_wide(token[0]) or is_wide(token[-1]) else 1


def _code(match: re.Match[str]) -> str:
    return f"{ESCAPE}{ord(match[0]):X};"


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match[0]


assert not set(BLANK) & set(_MARKS + OPEN + CLOSE + ESCAPE)
