"""A sentence as somebody has written it, beside the tokens that were made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MarkPair:
    """An opening and a closing mark, such as ``<b>`` and ``</b>``, around tokens of a sentence."""

    begin: int
    end: int
    opening: str
    closing: str
    outer: int = -1


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence as written."""

    text: str
    places: tuple[tuple[int, int], ...]
    tokens: tuple[str, ...]
    contents: Mapping[int, str] = field(default_factory=dict)
    pairs: tuple[MarkPair, ...] = ()
    references: tuple[str, ...] = ()
    links: tuple[tuple[tuple[int, int], ...], ...] = ()
    made_up: tuple[tuple[int, ...], ...] = ()
    terms: Mapping[tuple[int, int], Mapping[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    translations: Mapping[tuple[str, ...], tuple[str, tuple[tuple[int, int], ...]]] = field(
        default_factory=dict
    )
    """Translations as they are written, by their tokens, and where these stand in them."""
