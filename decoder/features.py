"""Plugins at work: what the engine asks them, and where it puts their answers.

The levels and the tables are `hopefear.plugins`'; here they are known by what they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _native
from .errors import InputError
from .segment import Segment
from .weights import Weights


class Table(Protocol):
    """A plugin's answer, `hopefear.plugins.FeatureTable`."""

    names: Sequence[str]
    indptr: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    row: NDArray[np.int32] | None

    def check(self, n_items: int, plugin_name: str) -> None:
        """Refuse an answer that cannot be read."""


class EdgeBatch:
    """The edges of a translation forest but the goal's own; see `hopefear.plugins.EdgeBatch`."""

    def __init__(self, forest: _native.Forest, attribute: NDArray[np.int32]) -> None:
        last = max(len(forest.edge_head) - 1, 0)
        head = forest.edge_head[:last]
        self.rule: NDArray[np.int32] = forest.edge_rule()[:last].view(np.int32)
        self.attribute = attribute[forest.edge_local_rule[:last]]
        self.head_category: NDArray[np.int32] = forest.node_category[head]
        self.span: NDArray[np.int32] = forest.edge_span()[:last]
        self.tail_indptr: NDArray[np.int32] = forest.edge_tails_indptr[: last + 1]
        self.tail_span: NDArray[np.int32] = forest.tail_span()[: self.tail_indptr[-1]]
        self.source_length = forest.source_length

    def __len__(self) -> int:
        """Count the edges."""
        return len(self.rule)


class FeatureError(InputError):
    """A plugin failed on a sentence."""


class _Columns:
    """Feature numbers of a table's names, looked up once where the plugin gives the same names again."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._last: tuple[Sequence[str], NDArray[np.int32]] | None = None

    def __call__(self, names: Sequence[str]) -> NDArray[np.int32]:
        last = self._last
        if last is not None and last[0] is names:
            return last[1]
        numbers: NDArray[np.int32] = self._weights.native.intern_all(list(names))
        if isinstance(names, tuple):
            self._last = names, numbers
        return numbers


class RuleLevel:
    """A plugin that is asked once a rule."""

    def __init__(self, plugin: Any, name: str, weights: Weights, base_rules: int) -> None:
        self.plugin, self.name = plugin, name
        self._columns = _Columns(weights)
        self._cache = _native.RuleFeatureCache(base_rules)

    def add(self, forest: _native.Forest, segment: Segment) -> None:
        """Add the plugin's features to a forest."""
        missing = self._cache.missing(forest)
        table = _ask(self.name, segment, self.plugin.fire, _native.RuleBatch(forest, missing))
        _check(table, len(missing), self.name, segment)
        self._cache.attach(
            forest, missing, self._columns(table.names), table.indptr, table.columns, table.values, table.row
        )


class EdgeLevel:
    """A plugin that is asked once a sentence about all edges."""

    def __init__(self, plugin: Any, name: str, weights: Weights, base_rules: int) -> None:
        self.plugin, self.name = plugin, name
        self._columns = _Columns(weights)
        self._attribute = np.zeros(base_rules, np.int32)
        self._known = np.zeros(base_rules, np.bool_)
        self._lock = Lock()

    def add(self, forest: _native.Forest, segment: Segment) -> None:
        """Add the plugin's features to a forest."""
        edges = EdgeBatch(forest, self._attributes(forest, segment))
        table = _ask(self.name, segment, self.plugin.fire, edges, segment)
        _check(table, len(edges), self.name, segment)
        _native.add_edge_layer(
            forest, self._columns(table.names), table.indptr, table.columns, table.values, table.row
        )

    def _attributes(self, forest: _native.Forest, segment: Segment) -> NDArray[np.int32]:
        """Give the plugin's attribute of each local rule, asking about those that are new."""
        rules = forest.rules
        own = rules < len(self._known)
        known = rules[own]
        missing_mask = ~own
        missing_mask[own] = ~self._known[known]
        attributes = np.zeros(len(rules), np.int32)
        missing = np.flatnonzero(missing_mask).astype(np.int32)
        if len(missing):
            answer = _ask(
                self.name, segment, self.plugin.rule_attributes, _native.RuleBatch(forest, missing)
            )
            if not isinstance(answer, np.ndarray) or answer.dtype != np.int32 or answer.shape != missing.shape:
                raise FeatureError(
                    f"plugin {self.name}: rule_attributes must give int32 of shape {missing.shape}",
                    path=segment.where,
                )
            attributes[missing] = answer
            fresh = missing[own[missing]]
            with self._lock:
                self._attribute[rules[fresh]] = attributes[fresh]
                self._known[rules[fresh]] = True
        kept = ~missing_mask
        attributes[kept] = self._attribute[rules[kept]]
        return attributes


Level = RuleLevel | EdgeLevel


def _ask(name: str, segment: Segment, call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except InputError:
        raise
    except Exception as error:
        raise FeatureError(
            f"plugin {name} failed on segment {segment.id}: {type(error).__name__}: {error}", path=segment.where
        ) from error


def _check(table: Any, items: int, name: str, segment: Segment) -> None:
    if not hasattr(table, "check"):
        raise FeatureError(
            f"plugin {name} must give a FeatureTable, got {type(table).__name__}", path=segment.where
        )
    try:
        table.check(items, f"plugin {name} on segment {segment.id}")
    except InputError as error:
        raise FeatureError(str(error), path=segment.where) from None
