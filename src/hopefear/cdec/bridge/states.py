"""Plugins whose features depend on the derivation below an edge, inside cdec.

cdec keeps a few bytes at each node of its search, and joins derivations with equal bytes. The bridge's bytes
are the number of a state, and a `Stateful` finds the state of an edge from those of its tails.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.read_only import read_only
from hopefear.plugins import RuleStrings, Segment
from hopefear.plugins.levels import NgramFeatures, StateFeatures, check_states

from .batches import KnownRule, Rules

Ask = Callable[..., Any]
"""Calls a method of the plugin: its name, and arguments."""

Read = Callable[[Any], Mapping[str, float]]
"""Reads the only row of a table of features, those that are selected."""

Choose = Callable[[Mapping[str, float]], Mapping[str, float]]
"""Returns the features that are selected."""

Place = tuple[int, int, bytes]
"""Begin and end of an edge's span, and those of its tails as int16."""

Fired = tuple[Mapping[str, float], Hashable]
"""Features, and the state of the head."""

_MOST_UNITS = 5  # of an n-gram


class Stateful(ABC):
    """A plugin with states."""

    @abstractmethod
    def begin(self, segment: Segment) -> None:
        """Begin a sentence."""

    @abstractmethod
    def rule(self, rules: Rules) -> Any:
        """Return what `join` needs to know of a rule."""

    @abstractmethod
    def join(self, rule: KnownRule, seen: Any, place: Place, tails: Sequence[Any]) -> Fired:
        """Return features and state of an edge; `seen` is what `rule` gave, `tails` are the tails' states."""

    @abstractmethod
    def finish(self, place: Place, tail: Any) -> Mapping[str, float]:
        """Return the features of the edge into the goal, whose tail has a state."""


class Ngrams(Stateful):
    """Finds the n-grams of an `NgramFeatures`; a state has the units at both ends of a string."""

    def __init__(self, plugin: NgramFeatures, name: str, ask: Ask, choose: Choose) -> None:
        self._name, self._ask, self._choose = name, ask, choose
        order, patterns = plugin.order, plugin.patterns or [(0,) * plugin.order]
        if type(order) is not int or not 1 <= order <= _MOST_UNITS:
            raise ValueError(f"order must be 1 to {_MOST_UNITS}, got {order!r}")
        if any(len(pattern) != order or min(pattern) < 0 for pattern in patterns):
            raise ValueError(f"expected patterns of {order} numbers of texts, got {patterns}")
        if plugin.prefixes and len(plugin.prefixes) != order:
            raise ValueError(f"expected {order} prefixes, got {len(plugin.prefixes)}")
        self._plugin, self._patterns, self._context = plugin, patterns, order - 1
        self._texts = 1 + max(map(max, patterns))
        ends = [(text,) * self._texts for text in ("<s>", "</s>")]
        self._begin, leading = ends[0], self._context if plugin.prefixes else 1
        self._goal: list[Any] = [*ends[:1] * leading, 0, ends[1]] if plugin.boundaries else [0]
        self._names: dict[tuple[Any, ...], list[str]] = {}

    def begin(self, segment: Segment) -> None:
        """Begin a sentence, of which n-grams need nothing."""

    def rule(self, rules: Rules) -> list[Any]:
        """Return the rule's string: units, and indices of tails."""
        strings: RuleStrings = self._ask("strings", rules)
        if not isinstance(strings, RuleStrings):
            raise TypeError(f"expected RuleStrings, got {type(strings).__name__}")
        try:
            used = _used(strings)
        except (AttributeError, IndexError, TypeError):
            strings.check(1, self._name)
            raise
        used.check(1, self._name)
        return [self._unit(used.units[i]) if i >= 0 else -1 - i for i in used.symbols.tolist()]

    def join(self, rule: KnownRule, seen: Any, place: Place, tails: Sequence[Any]) -> Fired:
        """Find the n-grams that are in none of the tails."""
        return self._read(seen, tails)

    def finish(self, place: Place, tail: Any) -> Mapping[str, float]:
        """Find the n-grams with the boundaries."""
        return self._read(self._goal, [tail])[0]

    def _unit(self, unit: str | tuple[str, ...]) -> tuple[str, ...]:
        texts = (unit,) if isinstance(unit, str) else unit
        if len(texts) != self._texts:
            raise ValueError(f"expected {self._texts} texts of a unit, got {len(texts)}")
        return texts

    def _read(self, string: Sequence[Any], tails: Sequence[Any]) -> Fired:
        context = self._context
        left: list[Any] = []
        window: list[Any] = []  # the latest units, as many as an n-gram needs before its last one
        counts: Counter[str] = Counter()

        def push(unit: Any) -> None:
            if len(left) < context:
                left.append(unit)
                window.append(unit)
                return
            window.append(unit)
            counts.update(self._named(tuple(window)))
            del window[0]

        for symbol in string:
            if not isinstance(symbol, int):
                push(symbol)
                continue
            begin, end = tails[symbol]
            for unit in begin:
                push(unit)
            if len(begin) == context:
                window[:] = end
        return self._choose(counts), (tuple(left), tuple(window))

    def _named(self, ngram: tuple[Any, ...]) -> list[str]:
        names = self._names.get(ngram)
        if names is None:
            texts = [text for pattern in self._patterns for text in self._written(ngram, pattern)]
            names = self._names[ngram] = list(dict.fromkeys(texts))
        return names

    def _written(self, ngram: tuple[Any, ...], pattern: Sequence[int]) -> Iterator[str]:
        plugin, order = self._plugin, self._context + 1
        for length in range(1, order + 1) if plugin.prefixes else (order,):
            first = order - length
            if plugin.prefixes and (
                ngram[-1] == self._begin or ngram[first:].count(self._begin) > plugin.begins
            ):
                return
            texts = (unit[k] for unit, k in zip(ngram[first:], pattern[first:], strict=True))
            more = plugin.prefixes[length - 1] if plugin.prefixes else ""
            yield plugin.prefix + more + plugin.separator.join(texts)


def _used(strings: RuleStrings) -> RuleStrings:
    """Return the same strings without the units that they do not use, perhaps all there ever were."""
    units: list[Any] = []
    symbols = []
    for symbol in strings.symbols.tolist():
        if symbol >= 0:
            units.append(strings.units[symbol])
        symbols.append(len(units) - 1 if symbol >= 0 else symbol)
    return RuleStrings(units, strings.indptr, np.array(symbols, strings.symbols.dtype))


class States(Stateful):
    """Asks a `StateFeatures` about one edge at a time, and its `begin` once for each rule of a sentence."""

    def __init__(self, plugin: StateFeatures, name: str, ask: Ask, read: Read) -> None:
        self._name, self._ask, self._read, self._size = name, ask, read, plugin.state_size
        if type(self._size) is not int or self._size < 1:
            raise ValueError(f"state_size must be a positive integer, got {self._size!r}")
        self._segment = Segment(())
        self._sentences: dict[int, Any] = {}  # what `begin` gave, by number of the rule

    def begin(self, segment: Segment) -> None:
        """Begin a sentence."""
        self._segment = segment
        self._sentences.clear()

    def rule(self, rules: Rules) -> Rules:
        """Return the rule itself."""
        return rules

    def join(self, rule: KnownRule, seen: Any, place: Place, tails: Sequence[Any]) -> Fired:
        """Ask the plugin for features and state."""
        if rule.number not in self._sentences:
            self._sentences[rule.number] = self._ask("begin", seen, self._segment)
        return self._fire(StateEdges(False, place, self._states(tails)), rule.number)

    def finish(self, place: Place, tail: Any) -> Mapping[str, float]:
        """Ask the plugin for the features at the goal, with what `begin` gave for a rule of the sentence."""
        edges = StateEdges(True, place, self._states([tail]))
        return self._fire(edges, next(iter(self._sentences)))[0]

    def _states(self, tails: Sequence[bytes]) -> NDArray[np.int64]:
        return read_only(np.frombuffer(b"".join(tails), np.int64).reshape(-1, self._size))

    def _fire(self, edges: StateEdges, rule: int) -> Fired:
        answer = self._ask("fire", edges, self._sentences[rule])
        check_states(answer, 1, self._size, self._name)
        table, states = answer
        return self._read(table), states.tobytes()


class StateEdges:
    """A `StateBatch` of one edge, without the edge's number."""

    def __init__(self, is_goal: bool, place: Place, states: NDArray[np.int64]) -> None:
        self.is_goal = read_only(np.array([is_goal]))
        self.local_rule = read_only(np.array([-1 if is_goal else 0], np.int32))
        begin, end, tails = place
        self.span, self.tail_state = read_only(np.array([[begin, end]], np.int32)), states
        self.tail_span = read_only(np.frombuffer(tails, np.int16).astype(np.int32).reshape(-1, 2))
        self.tail_indptr = read_only(np.array([0, len(states)], np.int32))

    def __len__(self) -> int:
        """Count the edges."""
        return 1
