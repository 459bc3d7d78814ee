"""Words and nonterminals of rules. cdec numbers them; here they are texts, ``word`` and ``[X,1]``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hopefear.pycdec.text import as_text

Column = tuple[tuple[str, None, int], ...]

_VARIABLE = re.compile(r"\[[^\[\]\s]+\]")


def isvar(sym: str | bytes) -> bool:
    """Tell whether a symbol of a rule is a nonterminal."""
    return _VARIABLE.fullmatch(as_text(sym)) is not None


def make_lattice(words: Iterable[str | bytes]) -> tuple[Column, ...]:
    """Return the lattice of a sentence, a column ``((word, None, 1),)`` for each word."""
    return tuple(((as_text(word), None, 1),) for word in words)


def decode_lattice(lattice: Iterable[Column]) -> tuple[tuple[str, None, int], ...]:
    """Return the arcs of a lattice, column after column."""
    return tuple(arc for column in lattice for arc in column)


def decode_sentence(lattice: Iterable[Column]) -> tuple[str, ...]:
    """Return the words of a sentence's lattice."""
    return tuple(word for ((word, _, _),) in lattice)


def encode_words(words: Iterable[str | bytes]) -> tuple[str, ...]:
    """Return the symbols of words, which are the words themselves."""
    return tuple(map(as_text, words))


def decode_words(syms: Iterable[str | bytes]) -> tuple[str, ...]:
    """Return the words of symbols."""
    return tuple(map(as_text, syms))
