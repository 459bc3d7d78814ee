"""Hypergraphs that Moses and Joshua write, a file for each sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hopefear import _native
from hopefear.base import InputError
from hopefear.base.lines import read_lines
from hopefear.base.texts import BLANK, is_whole, split_words
from hopefear.decoder import Hypergraph, Weights

from .ends import BEGIN, END
from .rules import feature_name, number

MOSES = "# target ||| features ||| source-covered"
JOSHUA = "# target ||| features"
"""The first lines of the files."""

_CATEGORY = "X"
_TAIL = re.compile(r"\[(\d+)\]")


def read_hypergraph(path: str | os.PathLike[str], weights: Weights) -> Hypergraph:
    """Read a hypergraph of Moses (``-output-search-graph-hypergraph``) or of Joshua (``HyperGraph.dump``).

    The files have target sides, tails and features, but no source sides: the source side of a rule is its
    nonterminals, in the order of the target side, or ``…`` if it has none, and all categories are ``X``. The
    words ``<s>`` and ``</s>`` are left out. Spans are (0, number of source words covered); Joshua's files do
    not tell this number, and all spans are (0, 0). If several nodes of a file of Joshua are under no other,
    they are alternatives of the goal, which Joshua does not write.
    """
    graph = _Graph(os.fspath(path))
    lines = read_lines(Path(path))
    where, header = next(lines, (graph.path, ""))
    numbered = ((line, text) for line, (_, text) in enumerate(lines, 2))
    if header.strip(BLANK) == MOSES:
        graph.read_moses(numbered)
    elif header.strip(BLANK) == JOSHUA:
        graph.read_joshua(numbered)
    else:
        raise InputError(f"expected {MOSES!r}, or without the last field, got {header[:80]!r}", path=where)
    forest = Hypergraph(graph.build(weights), weights)
    forest.reweight()
    return forest


@dataclass
class _Edge:
    """An edge; tails are places in the list of nodes, `covered` is the number of source words under it."""

    target: list[tuple[str, int]]
    tails: list[int]
    features: dict[str, float]
    covered: int = 0


@dataclass
class _Graph:
    """The nodes of a file, each a list of edges; `places` has their places by their numbers in the file."""

    path: str
    nodes: list[list[_Edge]] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    def wrong(self, message: str, line: int) -> InputError:
        return InputError(message, path=self.path, line=line)

    def read_moses(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read nodes: ``# node N``, the number of edges, edges."""
        line, text = next(lines, (2, ""))
        self._counts(line, text)
        name, last = 0, line
        for line, text in lines:
            last = line
            if comment := re.fullmatch(r"#\s*node\s+(\d{1,9})\s*", text):
                name = int(comment[1])
            elif text.strip(BLANK) and not text.startswith("#"):
                if not is_whole(text.strip(BLANK)) or int(text) == 0:
                    raise self.wrong(f"expected the number of edges of node {name}, got {text[:80]!r}", line)
                edges = []
                for _ in range(int(text)):
                    last, edge = next(lines, (last + 1, ""))
                    edges.append(self._edge(edge, last, 3))
                self._add(name, edges, line)
                name += 1
        if not self.nodes:
            raise self.wrong("expected a node, got the end of the file", last)

    def read_joshua(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read nodes: their numbers, and edges."""
        line, text = next(lines, (2, ""))
        self._counts(line, text)
        nodes: list[tuple[int, int, list[_Edge]]] = []
        for line, text in lines:
            if is_whole(text.strip(BLANK)):
                if nodes:
                    self._close(nodes[-1])
                nodes.append((line, int(text), []))
            elif nodes:
                nodes[-1][2].append(self._edge(text, line, 2))
            elif text.strip(BLANK):
                raise self.wrong(f"expected the number of a node, got {text[:80]!r}", line)
        if not nodes:
            raise self.wrong("expected a node, got the end of the file", line)
        self._close(nodes[-1])
        self._join()

    def _counts(self, line: int, text: str) -> None:
        if not re.fullmatch(r"\s*\d+\s+\d+\s*", text):
            raise self.wrong(f"expected the numbers of nodes and of edges, got {text[:80]!r}", line)

    def _close(self, node: tuple[int, int, list[_Edge]]) -> None:
        line, name, edges = node
        if not edges:
            raise self.wrong(f"expected edges of node {name}, got none", line)
        self._add(name, edges, line)

    def _add(self, name: int, edges: list[_Edge], line: int) -> None:
        if name in self.places:
            raise self.wrong(f"node {name} is in the file twice", line)
        self.places[name] = len(self.nodes)
        self.nodes.append(edges)

    def _edge(self, text: str, line: int, fields: int) -> _Edge:
        parts = re.split(rf"[{BLANK}]*\|\|\|(?:[{BLANK}]+|$)", f" {text}")
        if len(parts) != fields:
            form = " ||| ".join(["target", "name=value", "source words"][:fields])
            raise self.wrong(f"expected an edge, {form}; got {text[:80]!r}", line)
        edge = _Edge([], [], {})
        for symbol in split_words(parts[0]):
            if tail := _TAIL.fullmatch(symbol):
                if int(tail[1]) not in self.places:
                    raise self.wrong(f"expected a node that comes before, got {symbol}", line)
                edge.tails.append(self.places[int(tail[1])])
                edge.target.append(("", len(edge.tails)))
            elif symbol not in (BEGIN, END):
                edge.target.append((symbol, 0))
        for item in split_words(parts[1]):
            name, equals, value = item.rpartition("=")
            if not equals:
                raise self.wrong(f"expected name=value, got {item[:80]!r}", line)
            feature_name(name, self.path, line)
            edge.features[name] = edge.features.get(name, 0.0) + number(value, self.path, line)
        if fields == 3:
            if not is_whole(parts[2]) or len(parts[2]) > 9:
                raise self.wrong(f"expected the number of source words, got {parts[2][:80]!r}", line)
            edge.covered = int(parts[2])
        return edge

    def _join(self) -> None:
        """Add a goal over the nodes that are under no other node, if there are several."""
        under = {tail for edges in self.nodes for edge in edges for tail in edge.tails}
        tops = [place for place in range(len(self.nodes)) if place not in under]
        if len(tops) > 1:
            self.nodes.append([_Edge([("", 1)], [top], {}) for top in tops])

    def build(self, weights: Weights) -> _native.Forest:
        """Make the forest; its goal is the last node."""
        parts = _native.ForestParts()
        edges = [(head, edge) for head, node in enumerate(self.nodes) for edge in node]
        covered = [node[-1].covered for node in self.nodes]
        parts.source_length = max(covered)
        parts.category = [_CATEGORY] * len(self.nodes)
        parts.span = [end for words in covered for end in (0, words)]
        parts.rules = [_rule(edge) for _, edge in edges]
        parts.head, parts.rule = [head for head, _ in edges], list(range(len(edges)))
        parts.score = [0.0] * len(edges)
        parts.tails = [tail for _, edge in edges for tail in edge.tails]
        parts.features = [weights.id(name) for _, edge in edges for name in edge.features]
        parts.values = [value for _, edge in edges for value in edge.features.values()]
        tails, features = [0], [0]
        for _, edge in edges:
            tails.append(tails[-1] + len(edge.tails))
            features.append(features[-1] + len(edge.features))
        parts.tails_begin, parts.features_begin = tails, features
        try:
            return _native.build_forest(parts)
        except (ValueError, OverflowError) as error:
            raise InputError(str(error), path=self.path) from None


def _rule(edge: _Edge) -> _native.RuleParts:
    rule = _native.RuleParts()
    rule.lhs = _CATEGORY
    rule.source = [(_CATEGORY, True)] * len(edge.tails) or [("…", False)]
    rule.target = edge.target
    rule.features, rule.values, rule.alignment = [], [], []
    return rule
