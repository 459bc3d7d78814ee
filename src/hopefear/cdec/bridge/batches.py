"""The batches that plugins get inside cdec: one rule, or one edge, at a time.

cdec needs the features of each edge during its search, so a batch never has more than one edge. Symbols are
cdec's own numbers, which do not change within a process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear.base.read_only import read_only, shown_array

Ints = NDArray[np.int32]


def _ints(*values: int | tuple[int, int]) -> Ints:
    return read_only(np.array(values, np.int32))


VOCABULARY = -1
"""Vocabulary number of all batches of the process, different from those of hopefear's decoder."""


@dataclass(slots=True, eq=False)
class KnownRule:
    """A rule, with the plugins' answers for it."""

    number: int
    category: int
    features: dict[str, float] = field(default_factory=dict)
    attributes: list[int] = field(default_factory=list)
    seen: list[Any] = field(default_factory=list)


class Rules:
    """A `RuleBatch` of one rule."""

    vocabulary = VOCABULARY
    first_own_symbol = int(np.iinfo(np.int32).max)

    def __init__(
        self,
        number: int,
        lhs: int,
        source: Ints,
        target: Ints,
        alignment: Ints,
        values: Mapping[str, float],
        texts: Mapping[int, str],
    ) -> None:
        self.ids, self.lhs = _ints(number), _ints(lhs)
        self.source, self.target, self.alignment = map(read_only, (source, target, alignment))
        self.source_indptr = _ints(0, len(source))
        self.target_indptr = _ints(0, len(target))
        self.alignment_indptr = _ints(0, len(alignment))
        self._values = values
        self._texts = texts

    def __len__(self) -> int:
        """Count the rules."""
        return 1

    @shown_array
    def nonterminals(self) -> Ints:
        """The pairs of linked nonterminals."""
        places = np.flatnonzero(self.source < 0).tolist()
        target = self.target.tolist()
        pairs = [(i, target.index(-index)) for index, i in enumerate(places)]
        links = pairs + [(i, j) for i, j in self.alignment.tolist()]
        rows = [
            (0, index, i, j, any((i - other_i) * (j - other_j) < 0 for other_i, other_j in links))
            for index, (i, j) in enumerate(pairs)
        ]
        return np.array(rows, np.int32).reshape(-1, 5)

    def symbol(self, symbol: int, /) -> str:
        """Return the text of a word (> 0) or of a category c (as -c)."""
        return self._texts[abs(int(symbol))]

    def feature_values(self, name: str, /) -> NDArray[np.float64]:
        """Return the rule's value of a feature of its grammar, 0 if the rule lacks the feature."""
        return read_only(np.array([self._values.get(name, 0.0)]))

    def indicator_names(self, prefix: str = "") -> list[str]:
        """Name the rule as cdec's ``RuleIdentityFeatures`` does."""
        source = (("N" if symbol < 0 else "") + self.symbol(symbol) for symbol in self.source.tolist())
        target = (self.symbol(s) if s > 0 else f"N{1 - s}" for s in self.target.tolist())
        name = f"R:{self.symbol(-self.lhs[0])}:{'_'.join(source)}:{'_'.join(target)}"
        return [prefix + name.replace("=", "_").replace(";", "_")]


class EdgeValues(NamedTuple):
    """The values of an `EdgeBatch` of one edge on which an answer can depend, as plain values."""

    rule: int
    attribute: int
    head_category: int
    span: tuple[int, int]
    tails: bytes


def _recorded(index: int, doc: str) -> property:
    """Return a property with a value of the edge, which notes that the value was read."""

    def read(edge: RecordingEdges) -> Ints:
        edge.seen.add(index)
        value: Any = edge.values[index]
        return _ints(value)

    return property(read, doc=doc)


class RecordingEdges:
    """An `EdgeBatch` of one edge that records in `seen` the indices of its values that were read."""

    def __init__(self, values: EdgeValues, source_length: int) -> None:
        self.source_length = source_length
        self.seen: set[int] = set()
        self.values = values

    def __len__(self) -> int:
        """Count the edges."""
        return 1

    rule = _recorded(0, "The rule's number.")
    attribute = _recorded(1, "The plugin's attribute of the rule.")
    head_category = _recorded(2, "The head's category.")
    span = _recorded(3, "The head's source span.")

    @property
    def tail_indptr(self) -> Ints:
        """The begin and the end of the tails."""
        return _ints(0, len(self.tail_span))

    @property
    def tail_span(self) -> Ints:
        """The tails' source spans."""
        self.seen.add(4)
        tails = np.frombuffer(self.values.tails, np.int16).astype(np.int32)
        return read_only(tails.reshape(-1, 2))

    @property
    def group(self) -> NDArray[np.int64]:
        """The number of the only group."""
        return read_only(np.zeros(1, np.int64))

    def with_attributes(self, change: Callable[[Ints], Ints]) -> RecordingEdges:
        """Return the edge with an attribute for another plugin; what is read of it is recorded here."""
        values = self.values._replace(attribute=int(change(self.attribute)[0]))
        shown = RecordingEdges(values, self.source_length)
        shown.seen = self.seen
        return shown

    @property
    def groups(self) -> RecordingEdges:
        """The only group, which is the edge itself."""
        return self


class Answers:
    """A plugin's answers in one sentence, one for all edges with the same values of what it reads."""

    def __init__(self) -> None:
        self._read: tuple[int, ...] = ()
        self._answers: dict[tuple[object, ...], dict[str, float]] = {}

    def find(self, values: EdgeValues) -> dict[str, float] | None:
        """Return the answer for an edge, None if it is not known."""
        return self._answers.get(tuple([values[index] for index in self._read]))

    def keep(self, values: EdgeValues, seen: set[int], answer: dict[str, float]) -> None:
        """Store an answer for which the plugin read the values of indices `seen`."""
        if not seen.issubset(self._read):
            self._read = tuple(sorted(seen.union(self._read)))
            self._answers.clear()
        self._answers[tuple([values[index] for index in self._read])] = answer
