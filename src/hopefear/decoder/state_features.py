"""Running plugins with state: a scorer for the search of each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.plugins import RuleStrings, Segment, StateBatch
from hopefear.plugins.compiled_state import check_rule_rows
from hopefear.plugins.levels import check_states

from .features import _Level
from .plugin_features import Family, FeatureError, PluginFeatures

_NO_STRINGS = RuleStrings((), np.zeros(1, np.int32), np.zeros(0, np.int32))


class StateLevel(_Level):
    """A plugin that is called during the search."""

    def __init__(self, plugin: Any, name: str, features: PluginFeatures) -> None:
        super().__init__(plugin, name, features)
        self._size = plugin.state_size
        if not isinstance(self._size, int) or self._size < 1:
            raise FeatureError(f"plugin {name}: state_size must be a positive integer, got {self._size!r}")

    repeated: int | None = None
    """A rule that `StateFeatures.begin` gets again behind the last one, for `hopefear.check_plugin`."""

    def scorer(self, forest: _native.Forest, segment: Segment) -> _native.StatefulScorer:
        """Make the scorer of a sentence."""
        return self._asking(forest, segment, self._begun(forest, segment))

    def _begun(self, forest: _native.Forest, segment: Segment) -> Any:
        """Return what the plugin prepares for a sentence."""
        count = len(forest.rules) - 1
        numbers = np.arange(count, dtype=np.int32)
        if self.repeated is not None:
            numbers = np.append(numbers, np.int32(self.repeated % count))
        return self.ask(segment, self.plugin.begin, self.rules(forest, numbers), segment)

    def _asking(self, forest: _native.Forest, segment: Segment, sentence: Any) -> _native.StatefulScorer:
        """Make a scorer that asks Python."""

        def ask(edge: NDArray[np.int32], indptr: NDArray[np.int32], state: NDArray[np.int64]) -> Any:
            batch = StateBatch(forest, edge, indptr, state)
            answer = self.ask(segment, self.plugin.fire, batch, sentence)
            self.check(segment, check_states, answer, len(edge), self._size)
            table, states = answer
            check = partial(_native.check_rows, items=len(edge))
            return (*self.take(table, len(edge), segment, check), states)

        return _native.python_scorer(self._size, ask)


class CompiledStateLevel(StateLevel):
    """A plugin whose function is machine code: the search calls it without Python."""

    def __init__(self, plugin: Any, name: str, features: PluginFeatures) -> None:
        super().__init__(plugin, name, features)
        if not plugin.fires or any("*" in each for each in plugin.fires):
            raise FeatureError(f"plugin {name}: fires must be names without *, got {plugin.fires!r}")

    def scorer(self, forest: _native.Forest, segment: Segment) -> _native.StatefulScorer:
        """Make the scorer of a sentence; one that asks Python if the function cannot be compiled."""
        rows = self._begun(forest, segment)
        count = len(forest.rules) - 1
        self.check(segment, check_rule_rows, rows, count + 1 + (self.repeated is not None))
        address = self.ask(segment, self.plugin.address, rows.shape[1])
        if address is None:
            return self._asking(forest, segment, rows)
        features = self._family.numbers(self.plugin.fires)
        rows = np.concatenate([rows[:count], rows[-1:]])  # the last is the goal's
        return _native.function_scorer(
            f"plugin {self.name} on sentence {segment.number}", address, self._size, rows, features
        )


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
                separator=plugin.separator,
                prefixes=list(plugin.prefixes),
                begins=plugin.begins,
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
        strings = _NO_STRINGS
        if len(missing):
            strings = self.ask(segment, self.plugin.strings, self.rules(forest, missing))
        if not isinstance(strings, RuleStrings):
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
        except FeatureError:
            raise
        except (TypeError, ValueError) as error:
            self.check(segment, strings.check, len(missing))
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
        numbers = self._known[1] if self._known[0] is units else np.zeros(0, np.int32)
        count = len(units)  # another thread may add units meanwhile
        if count > len(numbers):
            numbers = np.concatenate([numbers, self._table.units(units[len(numbers) : count])])
            self._known = units, numbers
        return numbers
