"""Plugins at work: what the engine asks them, and where it puts their answers.

The levels and the tables are `hopefear.plugins`'; here they are known by what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import InputError
from .segment import Segment
from .weights import Weights

Sequence.register(_native.IndicatorNames)


class Table(Protocol):
    """A plugin's answer, `hopefear.plugins.FeatureTable`."""

    names: Sequence[str]
    indptr: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    row: NDArray[np.int32] | None

    def check(self, n_items: int, plugin_name: str) -> None:
        """Refuse an answer that cannot be read."""


class FeatureError(InputError):
    """A plugin failed on a sentence."""


class EdgeBatch:
    """The edges of a translation forest but the goal's own; see `hopefear.plugins.EdgeBatch`.

    Arrays are made when they are first read, so that a plugin pays for what it looks at.
    """

    def __init__(self, forest: _native.Forest, attributes: Callable[[], NDArray[np.int32]]) -> None:
        self._forest = forest
        self._attributes = attributes
        self._count = max(len(forest.edge_head) - 1, 0)
        self.source_length = forest.source_length

    def __len__(self) -> int:
        """Count the edges."""
        return self._count

    @cached_property
    def rule(self) -> NDArray[np.int32]:
        """Rule numbers."""
        return self._forest.edge_rule()[: self._count].view(np.int32)

    @cached_property
    def attribute(self) -> NDArray[np.int32]:
        """What the plugin said of each edge's rule."""
        return self._attributes()

    @cached_property
    def head_category(self) -> NDArray[np.int32]:
        """The heads' categories."""
        return self._forest.node_category[self._forest.edge_head[: self._count]]

    @cached_property
    def span(self) -> NDArray[np.int32]:
        """The heads' source spans."""
        return self._forest.edge_span()[: self._count]

    @cached_property
    def tail_indptr(self) -> NDArray[np.int32]:
        """Where each edge's tails begin."""
        return self._forest.edge_tails_indptr[: self._count + 1]

    @cached_property
    def tail_span(self) -> NDArray[np.int32]:
        """The tails' source spans."""
        return self._forest.tail_span()[: self.tail_indptr[-1]]


class _Level:
    """What both levels share: asking the plugin, and taking in its tables."""

    def __init__(self, plugin: Any, name: str, weights: Weights) -> None:
        self.plugin, self.name = plugin, name
        self._weights = weights
        self._last: tuple[Sequence[str], NDArray[np.int32]] | None = None

    def ask(self, segment: Segment, call: Callable[..., Any], *arguments: Any) -> Any:
        """Call the plugin; what it raises becomes a FeatureError that names it."""
        try:
            return call(*arguments)
        except InputError:
            raise
        except Exception as error:
            message = f"plugin {self.name} failed on segment {segment.id}: {type(error).__name__}: {error}"
            raise FeatureError(message, path=segment.where) from error

    def take(self, table: Table, items: int, segment: Segment, add: Callable[..., None]) -> None:
        """Pass a table's arrays on, which checks them; the table itself says what is wrong with them."""
        if not hasattr(table, "check"):
            message = f"plugin {self.name} must give a FeatureTable, got {type(table).__name__}"
            raise FeatureError(message, path=segment.where)
        try:
            add(self._features(table, items), table.indptr, table.columns, table.values, table.row)
        except (TypeError, ValueError) as error:
            try:
                table.check(items, f"plugin {self.name} on segment {segment.id}")
            except InputError as fault:
                raise FeatureError(str(fault), path=segment.where) from None
            raise FeatureError(f"plugin {self.name}: {error}", path=segment.where) from error

    def _features(self, table: Table, items: int) -> NDArray[np.int32]:
        """Give the numbers of a table's names, looked up once where the plugin gives the same tuple again."""
        names, last = table.names, self._last
        if last is not None and last[0] is names:
            return last[1]
        if isinstance(names, _native.IndicatorNames):
            return names.intern(self._weights.native)
        table.check(items, self.name)
        numbers = self._weights.native.intern_all(list(names))
        if isinstance(names, tuple):
            self._last = names, numbers
        return numbers


class RuleLevel(_Level):
    """A plugin that is asked once a rule."""

    def __init__(self, plugin: Any, name: str, weights: Weights, base_rules: int) -> None:
        super().__init__(plugin, name, weights)
        self._cache = _native.RuleFeatureCache(base_rules)

    def add(self, forest: _native.Forest, segment: Segment) -> None:
        """Add the plugin's features to a forest."""
        missing = self._cache.missing(forest)
        table = self.ask(segment, self.plugin.fire, _native.RuleBatch(forest, missing))
        self.take(table, len(missing), segment, lambda *arrays: self._cache.attach(forest, missing, *arrays))


class EdgeLevel(_Level):
    """A plugin that is asked once a sentence about all edges."""

    def __init__(self, plugin: Any, name: str, weights: Weights, base_rules: int) -> None:
        super().__init__(plugin, name, weights)
        self._cache = _native.RuleAttributeCache(base_rules)

    def add(self, forest: _native.Forest, segment: Segment) -> None:
        """Add the plugin's features to a forest."""
        edges = EdgeBatch(forest, lambda: self._attributes(forest, segment))
        table = self.ask(segment, self.plugin.fire, edges, segment)
        self.take(table, len(edges), segment, lambda *arrays: _native.add_edge_layer(forest, *arrays))

    def _attributes(self, forest: _native.Forest, segment: Segment) -> NDArray[np.int32]:
        """Give the plugin's attribute of each edge's rule, asking about rules that are new."""
        missing = self._cache.missing(forest)
        answer = missing[:0]
        if len(missing):
            answer = self.ask(segment, self.plugin.rule_attributes, _native.RuleBatch(forest, missing))
        try:
            return self._cache.attributes(forest, missing, answer)
        except (TypeError, ValueError):
            message = f"plugin {self.name}: rule_attributes must give int32 of shape {missing.shape}"
            raise FeatureError(message, path=segment.where) from None


Level = RuleLevel | EdgeLevel
