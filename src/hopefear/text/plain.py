"""Tokens as other tools make them: in small letters, quotation marks straight, without marks of gaps.

Systems of cdec's users have such tokens. Text as written becomes such tokens, and translations get their
capitals and the gaps of their quotation marks back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .case import Casing
from .tokens import JOINED, kind_of, without_marks

_STRAIGHT = str.maketrans("‘’‚‛“”„‟", "''''\"\"\"\"")
_CLITIC = re.compile(r"'(?:s|t|d|m|ll|re|ve|em|n|all)\b", re.IGNORECASE)


def plain_tokens(tokens: Sequence[str], spaced: Sequence[bool]) -> list[str]:
    """Return tokens in small letters without marks; an apostrophe is one token with the letters behind it.

    Parameters
    ----------
    tokens : sequence of str, length n
        Tokens with marks.
    spaced : sequence of bool, length n - 1
        Whether a space lies between a token and the next one.
    """
    out, joins = list[str](), False
    for token, gap in zip(tokens, (*spaced, True), strict=True):
        text = without_marks(token)
        if kind_of(text) is None:
            text = text.translate(_STRAIGHT).lower()
        if joins and text[0].isalpha():
            out[-1] += text
        else:
            out.append(text)
        joins = text == "'" and not gap
    return out


def cased_and_quoted(tokens: Sequence[str], casing: Casing) -> list[str]:
    """Return tokens with the case that words have inside sentences, and marks at quotation marks.

    Of the quotation marks of a line each second one closes.
    """
    out, is_open = list[str](), dict.fromkeys("\"'", False)
    for token in tokens:
        token = casing.forms.get(token, token)
        if _CLITIC.fullmatch(token):
            token = JOINED + token
        elif token in is_open:
            token = JOINED + token if is_open[token] else token + JOINED
            is_open[token.strip(JOINED)] ^= True
        out.append(token)
    return out
