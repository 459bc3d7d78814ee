"""Texts as a search compares them."""

from __future__ import annotations

import re
from unicodedata import normalize

from .plain import STRAIGHT

_ACCENTS = re.compile("[\u0300-\u036f]")
_ALIKE = STRAIGHT | str.maketrans(
    {
        "ʼ": "'",
        **dict.fromkeys("«»", '"'),
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("\u00a0\u202f\u3000", " "),
    }
)


def folded(text: str) -> str:
    """Return a text without case and accents, with straight quotes, one kind of dash and one of blank."""
    return _ACCENTS.sub("", normalize("NFD", text)).translate(_ALIKE).casefold()
