"""Corrections of a translator: sentence pairs that join the parallel text of a system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from hopefear.base import InputError
from hopefear.base.texts import BLANK, split_words
from hopefear.plugins.sentence_grammar import RuleText

from .memory_index import MemoryEntry

_NO_WORD = re.compile(rf"[{BLANK}\0]")

_NONTERMINAL = re.compile(r"\[X,([1-9])\]")

_AGE = re.compile(r"([0-9]{1,9})([smhd]?)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction(MemoryEntry):
    """A sentence and its translation as the translator wants it.

    Attributes
    ----------
    number : int
        The corrections of a session are numbered from 1.
    time : float
        When it was accepted, in seconds since the epoch.
    """

    number: int
    time: float


@dataclass(frozen=True, slots=True)
class RuleSides:
    """A rule without its features.

    Attributes
    ----------
    source, target : tuple
        Words, and numbers of nonterminals from 1; those of the source side are in order.
    """

    source: tuple[str | int, ...]
    target: tuple[str | int, ...]

    @classmethod
    def of(cls, rule: RuleText) -> RuleSides:
        """Return the sides of a rule."""
        source = tuple(symbol if isinstance(symbol, str) else symbol[1] for symbol in rule.source)
        return cls(source, rule.target)

    @classmethod
    def parse(cls, source: str, target: str) -> RuleSides:
        """Read two sides as grammar files have them, such as ``el [X,1]`` and ``the [X,1]``.

        Raises
        ------
        InputError
            A side is empty or no valid text, or the nonterminals are not those of a rule.
        """
        words = [split_words(side) for side in (source, target)]
        sides = [tuple(map(_symbol, side)) for side in words]
        gaps = [[symbol for symbol in side if isinstance(symbol, int)] for side in sides]
        in_order = gaps[0] == sorted(gaps[1]) == [*range(1, len(gaps[0]) + 1)]
        if not all(sides) or not in_order or not are_words((*words[0], *words[1])):
            message = "expected the sides of a rule, such as 'el [X,1]' and 'the [X,1]'"
            raise InputError(f"{message}, got {source!r} and {target!r}")
        return cls(*sides)

    def texts(self) -> tuple[str, str]:
        """Return what `parse` reads."""
        source, target = (
            " ".join(symbol if isinstance(symbol, str) else f"[X,{symbol}]" for symbol in side)
            for side in (self.source, self.target)
        )
        return source, target

    def may_be_of(self, correction: Correction) -> bool:
        """Tell whether a correction has all words of the rule."""
        return _words(self.source) <= {*correction.source} and _words(self.target) <= {*correction.target}

    def patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Return what finds each side in words that are joined by blanks, with one before and behind them.

        A nonterminal is one word or more.
        """
        return _pattern(self.source), _pattern(self.target)

    def is_in(self, source: Sequence[str], target: Sequence[str]) -> bool:
        """Tell whether the sides stand in a sentence and its translation."""
        texts = (f" {' '.join(side)} " for side in (source, target))
        return all(side.search(text) for side, text in zip(self.patterns(), texts, strict=True))

    def example(self) -> tuple[str, ...]:
        """Return a sentence of which rules with the source side can be extracted."""
        return tuple(symbol if isinstance(symbol, str) else "" for symbol in self.source)


def are_words(words: Sequence[object]) -> bool:
    """Tell whether a text can hold the words."""
    try:
        text = "".join(words)  # type: ignore[arg-type]
        return all(words) and _NO_WORD.search(text) is None and text.encode() is not None
    except (TypeError, UnicodeEncodeError):
        return False


def _symbol(text: str) -> str | int:
    match = _NONTERMINAL.fullmatch(text)
    return text if match is None else int(match[1])


def _pattern(side: Iterable[str | int]) -> re.Pattern[str]:
    symbols = (f"{re.escape(symbol)} " if isinstance(symbol, str) else r"(?:[^ ]+ )+?" for symbol in side)
    return re.compile(" " + "".join(symbols))


def _words(side: Iterable[str | int]) -> set[str]:
    return {symbol for symbol in side if isinstance(symbol, str)}


@dataclass(frozen=True, slots=True)
class Forget:
    """Which corrections are forgotten when a new one comes.

    Attributes
    ----------
    most : int or None
        The latest corrections that are kept.
    seconds : float or None
        How much older than the latest correction another may be.
    """

    most: int | None = None
    seconds: float | None = None

    @classmethod
    def parse(cls, text: str) -> Forget:
        """Read a number of corrections, ``5000``, or an age: ``30d``, ``12h``, ``90m`` or ``30s``.

        Raises
        ------
        InputError
            The text is neither, or 0.
        """
        match = _AGE.fullmatch(text)
        if match is None or not int(match[1]):
            message = (
                "expected a number of corrections, such as 5000, or an age, such as 30d, 12h, 90m or 30s"
            )
            raise InputError(f"{message}, got {text!r}")
        if match[2]:
            return cls(seconds=float(int(match[1]) * _SECONDS[match[2]]))
        return cls(most=int(match[1]))

    def forgotten(self, corrections: Iterable[Correction], number: int, time: float) -> list[Correction]:
        """List those of the corrections, in the order of their numbers, that are not kept.

        Parameters
        ----------
        number, time : int and float
            Those of the correction that comes now.
        """

        def is_old(correction: Correction) -> bool:
            if self.most is not None and correction.number <= number - self.most:
                return True
            return self.seconds is not None and correction.time < time - self.seconds

        if self.seconds is None:  # then no correction after one that is kept is forgotten
            return list(takewhile(is_old, corrections))
        return list(filter(is_old, corrections))
