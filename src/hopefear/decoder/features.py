"""Running plugins: the calls of the engine, and the handling of the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.errors import ForeignCode, InputError
from hopefear.plugins import EdgeBatch, FeatureTable, Segment
from hopefear.plugins.levels import check_attributes
from hopefear.plugins.table import as_int32

from .plugin_features import FeatureError, PluginFeatures

_NO_NUMBERS = np.zeros(0, np.int32)

Arrays = tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.int32] | None
]
"""A plugin's answer: feature numbers by column, indptr, columns, values, row."""


class _Level:
    """The base of the levels: calls the plugin, and reads its tables."""

    def __init__(self, plugin: Any, name: str, features: PluginFeatures) -> None:
        self.plugin, self.name = plugin, name
        self._weights = features.weights.native
        self._family = features.family(plugin, name)
        self._last: tuple[Sequence[str], NDArray[np.int32], int] | None = None

    @property
    def named(self) -> int:
        """The number of names that the engine keeps for the plugin."""
        return 0

    def forget(self) -> None:
        """Forget the numbers that the plugin gave, such as a table's columns."""
        self._last = None

    def rules(self, forest: _native.Forest, local_rules: NDArray[np.int32]) -> _native.RuleBatch:
        """Make the batch of some rules of a forest."""
        return _native.RuleBatch(forest, local_rules, self._weights)

    def ask(self, segment: Segment, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call the plugin; turn its exceptions into a FeatureError that names the plugin."""
        try:
            return call(*arguments)
        except BaseException as error:
            with self.foreign_code(segment):
                if not isinstance(error, InputError) or isinstance(error, FeatureError) or error.path is None:
                    raise
                fault = FeatureError(f"{error} (plugin {self.name} on sentence {segment.number})")
                fault.path, fault.line = error.path, error.line
                raise fault from error

    def foreign_code(self, segment: Segment) -> ForeignCode:
        """Return the context for code of the plugin; a FeatureError already names the plugin.

        What is called for each batch of edges enters the context after an error only, which costs nothing.
        """
        return ForeignCode(
            type(self.plugin), lambda what: self.fault(segment, f"failed: {what}"), FeatureError
        )

    def fault(self, segment: Segment, what: str) -> FeatureError:
        """Make the error about the plugin's failure on a segment."""
        return FeatureError(f"plugin {self.name} on sentence {segment.number}: {what}", path=segment.where)

    def take(self, table: FeatureTable, items: int, segment: Segment, add: Callable[..., None]) -> Arrays:
        """Return the arrays of a table to `add`; if they are wrong, let the table itself raise the error."""
        if not isinstance(table, FeatureTable):
            raise self.fault(segment, f"expected a FeatureTable, got {type(table).__name__}")
        try:
            arrays = self._features(table, items), table.indptr, table.columns, table.values, table.row
            add(*arrays)
            return arrays
        except FeatureError:
            raise
        except (TypeError, ValueError) as error:
            self.check(segment, table.check, items)
            raise self.fault(segment, str(error)) from error
        except BaseException:  # the table can have code of its own
            with self.foreign_code(segment):
                raise

    def check(self, segment: Segment, check: Callable[..., None], *arguments: Any) -> None:
        """Check an answer with a function of the contract, whose error names the plugin and the segment."""
        try:
            self.ask(segment, check, *arguments, f"plugin {self.name} on sentence {segment.number}")
        except FeatureError as fault:
            cause = fault.__cause__
            if not isinstance(cause, InputError):
                raise
            raise FeatureError(str(cause), path=segment.where) from cause

    def _features(self, table: FeatureTable, items: int) -> NDArray[np.int32]:
        """Return the numbers of a table's names; keep those of a tuple or of a growing table."""
        names = table.names
        if isinstance(names, _native.IndicatorNames):
            return self._family.numbers(names)
        last, numbers, count_before = self._last, _NO_NUMBERS, 0
        if last is not None and last[0] is names:
            _, numbers, count_before = last
        count = len(names)  # another thread may add names meanwhile
        if count > count_before:
            grows = getattr(names, "append_only", False)  # checks each name itself
            if not grows:
                table.check(items, self.name)
            new = self._family.numbers(names[count_before:count])
            if count > len(numbers):  # longer than needed, so that growth costs only the new names
                numbers = np.concatenate([numbers[:count_before], np.zeros(count, np.int32)])
            numbers[count_before:count] = new  # another thread may write the same numbers
            if grows or isinstance(names, tuple):
                self._last = names, numbers, count
        return numbers[:count]


class RuleLevel(_Level):
    """A plugin that is called once for each rule."""

    def answer(self, rules: _native.RuleBatch, segment: Segment) -> Arrays:
        """Call the plugin with rules."""
        table = self.ask(segment, self.plugin.fire, rules)
        return self.take(table, len(rules), segment, partial(_native.check_rows, items=len(rules)))


class EdgeLevel(_Level):
    """A plugin that is called once for all edges of a sentence, and once for each rule."""

    def __init__(
        self, plugin: Any, name: str, features: PluginFeatures, forget_attributes: Callable[[], None]
    ) -> None:
        super().__init__(plugin, name, features)
        self._forget_attributes = forget_attributes

    def forget(self) -> None:
        """Forget the numbers that the plugin gave, the attributes of rules with them."""
        super().forget()
        self._forget_attributes()

    def answer(self, rules: _native.RuleBatch, segment: Segment) -> NDArray[np.int32]:
        """Get the attributes of rules from the plugin."""
        answer: NDArray[np.int32] = as_int32(self.ask(segment, self.plugin.rule_attributes, rules))
        self.check(segment, check_attributes, answer, len(rules))
        return answer

    def add(self, forest: _native.Forest, edges: EdgeBatch, segment: Segment) -> None:
        """Add the plugin's features to a forest."""
        table = self.ask(segment, self.plugin.fire, edges, segment)
        self.take(table, len(edges), segment, partial(_native.add_edge_layer, forest))


class StatelessLevels:
    """The rule and edge plugins of a pass; all are called for a new rule at the same time."""

    def __init__(self, features: PluginFeatures, lasting_rules: int) -> None:
        self._features, self._lasting_rules = features, lasting_rules
        self._rule_levels: list[RuleLevel] = []
        self._edge_levels: list[EdgeLevel] = []
        self._rule_features = _native.RuleFeatureCache(lasting_rules)
        self._attributes = _native.RuleAttributeCache(lasting_rules, 0)

    def add_rule_plugin(self, plugin: Any, name: str) -> RuleLevel:
        """Add a rule plugin, before the first sentence."""
        level = RuleLevel(plugin, name, self._features)
        self._rule_levels.append(level)
        return level

    def add_edge_plugin(self, plugin: Any, name: str) -> EdgeLevel:
        """Add an edge plugin, before the first sentence."""
        level = EdgeLevel(plugin, name, self._features, self._forget_attributes)
        self._edge_levels.append(level)
        self._forget_attributes()
        return level

    def _forget_attributes(self) -> None:
        self._attributes = _native.RuleAttributeCache(self._lasting_rules, len(self._edge_levels))

    def add(self, forest: _native.Forest, segment: Segment) -> None:
        """Add the plugins' features to a forest: one layer for all rule plugins, one for each edge plugin."""
        if not self._rule_levels and not self._edge_levels:
            return
        # Attributes are stored last: a rule with known attributes has known features.
        missing = self._attributes.missing(forest)
        features: list[Arrays] = []
        numbers: list[NDArray[np.int32]] = []
        if len(missing):
            rules = _native.RuleBatch(forest, missing, self._features.weights.native)
            features = [level.answer(rules, segment) for level in self._rule_levels]
            numbers = [level.answer(rules, segment) for level in self._edge_levels]
        if self._rule_levels:
            self._rule_features.attach(forest, missing, features)
        attributes = self._attributes.attributes(forest, missing, numbers)
        edges = EdgeBatch(forest)
        for level, attribute in zip(self._edge_levels, attributes, strict=True):
            edges = edges.of_plugin(attribute)
            level.add(forest, edges, segment)
