"""Corrections of a translator: sentence pairs that join the parallel text of a system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.decoder import SentenceGrammar
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import POST_EDIT_SUPPORT, Exclusion, GrammarExtractor
from hopefear.grammars.symmetrisation import Link
from hopefear.plugins.sentence_grammar import RuleText

_FEW = 100
"""Corrections of no session that may stay in a text."""

_NONTERMINAL = re.compile(r"\[X,([1-9])\]")

_AGE = re.compile(r"([0-9]+)([smhd]?)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class Correction:
    """A sentence and its translation as the translator wants it.

    Attributes
    ----------
    number : int
        The corrections of a session are numbered from 1.
    source, target : tuple of str
        The words.
    links : tuple of pairs of int
        Positions of linked words.
    time : float
        When it was accepted, in seconds since the epoch.
    """

    number: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
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
        """Give the sides of a rule."""
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
        """Give what `parse` reads."""
        source, target = (
            " ".join(symbol if isinstance(symbol, str) else f"[X,{symbol}]" for symbol in side)
            for side in (self.source, self.target)
        )
        return source, target

    def may_be_of(self, correction: Correction) -> bool:
        """Tell whether a correction has all words of the rule."""
        return _words(self.source) <= {*correction.source} and _words(self.target) <= {*correction.target}

    def example(self) -> tuple[str, ...]:
        """Give a sentence of which rules with the source side can be extracted."""
        return tuple(symbol if isinstance(symbol, str) else "" for symbol in self.source)


def are_words(words: Sequence[object]) -> bool:
    """Tell whether a text can hold the words."""
    try:
        text = " ".join(words)  # type: ignore[arg-type]
        return split_words(text) == tuple(words) and "\0" not in text and text.encode() is not None
    except (TypeError, UnicodeEncodeError):
        return False


def _symbol(text: str) -> str | int:
    match = _NONTERMINAL.fullmatch(text)
    return text if match is None else int(match[1])


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

        def is_old(one: Correction) -> bool:
            if self.most is not None and one.number <= number - self.most:
                return True
            return self.seconds is not None and one.time < time - self.seconds

        if self.seconds is None:  # then no correction after one that is kept is forgotten
            return list(takewhile(is_old, corrections))
        return list(filter(is_old, corrections))


class SharedText:
    """The parallel text of a system, to which the corrections of several sessions are added.

    Parameters
    ----------
    extractor : GrammarExtractor
        Of the text, with the feature `POST_EDIT_SUPPORT`; the text has no corrections yet.
    """

    def __init__(self, extractor: GrammarExtractor) -> None:
        self.extractor = extractor
        self.begin = len(extractor.bitext)
        self._users: WeakSet[OwnText] = WeakSet()

    def enter(self, user: OwnText) -> None:
        """Let a session's text be one of those that keep corrections."""
        self._users.add(user)

    def tidy(self) -> None:
        """Begin the corrections anew, if most of them are in no session's text any more."""
        used = sum(map(len, self._users))
        if len(self.extractor.bitext) - self.begin > 2 * used + _FEW:
            self.extractor.cut(self.begin)
            for user in self._users:
                user.begin_anew()

    @classmethod
    def empty(cls, **settings: object) -> SharedText:
        """Make a text of corrections only; the settings are those of the `GrammarExtractor`."""
        bitext = Bitext.from_pairs([])
        return cls(GrammarExtractor(bitext, corrections_from=0, **settings))  # type: ignore[arg-type]


class OwnText:
    """A text and the corrections of one session, without those of other sessions.

    Parameters
    ----------
    shared : SharedText
    """

    def __init__(self, shared: SharedText) -> None:
        self.shared = shared
        self._kept: dict[int, Correction] = {}
        self._places: dict[int, int] = {}  # index in the text, by the number of the correction
        self._excluded = shared.extractor.growing_exclusion()
        self._seen = shared.begin  # pairs of the text that are the session's, or are excluded
        self._withdrawn: tuple[RuleSides, ...] = ()
        shared.enter(self)

    def __len__(self) -> int:
        return len(self._places)

    def add(self, correction: Correction) -> None:
        """Add a correction; rules come from it from now on."""
        self._append(correction)
        self._kept[correction.number] = correction
        self.shared.tidy()

    def _append(self, correction: Correction) -> None:
        extractor = self.shared.extractor
        extractor.add(correction.source, correction.target, correction.links)
        self._places[correction.number] = len(extractor.bitext) - 1
        self._exclude_others(len(extractor.bitext) - 1)
        self._seen += 1

    def remove(self, correction: Correction) -> None:
        """Remove a correction: rules and counts are as if it had never been there."""
        self.shared.extractor.exclude(self._excluded, self._places.pop(correction.number))
        del self._kept[correction.number]
        self.shared.tidy()

    def withdraw(self, rules: Iterable[RuleSides]) -> None:
        """Use these rules no more where corrections give them, and all others."""
        self._withdrawn = tuple(rules)
        sides = ((rule.source, rule.target) for rule in self._withdrawn)
        self.shared.extractor.withdraw(self._excluded, sides)

    def begin_anew(self) -> None:
        """Add all corrections again, to a text that has none."""
        self._places.clear()
        self._excluded, self._seen = self.shared.extractor.growing_exclusion(), self.shared.begin
        self.withdraw(self._withdrawn)
        for correction in self._kept.values():
            self._append(correction)

    @property
    def exclude(self) -> Exclusion:
        """The sentence pairs of the text that are not the session's."""
        self._exclude_others(len(self.shared.extractor.bitext))
        return self._excluded

    def _exclude_others(self, end: int) -> None:
        """Leave out what other sessions have added since the last call."""
        for place in range(self._seen, end):
            self.shared.extractor.exclude(self._excluded, place)
        self._seen = end

    def link_counts(
        self, source: Sequence[str], target: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Count links as `GrammarExtractor.link_counts` does."""
        return self.shared.extractor.link_counts(source, target, exclude=self.exclude)

    def grammar(self, tokens: tuple[str, ...]) -> SentenceGrammar:
        """Extract the rules of a sentence."""
        return self.shared.extractor.grammar(tokens, exclude=self.exclude)

    def corrected_rules(self, tokens: tuple[str, ...]) -> Iterator[RuleText]:
        """Iterate over the rules of a sentence that corrections gave."""
        return (rule for rule in self.grammar(tokens) if rule.features[POST_EDIT_SUPPORT])
