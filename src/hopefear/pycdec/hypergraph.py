"""Hypergraphs on top of `hopefear.Hypergraph`, and lattices: columns of (word, cost, distance)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hopefear import _native, decoder
from hopefear.base.signatures import Count, refusing
from hopefear.base.texts import BLANK, split_words
from hopefear.decoder import Weights
from hopefear.pycdec.handles import HypergraphEdge, HypergraphNode, View, exp
from hopefear.pycdec.linear import forest_of_lattice, lattice_of_forest, plf
from hopefear.pycdec.text import as_text
from hopefear.pycdec.vectors import DenseVector, SparseVector

Arcs = tuple[tuple[str, float, int], ...]


class Hypergraph:
    """A forest of derivations; the attribute `forest` is the `hopefear.Hypergraph` behind it."""

    def __init__(self, forest: decoder.Hypergraph) -> None:
        self.forest = forest

    # derivations

    def viterbi(self) -> str:
        """Return the best hypothesis."""
        return self.forest.viterbi()

    def viterbi_trees(self) -> tuple[str, str]:
        """Return the source and the target tree of the best derivation."""
        return self.forest.trees(self.forest.best())

    def viterbi_features(self) -> SparseVector:
        """Return the features of the best derivation."""
        return SparseVector(self.forest.viterbi_features())

    def viterbi_forest(self) -> Hypergraph:
        """Return a hypergraph of the best derivation only."""
        best = _native.subforest(self.forest.native, self.forest.best())
        return Hypergraph(replace(self.forest, native=best))

    def viterbi_joshua(self) -> str:
        """Return the target tree of the best derivation as Joshua writes it, ``(X{0-2} …)``."""
        view = View(self.forest)
        open_trees: list[str] = []
        for edge in self.forest.best()[::-1].tolist():
            children = [open_trees.pop() for _ in view.edges.tails_of(edge)]
            target = self.forest.rule(edge).target
            text = " ".join(s if isinstance(s, str) else children[s - 1] for s in target)
            head = view.head[edge]
            begin, end = view.node_span[head]
            is_goal = head == len(view.node_span) - 1
            open_trees.append(text if is_goal else f"({view.category(head)}{{{begin}-{end}}} {text})")
        return open_trees.pop()

    def kbest(self, size: Count) -> Iterator[str]:
        """Iterate over the hypotheses of the k best derivations."""
        return self.forest.kbest(size)

    def kbest_trees(self, size: Count) -> Iterator[tuple[str, str]]:
        """Iterate over the source and target trees of the k best derivations."""
        return map(self.forest.trees, self.forest.derivations(size))

    def kbest_features(self, size: Count) -> Iterator[SparseVector]:
        """Iterate over the features of the k best derivations."""
        return map(SparseVector, self.forest.kbest_features(size))

    def unique_kbest(self, size: Count) -> Iterator[str]:
        """Iterate over the k best distinct hypotheses."""
        return self.forest.unique_kbest(size)

    def unique_kbest_trees(self, size: Count) -> Iterator[tuple[str, str]]:
        """Iterate over the trees of the best derivations of the hypotheses of `unique_kbest`."""
        return map(self.forest.trees, self.forest.derivations(size, unique=True))

    def unique_kbest_features(self, size: Count) -> Iterator[SparseVector]:
        """Iterate over the features of the best derivations of the hypotheses of `unique_kbest`.

        pycdec yields the features of `kbest_features` here, which do not belong to these hypotheses.
        """
        return map(SparseVector, self.forest.unique_kbest_features(size))

    def sample(self, n: int) -> Iterator[str]:
        """Iterate over the hypotheses of n drawn derivations."""
        return map(self.forest.text, self.forest.samples(n))

    def sample_hypotheses(self, n: int) -> Iterator[tuple[str, float, SparseVector]]:
        """Iterate over n drawn derivations: hypothesis, exp(w·f) as in pycdec, features."""
        for derivation in self.forest.samples(n):
            features = SparseVector(self.forest.features(derivation))
            yield self.forest.text(derivation), exp(self.forest.score(derivation)), features

    def sample_trees(self, n: int) -> Iterator[str]:
        """Iterate over the target trees of n drawn derivations."""
        return (self.forest.trees(derivation)[1] for derivation in self.forest.samples(n))

    # the whole

    def intersect(self, inp: Lattice | str | bytes) -> bool:
        """Keep the derivations that yield a path of the reference; return whether there are any.

        Raises
        ------
        TypeError
            `inp` is neither a lattice nor text.
        """
        lattice = inp if isinstance(inp, Lattice) else Lattice(as_text(inp))
        return self.forest.intersect(lattice.arcs, second_goal=True)

    def prune(self, beam_alpha: float = 0, density: float = 0) -> None:
        """Drop edges that are far from the best derivation; see `hopefear.Hypergraph.prune`."""
        self.forest.prune(beam_alpha, density)

    @refusing("cannot reweight hypergraph with {}")
    def reweight(self, weights: SparseVector | DenseVector) -> None:
        """Score all edges with new weights.

        Raises
        ------
        TypeError
            `weights` is not a vector.
        """
        if isinstance(weights, DenseVector) and weights.native is self.forest.weights:
            self.forest.reweight()
            return
        other = Weights(native=self.forest.weights.native.sibling())
        for name, value in weights:
            if name in other:
                other[name] = value
        self.forest.reweight(other)

    def lattice(self) -> Lattice:
        """Convert a hypergraph that is a lattice; see `plf`."""
        return Lattice(lattice_of_forest(self.forest))

    def plf(self) -> str:
        """Write a hypergraph that is a lattice as PLF, with the edges' scores as costs.

        Raises
        ------
        InputError
            The hypergraph is not a lattice: a rule has two tails, or words to the left of a tail.
        """
        return plf(lattice_of_forest(self.forest))

    def inside_outside(self) -> SparseVector:
        """Return the logarithm of the absolute value of each feature's expected value, as pycdec does."""
        expected = self.forest.expectations()
        return SparseVector({name: math.log(abs(v)) if v else -math.inf for name, v in expected.items()})

    @property
    def npaths(self) -> float:
        """The number of derivations."""
        return self.forest.npaths

    @property
    def edges(self) -> Iterator[HypergraphEdge]:
        """Iterate over the edges."""
        view = View(self.forest)
        return (HypergraphEdge(view, edge) for edge in range(len(view.head)))

    @property
    def nodes(self) -> Iterator[HypergraphNode]:
        """Iterate over the nodes, the goal last."""
        view = View(self.forest)
        return (HypergraphNode(view, node) for node in range(len(view.node_span)))

    @property
    def goal(self) -> HypergraphNode:
        """The goal node."""
        view = View(self.forest)
        return HypergraphNode(view, len(view.node_span) - 1)


class Lattice:
    """A word lattice: column i has the arcs ``(word, cost, distance)`` that leave position i.

    Parameters
    ----------
    inp : tuple or str
        The columns, their text form (PLF), or plain words.

    Raises
    ------
    InputError
        An arc is malformed or ends beyond the last column.
    TypeError
        `inp` is neither a tuple nor text.
    """

    @refusing("cannot create lattice from {}")
    def __init__(self, inp: Sequence[Any] | str | bytes) -> None:
        if isinstance(inp, (str, bytes)):
            text = as_text(inp).strip(BLANK)
            if text.startswith("((("):
                self.arcs = decoder.Lattice.from_plf(text)
            else:
                self.arcs = decoder.Lattice.from_tokens(split_words(text))
        elif isinstance(inp, tuple):
            self.arcs = decoder.Lattice([_arcs(column) for column in inp])
        else:
            raise TypeError(f"cannot create lattice from {type(inp).__name__}")

    def __len__(self) -> int:
        """Count the columns."""
        return len(self.arcs)

    def __getitem__(self, index: int) -> Arcs:
        """Return the arcs that leave a position."""
        return tuple(
            (arc.word, arc.features.get("LatticeCost_0", 0.0), arc.distance) for arc in self.arcs[index]
        )

    def __setitem__(self, index: int, arcs: tuple[tuple[Any, ...], ...]) -> None:
        """Replace the arcs that leave a position."""
        columns = [[(arc.word, dict(arc.features), arc.distance) for arc in column] for column in self.arcs]
        if not 0 <= index < len(columns):
            raise IndexError("lattice index out of range")
        columns[index] = _arcs(arcs)
        self.arcs = decoder.Lattice(columns)

    def __iter__(self) -> Iterator[Arcs]:
        """Iterate over the columns."""
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Compare arc by arc."""
        return isinstance(other, Lattice) and self.arcs == other.arcs

    def __hash__(self) -> int:
        """Hash by words and distances."""
        return hash(self.arcs)

    def __str__(self) -> str:
        return self.arcs.plf()

    def todot(self) -> str:
        """Write the lattice in GraphViz dot format."""
        lines = ["digraph lattice {", "rankdir = LR;", "node [shape=circle];"]
        for start, arcs in enumerate(self):
            for word, _, distance in arcs:
                label = word.replace("\\", "\\\\").replace('"', '\\"')
                lines.append(f'{start} -> {start + distance} [label="{label}"];')
        return "\n".join([*lines, f"{len(self)} [shape=doublecircle]", "}"])

    def as_hypergraph(self) -> Hypergraph:
        """Return a hypergraph whose derivations are the paths; all scores are 0 until `reweight`.

        Raises
        ------
        InputError
            No path leads to a position.
        """
        return Hypergraph(forest_of_lattice(self.arcs))


def _arcs(column: Any) -> Any:
    """Return the arcs of a column with words and names of features as str."""
    if not isinstance(column, (tuple, list)):
        return column
    return [tuple(map(_part, arc)) if isinstance(arc, (tuple, list)) else arc for arc in column]


def _part(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {as_text(name): value for name, value in part.items()}
    return as_text(part) if isinstance(part, bytes) else part
