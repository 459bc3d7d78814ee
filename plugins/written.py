"""A sentence as somebody has written it, beside the tokens that were made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Pair:
    """An opening and a closing mark, such as ``<b>`` and ``</b>``, around tokens of a sentence.

    Attributes
    ----------
    begin, end : int
        The tokens [begin, end) between the marks.
    opening, closing : str
        The marks.
    outer : int
        The number of the pair around this one; -1 without one.
    """

    begin: int
    end: int
    opening: str
    closing: str
    outer: int = -1


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence as written.

    Attributes
    ----------
    text : str
        The sentence.
    places : tuple of (int, int)
        Begin and end of each token in `text`.
    tokens : tuple of str
        The tokens with the case of `text`.
    contents : mapping of int to str
        What the placeholders stand for, by the number of the token.
    pairs : tuple of Pair
        Marks around tokens; an inner pair stands before the outer one.
    references : tuple of str
        Its translations as written.
    links : tuple of tuple of (int, int)
        For each of the references, links of its placeholders with those of the sentence, by token.
    made_up : tuple of tuple of int
        For each of the references, the tokens that are pieces which the sentence has not.
    terms : mapping of (int, int) to mapping
        By the tokens [begin, end) of a marked term: each of its translations, as target tokens, and these
        tokens with the case that they are given in.
    """

    text: str
    places: tuple[tuple[int, int], ...]
    tokens: tuple[str, ...]
    contents: Mapping[int, str] = field(default_factory=dict)
    pairs: tuple[Pair, ...] = ()
    references: tuple[str, ...] = ()
    links: tuple[tuple[tuple[int, int], ...], ...] = ()
    made_up: tuple[tuple[int, ...], ...] = ()
    terms: Mapping[tuple[int, int], Mapping[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
