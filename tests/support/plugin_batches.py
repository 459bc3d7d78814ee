"""The batches that plugins are shown, made in plain Python from grammar lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray


def _csr(rows: Iterable[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    rows = list(rows)
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int32)
    return starts, np.array([item for row in rows for item in row], np.int32)


def _others(i: int, j: int, links: Iterable[Sequence[int]]) -> list[Sequence[int]]:
    """Links that share no word with (i, j): only these can cross it."""
    return [link for link in links if link[0] != i and link[1] != j]


_vocabularies = count()

Span = tuple[int, int]
Edge = tuple[int, Span, Sequence[Span]]
"""A rule, its span, and those of its tails."""


class Rules:
    """A RuleBatch of lines ``[X] ||| a [X,1] ||| [1] b ||| ... ||| 0-1``; features and alignment may lack."""

    def __init__(self, *lines: str) -> None:
        self._words: list[str] = []
        self._categories: list[str] = []
        parsed = [[part.strip() for part in line.split("|||")] for line in lines]
        self.ids = np.arange(len(lines), dtype=np.int32)
        self.lhs = np.array([-self._nonterminal(fields[0]) for fields in parsed], np.int32)
        self.source_indptr, self.source = _csr([self._side(fields[1], True) for fields in parsed])
        self.target_indptr, self.target = _csr([self._side(fields[2], False) for fields in parsed])
        links = [fields[4].split() if len(fields) > 4 else [] for fields in parsed]
        points = [[int(end) for end in link.split("-")] for row in links for link in row]
        self.alignment_indptr = np.cumsum([0, *map(len, links)], dtype=np.int32)
        self.alignment = np.array(points, np.uint8).reshape(-1, 2)
        self._features = [fields[3].split() if len(fields) > 3 else [] for fields in parsed]
        self.vocabulary = next(_vocabularies)
        self.first_own_symbol = len(self._words) + 1

    @property
    def nonterminals(self) -> NDArray[np.int32]:
        rows = []
        for rule in range(len(self)):
            source = self.source[self.source_indptr[rule] : self.source_indptr[rule + 1]].tolist()
            target = self.target[self.target_indptr[rule] : self.target_indptr[rule + 1]].tolist()
            places = [i for i, symbol in enumerate(source) if symbol < 0]
            pairs = [(i, target.index(-index)) for index, i in enumerate(places)]
            links = self.alignment[self.alignment_indptr[rule] : self.alignment_indptr[rule + 1]].tolist()
            for index, (i, j) in enumerate(pairs):
                crosses = any(
                    (i < other_i) != (j < other_j) for other_i, other_j in _others(i, j, pairs + links)
                )
                rows.append((rule, index, i, j, int(crosses)))
        return np.array(rows, np.int32).reshape(-1, 5)

    def __len__(self) -> int:
        return len(self.ids)

    def symbol(self, symbol: int, /) -> str:
        return self._words[symbol - 1] if symbol > 0 else self._categories[-symbol - 1]

    def feature_values(self, name: str, /) -> NDArray[np.float64]:
        rows = [dict(feature.split("=") for feature in features) for features in self._features]
        return np.array([float(row.get(name, 0)) for row in rows])

    def indicator_names(self, prefix: str = "") -> list[str]:
        names = []
        for rule in range(len(self)):
            source = self.source[self.source_indptr[rule] : self.source_indptr[rule + 1]]
            target = self.target[self.target_indptr[rule] : self.target_indptr[rule + 1]]
            parts = (
                "R",
                self.symbol(-int(self.lhs[rule])),
                "_".join(("N" if symbol < 0 else "") + self.symbol(int(symbol)) for symbol in source),
                "_".join(self.symbol(int(symbol)) if symbol > 0 else f"N{1 - symbol}" for symbol in target),
            )
            names.append(prefix + ":".join(parts).replace("=", "_").replace(";", "_"))
        return names

    def _nonterminal(self, text: str) -> int:
        return -self._number(self._categories, text.strip("[]").split(",")[0])

    def _side(self, text: str, is_source: bool) -> list[int]:
        symbols = []
        for word in text.split():
            if not (word.startswith("[") and word.endswith("]") and len(word) > 2):
                symbols.append(self._number(self._words, word))
            elif is_source:
                symbols.append(self._nonterminal(word))
            else:
                symbols.append(1 - int(word.strip("[]").split(",")[-1]))
        return symbols

    @staticmethod
    def _number(texts: list[str], text: str) -> int:
        if text not in texts:
            texts.append(text)
        return texts.index(text) + 1


class Edges:
    """An EdgeBatch of (rule, span, tail spans)."""

    def __init__(
        self, source_length: int, edges: Sequence[Edge], attributes: NDArray[np.int32] | None = None
    ) -> None:
        self.source_length = source_length
        self.rule = np.array([rule for rule, _, _ in edges], np.int32)
        self.head_category = np.ones(len(edges), np.int32)
        self.span = np.array([span for _, span, _ in edges], np.int32).reshape(-1, 2)
        self.tail_indptr = np.cumsum([0, *(len(tails) for _, _, tails in edges)], dtype=np.int32)
        tail_spans = [span for _, _, tails in edges for span in tails]
        self.tail_span = np.array(tail_spans, np.int32).reshape(-1, 2)
        attributes = np.zeros(self.rule.max(initial=-1) + 1, np.int32) if attributes is None else attributes
        self.attributes_of_rules = attributes
        self.attribute = attributes[self.rule]
        self.group = np.arange(len(edges), dtype=np.int64)
        self.groups = self  # each edge is one of its own

    def with_attributes(self, change: Callable[[NDArray[np.int32]], NDArray[np.int32]]) -> Edges:
        shown = copy(self)
        shown.attributes_of_rules = change(self.attributes_of_rules)
        shown.attribute = shown.attributes_of_rules[self.rule]
        return shown

    def __len__(self) -> int:
        return len(self.rule)


@dataclass
class Sentence:
    """A Segment."""

    tokens: tuple[str, ...] | None = ()
    tree: str | None = None
    index: int = 0
    id: int | str = 0
    where: str = "dev.en:1"
    references: tuple[str, ...] = ()
    tags: tuple[str, ...] | None = None
    dependencies: tuple[int, ...] | None = None
    classes: tuple[str, ...] | None = None
    attributes: dict[str, str] = field(default_factory=dict)

    @property
    def number(self) -> int | str:
        return self.id if isinstance(self.id, str) else self.id + 1


def all_spans(length: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(length) for j in range(i + 1, length + 1)]


def fired(plugin: Any, batch: Rules | Edges, *given: Any) -> list[dict[str, float]]:
    """Ask a plugin that is prepared, and return what each item of a batch fires."""
    table = plugin.fire(batch, *given)
    table.check(len(batch), type(plugin).__name__)
    return [table.features_of(item) for item in range(len(batch))]


def fired_on_rules(plugin: Any, *rules: str) -> list[dict[str, float]]:
    """Prepare a plugin, and return what each rule fires."""
    plugin.prepare()
    return fired(plugin, Rules(*rules))


def fired_on_edges(
    plugin: Any, rules: Sequence[str], edges: Sequence[Edge], sentence: Sentence, length: int | None = None
) -> list[dict[str, float]]:
    """Prepare a plugin, and return what each edge fires; the length is that of the sentence if not given."""
    plugin.prepare()
    attributes = plugin.rule_attributes(Rules(*rules))
    batch = Edges(len(sentence.tokens or ()) if length is None else length, edges, attributes)
    return fired(plugin, batch, sentence)


def spelled(plugin: Any, *rules: str) -> list[list[object]]:
    """Prepare an n-gram plugin, and read its strings of rules: texts of units, indices of nonterminals."""
    plugin.prepare()
    strings = plugin.strings(Rules(*rules))
    strings.check(len(rules), type(plugin).__name__)
    assert len(set(strings.units)) == len(strings.units)
    symbols = [-1 - s if s < 0 else strings.units[s] for s in strings.symbols.tolist()]
    return [symbols[begin:end] for begin, end in pairwise(strings.indptr.tolist())]
