"""Rules over sentences with ends, ``<s> … </s>``, as rules over sentences without.

Moses and Joshua translate ``<s> words </s>``, and their glue rules have the ends as words. Here a category is
split into those that cover the beginning, the end, both or none of a sentence; then the ends are left out. A
rule that covers only ``<s>`` is built into the rules above it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from hopefear.base import InputError

from .rules import ForeignRule, Nonterminal, Symbol

BEGIN, END = "<s>", "</s>"

FEATURE = "SentenceEnds"
"""Counts the ends that a rule had on its target side."""


class Variant(NamedTuple):
    """A category, and which ends of the sentence it covers."""

    category: str
    begin: bool
    end: bool


class _Shape(NamedTuple):
    """What decides which variants a rule has: of the source side, only categories and ends."""

    lhs: str
    first: str | None  # a category, or BEGIN, or None for a word
    last: str | None
    others: frozenset[str]
    several: bool  # whether the source side has several symbols


_SUFFIXES = {(False, False): "", (True, False): "_begin", (False, True): "_end", (True, True): "_whole"}


class SentenceEnds:
    """Leaves out the ends of sentences: `see` all rules, `close`, then take each rule `without` ends."""

    def __init__(self, unknown: Iterable[str]) -> None:
        self._shapes: set[_Shape] = set()
        self._empty: dict[Variant, list[ForeignRule]] = defaultdict(list)
        self._productive = {Variant(category, False, False) for category in unknown}
        self._categories = set(unknown)
        self._names: dict[Variant, str] = {}
        self._tops: list[Variant] = []
        self.goal = ""

    def see(self, rule: ForeignRule) -> None:
        """Take note of a rule."""
        source, target = rule.source, rule.target
        words = [symbol for symbol in target if isinstance(symbol, str)]
        for mark, place in ((BEGIN, 0), (END, -1)):
            if (source[place] == mark) != (bool(target) and target[place] == mark) or (
                words.count(mark) != (source[place] == mark)
            ):
                raise rule.wrong(f"expected {mark} at the same end of the source and of the target side")
        if len(source) == 1 and source[0] in (BEGIN, END):
            self._empty[Variant(rule.lhs, source[0] == BEGIN, source[0] == END)].append(rule)
            self._categories.add(rule.lhs)
            return
        if END in source[:-1] or BEGIN in source[1:]:
            return  # a rule that no sentence can use
        self._shapes.add(_shape(rule))
        self._categories.add(rule.lhs)

    def close(self, goal: str | None) -> None:
        """Find the variants that derivations have, and name them."""
        size = -1
        while size != len(self._productive):
            size = len(self._productive)
            for shape in self._shapes:
                for begin, end in _sides(shape):
                    if self._possible(shape, begin, end):
                        self._productive.add(Variant(shape.lhs, begin, end))
        marked = bool(self._empty) or any(shape.first == BEGIN or shape.last == END for shape in self._shapes)
        self._tops = sorted(
            variant
            for variant in self._productive
            if (variant.begin, variant.end) == (marked, marked) and goal in (None, variant.category)
        )
        if not self._tops:
            sentence = f"{BEGIN} … {END}" if marked else "a sentence"
            raise InputError(f"expected rules that cover {sentence} with {goal or 'a category'}, got none")
        for category in self._categories:
            for begin, end in _SUFFIXES:
                variant = Variant(category, begin, end)
                if variant in self._productive:
                    self._names[variant] = self._name(variant)
        self.goal = self._names[self._tops[0]] if len(self._tops) == 1 else self.fresh("TOP")

    def _name(self, variant: Variant) -> str:
        """Return the category itself for its first variant that derivations have."""
        taken = variant.category in self._names.values()
        return self.fresh(variant.category + _SUFFIXES[variant[1:]]) if taken else variant.category

    def fresh(self, name: str) -> str:
        """Return a name that no category has, as near as possible to the given one."""
        while name in self._categories or name in self._names.values() or name == self.goal:
            name += "_"
        return name

    def top_rules(self) -> list[ForeignRule]:
        """Return rules that join several categories of whole sentences in one."""
        if len(self._tops) == 1:
            return []
        return [ForeignRule(self.goal, [Nonterminal(self._names[top])], [1], {}, []) for top in self._tops]

    def _possible(self, shape: _Shape, begin: bool, end: bool) -> bool:
        """Tell whether derivations have a rule of a shape over the given ends."""
        if any(Variant(category, False, False) not in self._productive for category in shape.others):
            return False
        return all(
            used in self._productive or (shape.several and used in self._empty)
            for _, used in _outer(shape, begin, end)
        )

    def without(self, rule: ForeignRule) -> Iterator[tuple[ForeignRule, bool]]:
        """Iterate over the rules without ends that stand for a rule, and whether each begins a sentence."""
        source = rule.source
        if (len(source) == 1 and source[0] in (BEGIN, END)) or END in source[:-1] or BEGIN in source[1:]:
            return
        shape = _shape(rule)
        for begin, end in _sides(shape):
            outer = _outer(shape, begin, end)
            if not shape.several and any(used in self._empty for _, used in outer):
                raise rule.wrong(f"rules over [{shape.first}] alone are not carried over: it can be {BEGIN}")
            if self._possible(shape, begin, end):
                lhs = self._names[Variant(rule.lhs, begin, end)]
                yield from ((made, begin) for made in self._made(rule, lhs, outer, shape.several))

    def _made(
        self, rule: ForeignRule, lhs: str, outer: list[tuple[int, Variant]], several: bool
    ) -> Iterator[ForeignRule]:
        """Iterate over the rules for one variant of a rule: with each choice of what is left out."""
        choices: list[list[ForeignRule | None]] = []
        for _, used in outer:
            named: list[ForeignRule | None] = [None] if used in self._productive else []
            choices.append([*named, *(self._empty.get(used, []) if several else [])])
        for choice in product(*choices):
            made = ForeignRule(
                lhs, self._renamed(rule), list(rule.target), dict(rule.features), list(rule.links)
            )
            for (place, used), left_out in zip(outer, choice, strict=True):
                if left_out is None:
                    made.source[place] = Nonterminal(self._names[used])
                else:
                    _leave_out(made, place)
                    _add(made.features, left_out.features)
                    _add(made.features, {FEATURE: 1.0})
            for mark, place in ((BEGIN, 0), (END, -1)):
                if made.source and made.source[place] == mark:
                    _leave_out(made, place)
                    _add(made.features, {FEATURE: 1.0})
            if made.source:
                yield made

    def _renamed(self, rule: ForeignRule) -> list[Symbol]:
        """Return the source side; nonterminals have the names of their categories that cover no end."""
        return [
            symbol
            if isinstance(symbol, str)
            else Nonterminal(self._names.get(Variant(symbol.category, False, False), symbol.category))
            for symbol in rule.source
        ]


def _shape(rule: ForeignRule) -> _Shape:
    source = rule.source
    first, last = _kind(source[0], BEGIN), _kind(source[-1], END)
    inner = source[1:-1] if len(source) > 1 else []
    others = frozenset(symbol.category for symbol in inner if not isinstance(symbol, str))
    return _Shape(rule.lhs, first, last, others, len(source) > 1)


def _kind(symbol: Symbol, mark: str) -> str | None:
    if isinstance(symbol, str):
        return mark if symbol == mark else None
    return symbol.category


def _sides(shape: _Shape) -> list[tuple[bool, bool]]:
    """Return which ends a rule may cover."""
    begins = [True] if shape.first == BEGIN else [False] if shape.first is None else [False, True]
    ends = [True] if shape.last == END else [False] if shape.last is None else [False, True]
    return list(product(begins, ends))


def _outer(shape: _Shape, begin: bool, end: bool) -> list[tuple[int, Variant]]:
    """Return places and variants of the outer nonterminals of a rule that covers the given ends."""
    if not shape.several:
        return [] if shape.first is None else [(0, Variant(shape.first, begin, end))]
    first = [] if shape.first in (None, BEGIN) else [(0, Variant(str(shape.first), begin, False))]
    last = [] if shape.last in (None, END) else [(-1, Variant(str(shape.last), False, end))]
    return first + last


def _add(features: dict[str, float], more: dict[str, float]) -> None:
    for name, value in more.items():
        features[name] = features.get(name, 0.0) + value


def _leave_out(rule: ForeignRule, place: int) -> None:
    """Remove the first (0) or last (-1) symbol of the source side, and its counterpart."""
    place %= len(rule.source)
    symbol = rule.source.pop(place)
    if isinstance(symbol, str):
        target = rule.target.index(symbol) if place == 0 else len(rule.target) - 1
    else:
        number = 1 + sum(not isinstance(before, str) for before in rule.source[:place])
        target = rule.target.index(number)
        rule.target = [
            other - 1 if isinstance(other, int) and other > number else other for other in rule.target
        ]
    del rule.target[target]
    rule.links = [(i - (i > place), j - (j > target)) for i, j in rule.links if i != place and j != target]
