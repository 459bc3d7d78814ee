"""Tokens as other tools make them: in small letters, quotation marks straight, without marks of gaps.

Systems of cdec's users have such tokens. Text as written becomes such tokens, and translations get their
capitals and the gaps of their quotation marks back.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence

from .case import Casing
from .languages import Span
from .tokens import JOINED, kind_of, without_marks

_STRAIGHT = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
_APOSTROPHES = ("'", "’")
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
    return [text.translate(_STRAIGHT).lower() if kind_of(text) is None else text for text in bare]


def cased_and_quoted(tokens: Sequence[str], casing: Casing, names: Mapping[int, str]) -> list[str]:
    """Return tokens with the case that words have inside sentences, and marks at quotation marks.

    Of the quotation marks of a line each second one closes.
    """
    out, is_open = list[str](), dict.fromkeys("\"'", False)
    for position, token in enumerate(tokens):
        token = casing.forms.get(token) or names.get(position, token)
        if _CLITIC.fullmatch(token):
            token = JOINED + token
        elif token in is_open:
            token = JOINED + token if is_open[token] else token + JOINED
            is_open[token.strip(JOINED)] ^= True
        out.append(token)
    return out
