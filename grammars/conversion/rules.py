"""Rules between two decoders, and how they are written for cdec."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from hopefear._native import name_fault, name_part_fault, parse_links
from hopefear.base import InputError


class Nonterminal(NamedTuple):
    """A nonterminal of a source side."""

    category: str


Symbol = str | Nonterminal


@dataclass(slots=True)
class ForeignRule:
    """A rule."""

    lhs: str
    source: list[Symbol]
    target: list[str | int]
    features: dict[str, float]
    links: list[tuple[int, int]]
    where: tuple[str, int] | None = None

    def wrong(self, message: str) -> InputError:
        """Make an error about the rule."""
        path, line = self.where or (None, None)
        return InputError(message, path=path, line=line)

    def line(self) -> str:
        """Write the rule as a line of cdec's grammars."""
        number, source = 0, []
        for symbol in self.source:
            if isinstance(symbol, Nonterminal):
                number += 1
                source.append(f"[{symbol.category},{number}]")
            else:
                source.append(symbol)
        target = [symbol if isinstance(symbol, str) else f"[{symbol}]" for symbol in self.target]
        features = " ".join(f"{name}={value!r}" for name, value in self.features.items())
        line = f"[{self.lhs}] ||| {' '.join(source)} ||| {' '.join(target)} ||| {features}"
        links = " ".join(f"{i}-{j}" for i, j in self.links)
        return f"{line} ||| {links}\n" if links else f"{line}\n"


_WIDE_COMMA = "，"
"""Stands for a comma in a category: in cdec's grammars, a comma ends it."""

_BRACKETS = re.compile(r"\[[^\[\]]*\]")


def word(text: str, path: str, line: int) -> str:
    """Return a word, unless a grammar of cdec cannot have it."""
    if text == "|||" or _BRACKETS.fullmatch(text):
        raise InputError(
            f"expected a word that is not in square brackets, got {text!r}", path=path, line=line
        )
    return text


def category(text: str, path: str, line: int | None) -> str:
    """Return a category as cdec's grammars can have it, with wide commas; raises InputError if none can."""
    fault = name_part_fault(text)
    if not fault and any(character in text for character in f"[]{_WIDE_COMMA}"):
        fault = f"must have no bracket and no {_WIDE_COMMA!r}"
    if fault:
        raise InputError(f"a category {fault}, got {text!r}", path=path, line=line)
    return text.replace(",", _WIDE_COMMA)


def feature_name(text: str, path: str, line: int | None) -> str:
    """Return the name of a feature, unless cdec's weights cannot have it; raises InputError."""
    if fault := name_fault(text):
        raise InputError(f"a feature name {fault}, got {text!r}", path=path, line=line)
    return text


def number(text: str, path: str, line: int | None) -> float:
    """Return a finite number; raises InputError."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise InputError(f"expected a number, got {text[:80]!r}", path=path, line=line)
    return value


def word_links(text: str, source: int, target: int, path: str, line: int) -> list[tuple[int, int]]:
    """Return links such as ``0-0 1-2`` between sides of so many symbols; raises InputError."""
    try:
        return parse_links(text, source, target)
    except ValueError as error:
        raise InputError(str(error), path=path, line=line) from None
