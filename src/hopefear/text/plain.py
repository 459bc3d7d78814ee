"""Tokens as other tools make them: in small letters, quotation marks straight, without marks of gaps.

Systems of cdec's users have such tokens. Text as written becomes such tokens, and translations get their
capitals and the gaps of their quotation marks back.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from .case import Casing
from .languages import Span
from .signs import APOSTROPHE, CLOSE, OPEN
from .tokens import JOINED, kind_of, without_marks

STRAIGHT = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
_APOSTROPHES = ("'", "’")
_ENDS, _STOPS = frozenset(".,;:!?)"), frozenset(".!?")
NOTHING = JOINED
"""The token of what is not written."""

_WHOLE = {"'t": "not", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'s": NOTHING}
"""What clitics are in full, behind words that do not have them."""

_CLITIC = re.compile(r"'(?:s|t|d|m|ll|re|ve|em|n|all)\b", re.IGNORECASE)


def with_clitics(line: str, spans: Sequence[Span], fixed: Container[Span]) -> list[Span]:
    """Return words of a line in which an apostrophe is one word with the letters behind it."""
    out = list[Span]()
    for begin, end in spans:
        before = out[-1] if out else (0, 0)
        joins = before[1] == begin and line[slice(*before)] in _APOSTROPHES
        if joins and line[begin].isalpha() and (begin, end) not in fixed:
            out[-1] = before[0], end
        else:
            out.append((begin, end))
    return out


def plain_tokens(tokens: Sequence[str]) -> list[str]:
    """Return tokens in small letters with straight quotation marks and without marks of gaps."""
    bare = map(without_marks, tokens)
    return [text.translate(STRAIGHT).lower() if kind_of(text) is None else text for text in bare]


def cased_and_quoted(
    tokens: Sequence[str], casing: Casing, names: Mapping[int, str], before_quotes: Container[str] = ()
) -> list[str]:
    """Return tokens with the case that words have inside sentences, and marks at quotation marks.

    Behind a word of `before_quotes` and a comma a quotation begins. A token that is `NOTHING` is not written.
    """
    out = list[str]()
    sides = {**_sides(tokens, '"', before_quotes), **_sides(tokens, "'", before_quotes)}
    for position, token in enumerate(tokens):
        if _CLITIC.fullmatch(token):
            before = tokens[position - 1].lower() if position else ""
            token = JOINED + token if _has_clitic(before, token.lower()) else _WHOLE.get(token.lower(), token)
        elif position in sides:
            token = token + JOINED if sides[position] == OPEN else JOINED + token
        else:
            token = casing.forms.get(token) or names.get(position, token)
        out.append(token)
    return out


def _has_clitic(word: str, clitic: str) -> bool:
    """Tell whether a word may have a clitic behind it."""
    last = {"'t": "n", "'m": "i"}.get(clitic)
    return word[-1:].isalnum() if last is None else word.endswith(last)


class _Sides(NamedTuple):
    """The side of a mark, and those of the marks before it."""

    at: int
    side: str
    before: _Sides | None


def _sides(tokens: Sequence[str], mark: str, before_quotes: Container[str]) -> dict[int, str]:
    """Tell of each of the quotation marks of a line whether it opens or closes, or is an apostrophe.

    The sides are those that cost the least: a quotation begins after a comma, a colon or no word, ends after
    a full stop, and both its marks are in the line.
    """
    best: dict[bool, tuple[float, _Sides | None]] = {False: (0.0, None)}  # by whether a quotation is open
    for at in (n for n, token in enumerate(tokens) if token == mark):
        before, after = (tokens[at - 1] if at else ""), (tokens[at + 1] if at + 1 < len(tokens) else "")
        said = before == "," and at > 1 and tokens[at - 2] in before_quotes
        reached = dict[bool, tuple[float, _Sides | None]]()
        for is_open, (cost, sides) in best.items():
            ways = [(OPEN, _opening(before, after) + 1.5 * is_open, True)]
            ways.append((CLOSE, _closing(before, after, said) + 1.5 * (not is_open), False))
            if mark == "'" and before[-1:].isalnum():
                ways.append((APOSTROPHE, 0.5 if before.endswith("s") else 2.0, is_open))
            for side, more, goes_on in ways:
                way = cost + more, _Sides(at, side, sides)
                if goes_on not in reached or way[0] < reached[goes_on][0]:
                    reached[goes_on] = way
        best = reached
    found = dict[int, str]()
    last = min(best.items(), key=lambda item: item[1][0] + item[0])[1][1]
    while last is not None:
        found[last.at], last = last.side, last.before
    return found


def _opening(before: str, after: str) -> float:
    """Return what it costs that a mark between two tokens opens a quotation."""
    return (_is_word(before) or before in _STOPS) + 3.0 * (not after or after in _ENDS)


def _closing(before: str, after: str, said: bool) -> float:
    """Return what it costs that a mark between two tokens closes a quotation."""
    if not before or before == ":" or said or (before == "," and not after):
        return 4.0
    if before == ",":
        return 2.0
    return 0.5 * (_is_word(before) and _is_word(after))


def _is_word(token: str) -> bool:
    return token[-1:].isalnum()
