"""Edges and nodes of a hypergraph as objects."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from hopefear import decoder
from hopefear.pycdec.rules import TRule, of_edge
from hopefear.pycdec.vectors import SparseVector


class View:
    """The arrays of a forest at the time when its handles are made."""

    def __init__(self, forest: decoder.Hypergraph) -> None:
        self.forest = replace(forest)
        self.native, self.edges = forest.native, forest.edges
        self.head: list[int] = self.edges.head.tolist()
        self.node_edges: list[int] = forest.nodes.in_edges.tolist()
        self.node_span: list[tuple[int, int]] = [(i, j) for i, j in forest.nodes.span.tolist()]

    def category(self, node: int) -> str:
        """Return the category of a node."""
        return self.forest.category(int(self.native.node_category[node]))

    @cached_property
    def out_edges(self) -> list[list[int]]:
        """For each node, the edges that have it as a tail."""
        edges: list[list[int]] = [[] for _ in self.node_span]
        for edge in range(len(self.head)):
            for tail in self.edges.tails_of(edge):
                edges[tail].append(edge)
        return edges


class _Handle:
    """An edge or a node, by its number; equal if it is the same one of the same forest."""

    def __init__(self, view: View, number: int) -> None:
        self._view, self._number = view, number

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, _Handle) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[int, int]:
        return id(self._view.native), self._number


class HypergraphEdge(_Handle):
    """An edge; its `len` is its number of tails."""

    def __len__(self) -> int:
        return len(self._view.edges.tails_of(self._number))

    def __bool__(self) -> bool:
        return True

    @property
    def trule(self) -> TRule:
        """The rule."""
        return of_edge(self._view.forest.rule(self._number))

    @property
    def head_node(self) -> HypergraphNode:
        """The head node."""
        return HypergraphNode(self._view, self._view.head[self._number])

    @property
    def tail_nodes(self) -> Iterator[HypergraphNode]:
        """The tail nodes, in source order."""
        return (HypergraphNode(self._view, node) for node in self._view.edges.tails_of(self._number))

    @property
    def span(self) -> tuple[int, int]:
        """Source positions [begin, end)."""
        return self._view.node_span[self._view.head[self._number]]

    @property
    def src_span(self) -> tuple[int, int]:
        """The same as `span`, which is a source span even after `Hypergraph.intersect`."""
        return self.span

    @property
    def feature_values(self) -> SparseVector:
        """The features of this edge alone."""
        name = self._view.forest.weights.name
        features = self._view.edges.features_of(self._number)
        return SparseVector({name(feature): value for feature, value in features.items()})

    @property
    def prob(self) -> float:
        """exp(w·f)."""
        return exp(float(self._view.edges.score[self._number]))


class HypergraphNode(_Handle):
    """A node."""

    @property
    def id(self) -> int:
        """Number of the node."""
        return self._number

    @property
    def in_edges(self) -> Iterator[HypergraphEdge]:
        """The edges whose head is this node."""
        begin, end = self._view.node_edges[self.id : self.id + 2]
        return (HypergraphEdge(self._view, edge) for edge in range(begin, end))

    @property
    def out_edges(self) -> Iterator[HypergraphEdge]:
        """The edges that have this node as a tail."""
        return (HypergraphEdge(self._view, edge) for edge in self._view.out_edges[self.id])

    @property
    def span(self) -> tuple[int, int]:
        """Source positions [begin, end)."""
        return self._view.node_span[self.id]

    @property
    def cat(self) -> str:
        """Category."""
        return self._view.category(self.id)


def exp(score: float) -> float:
    """Return exp(score), infinity on overflow."""
    try:
        return math.exp(score)
    except OverflowError:
        return math.inf
