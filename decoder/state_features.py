"""Running plugins with state: a scorer for the search of each sentence.

`hopefear.plugins` defines the levels; this module uses protocols with the same attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.read_only import shown_array

from .features import FeatureError, _Level
from .plugin_features import Family, PluginFeatures
from .segment import Segment


class Strings(Protocol):
    """A plugin's answer, `hopefear.plugins.RuleStrings`."""

    units: Sequence[str] | Sequence[tuple[str, ...]]
    indptr: NDArray[np.int32]
    symbols: NDArray[np.int32]

    def check(self, n_rules: int, plugin_name: str) -> None:
        """Raise an error if the strings cannot be used."""


class _NoStrings:
    units: Sequence[str] | Sequence[tuple[str, ...]] = ()
    indptr = np.zeros(1, np.int32)
    symbols = np.zeros(0, np.int32)

    def check(self, n_rules: int, plugin_name: str) -> None:
        pass


_NONE = _NoStrings()


class StateBatch:
    """Some edges during the search, see `hopefear.plugins.StateBatch`."""

    def __init__(
        self,
        forest: _native.Forest,
        edge: NDArray[np.int32],
        tail_indptr: NDArray[np.int32],
        tail_state: NDArray[np.int64],
    ) -> None:
        self._forest = forest
        self.edge, self.tail_indptr, self.tail_state = edge, tail_indptr, tail_state

    def __len__(self) -> int:
        """Count the edges."""
        return len(self.edge)

    def __repr__(self) -> str:
        """Show the numbers of edges and tails."""
        return f"<StateBatch: {len(self)} edges, {len(self.tail_state)} tails>"

    @shown_array
    def is_goal(self) -> NDArray[np.bool_]:
        """Whether each edge's head is the goal."""
        is_goal: NDArray[np.bool_] = self.edge == len(self._forest.edge_head) - 1
        return is_goal

    @shown_array
    def local_rule(self) -> NDArray[np.int32]:
        """Index of the rule in the batch that `begin` got, -1 at the goal."""
        # The goal's own rule is the last one; plugins do not get it.
        rule = self._forest.edge_local_rule[self.edge]
        return np.where(self.is_goal, np.int32(-1), rule)

    @shown_array
    def span(self) -> NDArray[np.int32]:
        """The heads' source spans."""
        return self._forest.node_span[self._forest.edge_head[self.edge]]

    @shown_array
    def tail_span(self) -> NDArray[np.int32]:
        """The tails' source spans."""
        first = self._forest.edge_tails_indptr[self.edge]
        place = np.arange(self.tail_indptr[-1], dtype=np.int32)
        place += np.repeat(first - self.tail_indptr[:-1], np.diff(self.tail_indptr))
        return self._forest.node_span[self._forest.edge_tails[place]]


class StateLevel(_Level):
    """A plugin that is called during the search."""

    def __init__(self, plugin: Any, name: str, features: PluginFeatures) -> None:
        super().__init__(plugin, name, features)
        self._size = plugin.state_size
        if not isinstance(self._size, int) or self._size < 1:
            raise FeatureError(f"plugin {name}: state_size must be a positive integer, got {self._size!r}")

    def scorer(self, forest: _native.Forest, segment: Segment) -> _native.StatefulScorer:
        """Make the scorer of a sentence."""
        rules = self.rules(forest, np.arange(len(forest.rules) - 1, dtype=np.int32))
        sentence = self.ask(segment, self.plugin.begin, rules, segment)

        def ask(edge: NDArray[np.int32], indptr: NDArray[np.int32], state: NDArray[np.int64]) -> Any:
            batch = StateBatch(forest, edge, indptr, state)
            answer = self.ask(segment, self.plugin.fire, batch, sentence)
            if not isinstance(answer, tuple) or len(answer) != 2:
                raise self.fault(segment, f"expected a FeatureTable and states, got {type(answer).__name__}")
            table, states = answer
            self._check_states(states, len(edge), segment)
            check = partial(_native.check_rows, items=len(edge))
            return (*self.take(table, len(edge), segment, check), states)

        return _native.python_scorer(self._size, ask)

    def _check_states(self, states: Any, edges: int, segment: Segment) -> None:
        wanted = f"states must be a contiguous int64 array of shape ({edges}, {self._size})"
        if not isinstance(states, np.ndarray):
            got = type(states).__name__
        elif states.dtype != np.int64 or states.shape != (edges, self._size):
            got = f"{states.dtype} of shape {states.shape}"
        elif not states.flags.c_contiguous:
            got = f"one with strides {states.strides}"
        else:
            return
        raise self.fault(segment, f"{wanted}, got {got}")


class _Numbering:
    """Numbers the names of n-grams, and counts them.

    The native table holds this object. The object does not hold the table, or Python could never free both.
    """

    def __init__(self, family: Family) -> None:
        self.names, self._family = 0, family

    def __call__(self, names: Sequence[str]) -> NDArray[np.int32]:
        self.names += len(names)
        return self._family.numbers(names)


class NgramLevel(_Level):
    """A plugin that gives strings for rules; the engine finds their n-grams."""

    def __init__(self, plugin: Any, name: str, features: PluginFeatures, lasting_rules: int) -> None:
        super().__init__(plugin, name, features)
        self._lasting_rules = lasting_rules
        self._by_itself = features.selection.keeps_all  # the table numbers its features in native code
        self._begin()
        if self._by_itself:
            self._family.watch(self._table.features)

    def _begin(self) -> None:
        plugin = self.plugin
        patterns = [list(pattern) for pattern in plugin.patterns or [(0,) * plugin.order]]
        self._numbering = _Numbering(self._family)
        self._strings = _native.RuleStringCache(self._lasting_rules)
        self._features_of_rules = _native.RuleFeatureCache(self._lasting_rules)
        try:
            self._table = _native.NgramTable(
                order=plugin.order,
                boundaries=plugin.boundaries,
                prefix=plugin.prefix,
                patterns=patterns,
                texts=1 + max(max(pattern, default=0) for pattern in patterns),
                weights=self._weights,
                numbers=None if self._by_itself else self._numbering,
            )
        except (TypeError, ValueError) as error:
            raise FeatureError(f"plugin {self.name}: {error}") from None
        self._known: tuple[Any, NDArray[np.int32]] = (), np.zeros(0, np.int32)

    @property
    def named(self) -> int:
        """The number of names that the table of n-grams has asked for."""
        return self._numbering.names

    def forget(self) -> None:
        """Forget the strings of rules and all n-grams."""
        super().forget()
        self._begin()

    def scorer(self, forest: _native.Forest, segment: Segment) -> _native.StatefulScorer:
        """Add the n-grams inside rules to the forest, and make the scorer of all other n-grams."""
        missing = self._strings.missing(forest)
        strings: Strings = _NONE
        if len(missing):
            strings = self.ask(segment, self.plugin.strings, self.rules(forest, missing))
        if not hasattr(strings, "check"):
            raise self.fault(segment, f"expected RuleStrings, got {type(strings).__name__}")
        try:
            return _native.ngram_scorer(
                self._table,
                self._strings,
                self._features_of_rules,
                forest,
                missing,
                self._units(strings.units),
                strings.indptr,
                strings.symbols,
            )
        except (TypeError, ValueError) as error:
            self.check(strings, len(missing), segment)
            raise self.fault(segment, str(error)) from error
        except BaseException:  # the units can have code of their own
            with self.foreign_code(segment):
                raise

    def _units(self, units: Sequence[str] | Sequence[tuple[str, ...]]) -> NDArray[np.int32]:
        """Number units; keep the numbers for a growing table."""
        if isinstance(units, str):
            raise TypeError("units must be a sequence of texts, got one string")
        if not getattr(units, "append_only", False):
            return self._table.units(units)
        known = self._known[1] if self._known[0] is units else np.zeros(0, np.int32)
        count = len(units)  # another thread may add units meanwhile
        if count > len(known):
            known = np.concatenate([known, self._table.units(units[len(known) : count])])
            self._known = units, known
        return known
