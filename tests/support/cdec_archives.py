"""Forest files of cdec, written from their description: an archive of Boost.Serialization, item by item."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

HEADER = struct.pack("<Q", 22) + b"serialization::archive" + struct.pack("<HBBBBi", 18, 4, 8, 4, 8, 1)
RULE_CLASS = 6


@dataclass
class Rule:
    """A rule: nonterminals are ``("X",)`` in the source, and 0, -1, ... in the target."""

    lhs: str
    source: Sequence[str | tuple[str]]
    target: Sequence[str | int]
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass
class Edge:
    """An edge with all its features, those of the rule among them."""

    head: int
    tails: Sequence[int]
    rule: int
    features: Mapping[str, float]
    span: tuple[int, int]


class Archive:
    """The bytes of a forest; each class is described before its first object."""

    def __init__(self, categories: Sequence[str], rules: Sequence[Rule], edges: Sequence[Edge]) -> None:
        self.rules = rules
        self._described: set[str] = set()
        self._written: dict[int, int] = {}
        self.data = HEADER + self._class("hypergraph") + struct.pack("<II", len(categories), len(edges))
        for node, category in enumerate(categories):
            into = [e for e, edge in enumerate(edges) if edge.head == node]
            out = [e for e, edge in enumerate(edges) for tail in edge.tails if tail == node]
            self.data += self._class("node") + struct.pack("<Qi", 1000 + node, node) + self._text(category)
            for numbers in (into, out):
                self.data += struct.pack(f"<Q{len(numbers)}i", len(numbers), *numbers)
        for number, edge in enumerate(edges):
            self.data += self._class("edge") + struct.pack("<i", edge.head) + self._class("tails")
            self.data += struct.pack(f"<H{len(edge.tails)}I", len(edge.tails), *edge.tails)
            self._rule(edge.rule)
            self.data += self._vector(edge.features) + struct.pack("<hhhhi", *edge.span, -1, -1, number)
        self.data += struct.pack("<ii", 1, 0)

    def _class(self, name: str, tracked: int = 0, version: int = 0) -> bytes:
        if name in self._described:
            return b""
        self._described.add(name)
        return struct.pack("<BI", tracked, version)

    def _text(self, text: str) -> bytes:
        return struct.pack("<Q", len(text.encode())) + text.encode()

    def _rule(self, number: int) -> None:
        self.data += self._class("pointer", version=1) + struct.pack("<h", RULE_CLASS)
        self.data += self._class("rule", tracked=1)
        known = number in self._written
        self.data += struct.pack("<I", self._written.setdefault(number, len(self._written)))
        if known:
            return
        rule = self.rules[number]
        mask = sum(1 << k for k, symbol in enumerate(rule.source) if isinstance(symbol, tuple))
        self.data += self._text(rule.lhs) + struct.pack("<IQ", len(rule.source), mask)
        for symbol in rule.source:
            self.data += self._text(symbol[0] if isinstance(symbol, tuple) else symbol)
        targets = sum(1 << k for k, symbol in enumerate(rule.target) if isinstance(symbol, int))
        self.data += struct.pack("<IQ", len(rule.target), targets)
        for item in rule.target:
            self.data += struct.pack("<i", item) if isinstance(item, int) else self._text(item)
        self.data += struct.pack("<b", mask.bit_count()) + self._vector(rule.features)

    def _vector(self, features: Mapping[str, float]) -> bytes:
        data = self._class("vector") + struct.pack("<I", len(features))
        for name, value in features.items():
            data += self._class("pair") + self._text(name) + struct.pack("<d", value)
        return data


CATEGORIES = ["X", "X", "Goal"]
RULES = [
    Rule("X", ["la"], ["the"], {"Count": 1.5, "Zero": 0.0}),
    Rule("X", [("X",), "casa"], [0, "house"], {"Count": 0.1}),
    Rule("X", [("X",), "casa"], ["home", 0], {"Count": 1.0}),
    Rule("Goal", [("X",)], [0]),
]
# Not sorted by head, as in cdec's files. The rule's feature "Count" is not in edge 2, and other in edge 3.
EDGES = [
    Edge(2, [1], 3, {"LanguageModel": -0.5}, (0, 2)),
    Edge(1, [0], 1, {"Count": 0.1, "LanguageModel": -1.5}, (0, 2)),
    Edge(1, [0], 2, {"LanguageModel": -2.0}, (0, 2)),
    Edge(0, [], 0, {"Count": 2.0, "Zero": 0.0, "WordPenalty": -0.5}, (0, 1)),
]


def small_archive() -> bytes:
    """Return a forest with the translations "the house" and "home the"."""
    return Archive(CATEGORIES, RULES, EDGES).data
