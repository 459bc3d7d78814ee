"""Features made from those of other plugins: products of two, and bins of their values."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import (
    EdgeBatch,
    EdgeFeatures,
    FeatureTable,
    NameTable,
    Plugin,
    PluginError,
    RuleBatch,
    RuleFeatures,
    Segment,
    create,
    growing,
)
from hopefear.plugins.growth import tables_of
from hopefear.plugins.keys import SequenceTable, number_keys, ranges

from .keyed import owners

_BITS = 31  # of the number of a name
_HALF = 16
_THIRD = 21  # the bits of a value are in three numbers


@dataclass(kw_only=True, eq=False)
class GrammarFeature(RuleFeatures):
    """The value of a feature of the grammar, such as ``Value:CountEF``, to be combined with others.

    Parameters
    ----------
    name : str
        The feature of the grammar; a rule without it fires nothing.
    """

    fires: ClassVar[tuple[str, ...]] = ("Value:*",)

    name: str

    def fire(self, rules: RuleBatch) -> FeatureTable:
        """Make a row for each rule."""
        return FeatureTable.from_dense((f"Value:{self.name}",), rules.feature_values(self.name)[:, None])


class PluginLine:
    """A plugin as the argument of another: ``"NAME arguments"``, in quotes."""

    forms: ClassVar[str] = '"NAME arguments" of a plugin'

    @staticmethod
    def from_text(text: str, base: Path) -> Plugin:
        """Make the plugin."""
        return create(text, base=base)


class Combined(EdgeFeatures):
    """Features made from those of rule and edge plugins."""

    @abstractmethod
    def parts(self) -> Sequence[Any]:
        """Return the plugins."""

    def prepare(self) -> None:
        """Check the plugins, and prepare them."""
        for part in self.parts():
            if not isinstance(part, RuleFeatures | EdgeFeatures):
                level = f"a plugin of level {part.level}" if isinstance(part, Plugin) else repr(part)
                raise PluginError(f"{type(self).__name__}: expected rule or edge plugins, got {level}")
        super().prepare()

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Number the attributes of both plugins."""
        given = [answers.rule_attributes(rules).view(np.uint32) for answers in self._answers]
        halves = [half for each in given for half in (each & (1 << _HALF) - 1, each >> _HALF)]
        items = np.stack(halves, axis=1).astype(np.int32)
        return self._attributes.numbers(len(rules), np.arange(len(rules)).repeat(len(halves)), items.ravel())

    def tables(self, edges: EdgeBatch, segment: Segment) -> list[_Rows]:
        """Return what each plugin fires."""

        def attributes(part: int, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
            indptr, items = self._attributes.items(numbers.astype(np.int64))
            halves = np.zeros((len(numbers), 2 * len(self.parts())), np.uint32)
            halves[np.diff(indptr) > 0] = items.reshape(-1, halves.shape[1])  # that of the goal has no number
            found: NDArray[np.int32] = (halves[:, 2 * part + 1] << _HALF | halves[:, 2 * part]).view(np.int32)
            return found

        return [
            answers.rows(edges.with_attributes(partial(attributes, part)), segment)
            for part, answers in enumerate(self._answers)
        ]

    @growing
    def _answers(self) -> _AllAnswers:
        return _AllAnswers(self.parts())

    @growing
    def _attributes(self) -> SequenceTable:
        return SequenceTable()


@dataclass(kw_only=True, eq=False)
class Product(Combined):
    """Conjunctions: ``a&b`` for each feature a of one plugin and b of another that fire on one edge.

    The value is the product of both values. A third plugin is the product of a product:
    ``Product Arity "Product SpanSize RuleOwners"``.

    Parameters
    ----------
    first, second : plugin
        Rule or edge plugins; with arguments in quotes: ``Product "RuleCounts --bins 4" SpanSize``.
    """

    fires: ClassVar[tuple[str, ...]] = ("*&*",)

    first: PluginLine | Plugin
    second: PluginLine | Plugin

    def parts(self) -> Sequence[Any]:
        """Return the plugins."""
        return self.first, self.second

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Make a row for each pair of rows."""
        first, second = self.tables(edges, segment)
        width = len(second.indptr)
        row, pairs = number_keys(first.row * np.int64(width) + second.row)
        a, b = np.divmod(pairs, width)
        inner = second.indptr[b + 1] - second.indptr[b]
        sizes = (first.indptr[a + 1] - first.indptr[a]) * inner
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        owner = np.arange(len(pairs)).repeat(sizes)
        i, j = np.divmod(np.arange(indptr[-1]) - indptr[owner], inner[owner])
        i += first.indptr[a][owner]
        j += second.indptr[b][owner]
        _, columns = self._names.columns(first.names[i] << _BITS | second.names[j])
        values = first.values[i] * second.values[j]
        return FeatureTable(self._names, indptr.astype(np.int32), columns, values, row)

    @growing
    def _names(self) -> NameTable:
        first, second = (answers.names for answers in self._answers)

        def names_of(key: int) -> Sequence[str]:
            return (f"{first.texts[key >> _BITS]}&{second.texts[key & (1 << _BITS) - 1]}",)

        return NameTable(names_of)


@dataclass(kw_only=True, eq=False)
class Bins(Combined):
    """Indicators of the bin of a feature's value, so that each bin has a weight of its own.

    ``Bins "GrammarFeature CountEF" --bounds 0.5,1`` fires ``Value:CountEF<=0.5``, ``Value:CountEF<=1`` for
    greater values up to 1, or ``Value:CountEF>1``. A feature that does not fire, or whose value is 0, has no
    bin.

    Parameters
    ----------
    feature : plugin
        A rule or edge plugin, all of whose features are divided; with arguments in quotes.
    bounds : sequence of float
        The greatest values of all bins but the last, ascending.
    """

    fires: ClassVar[tuple[str, ...]] = ("*<=*", "*>*")

    feature: PluginLine | Plugin
    bounds: Sequence[float]

    def parts(self) -> Sequence[Any]:
        """Return the plugin."""
        return (self.feature,)

    def prepare(self) -> None:
        """Check the arguments."""
        if not self.bounds or any(low >= high for low, high in pairwise(self.bounds)):
            raise PluginError(
                f"Bins: bounds must be ascending numbers, got {', '.join(map(str, self.bounds))}"
            )
        super().prepare()

    def fire(self, edges: EdgeBatch, segment: Segment) -> FeatureTable:
        """Replace each value by its bin."""
        (rows,) = self.tables(edges, segment)
        bins = np.searchsorted(self.bounds, rows.values)
        _, columns = self._names.columns(rows.names * (len(self.bounds) + 1) + bins)
        return FeatureTable(self._names, rows.indptr, columns, np.ones(len(columns)), rows.row)

    @growing
    def _names(self) -> NameTable:
        (answers,) = self._answers
        signs = [*(f"<={bound:g}" for bound in self.bounds), f">{self.bounds[-1]:g}"]

        def names_of(key: int) -> Sequence[str]:
            name, number = divmod(key, len(signs))
            return (answers.names.texts[name] + signs[number],)

        return NameTable(names_of)


class _Rows(NamedTuple):
    """What a plugin fires on edges: the row of each edge, and the names, by number, and values of rows."""

    row: NDArray[np.int32]
    indptr: NDArray[np.int32]
    names: NDArray[np.int64]
    values: NDArray[np.float64]


class _Names:
    """Numbers names in the order of first occurrence; threads may share it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}
        self._lock = threading.Lock()

    def numbers(self, names: Sequence[str], columns: NDArray[np.int32]) -> NDArray[np.int64]:
        """Number the names of columns."""
        distinct, inverse = np.unique(columns, return_inverse=True)
        numbers = []
        with self._lock:
            for name in (names[column] for column in distinct.tolist()):
                numbers.append(self._numbers.setdefault(name, len(self.texts)))
                if numbers[-1] == len(self.texts):
                    self.texts.append(name)
        return np.array(numbers, np.int64)[inverse]


class _Answers:
    """The features of a plugin on edges; those of a rule plugin are kept as attributes."""

    def __init__(self, plugin: RuleFeatures | EdgeFeatures) -> None:
        self._plugin = copy(plugin)  # with tables of its own
        self._plugin.prepare()
        self._fired = SequenceTable()
        self.names = _Names()

    def rule_attributes(self, rules: RuleBatch) -> NDArray[np.int32]:
        """Return the plugin's attributes, or numbers of what it fires on rules."""
        if isinstance(self._plugin, EdgeFeatures):
            return self._plugin.rule_attributes(rules)
        rows = self._numbered(self._plugin.fire(rules), len(rules))
        indptr, entries = ranges(rows.indptr[rows.row], rows.indptr[rows.row + 1])
        bits = rows.values[entries].view(np.uint64)
        parts = (bits >> 2 * _THIRD, bits >> _THIRD & (1 << _THIRD) - 1, bits & (1 << _THIRD) - 1)
        items = np.stack((rows.names[entries], *parts), axis=1).astype(np.int32)
        return self._fired.numbers(len(rules), owners(indptr).repeat(len(parts) + 1), items.ravel())

    def rows(self, edges: EdgeBatch, segment: Segment) -> _Rows:
        """Return what the plugin fires on edges with its attributes."""
        if isinstance(self._plugin, EdgeFeatures):
            return self._numbered(self._plugin.fire(edges, segment), len(edges))
        distinct, row = np.unique(edges.attribute, return_inverse=True)
        indptr, items = self._fired.items(distinct.astype(np.int64))
        names, *parts = items.reshape(-1, 4).T.astype(np.uint64)
        values = parts[0] << 2 * _THIRD | parts[1] << _THIRD | parts[2]
        return _Rows(row.astype(np.int32), indptr // 4, names.astype(np.int64), values.view(np.float64))

    def __len__(self) -> int:
        return len(self.names.texts) + len(self._fired) + sum(map(len, tables_of(self._plugin).values()))

    def _numbered(self, table: FeatureTable, items: int) -> _Rows:
        """Number the names of a table; items without a row have an empty one."""
        table.check(items, type(self._plugin).__name__)
        empty = len(table.indptr) - 1
        row = np.arange(items, dtype=np.int32) if table.row is None else table.row
        indptr = np.append(table.indptr, table.indptr[-1])
        names = self.names.numbers(table.names, table.columns)
        return _Rows(np.where(row < 0, np.int32(empty), row), indptr, names, table.values)


class _AllAnswers:
    """The answers of all plugins, as a table that grows."""

    def __init__(self, plugins: Sequence[Any]) -> None:
        self._all = [_Answers(plugin) for plugin in plugins]

    def __iter__(self) -> Iterator[_Answers]:
        return iter(self._all)

    def __len__(self) -> int:
        return sum(map(len, self._all))
