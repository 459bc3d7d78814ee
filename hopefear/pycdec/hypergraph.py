"""pycdec's Hypergraph over the engine's forest."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hopefear import decoder
from hopefear.decoder import Weights, _native
from hopefear.pycdec.handles import HypergraphEdge, HypergraphNode, View, exp
from hopefear.pycdec.lattice import Lattice
from hopefear.pycdec.linear import lattice_of_forest, plf
from hopefear.pycdec.text import as_text
from hopefear.pycdec.vectors import DenseVector, SparseVector


class Hypergraph:
    """A forest of derivations. `forest` is the same for hopefear's own interface."""

    def __init__(self, forest: decoder.Hypergraph) -> None:
        self.forest = forest

    # derivations

    def viterbi(self) -> str:
        """Give the best hypothesis."""
        return self.forest.viterbi()

    def viterbi_trees(self) -> tuple[str, str]:
        """Give the source and the target tree of the best derivation."""
        return self.forest.viterbi_trees()

    def viterbi_features(self) -> SparseVector:
        """Give the features of the best derivation."""
        return SparseVector(self.forest.viterbi_features())

    def viterbi_forest(self) -> Hypergraph:
        """Give a hypergraph of the best derivation only."""
        best = _native.subforest(self.forest.native, self.forest.best())
        return Hypergraph(decoder.Hypergraph(best, self.forest.weights))

    def viterbi_joshua(self) -> str:
        """Give the target tree of the best derivation as Joshua writes it, ``(X{0-2} …)``."""
        view = View(self.forest)
        open_trees: list[str] = []
        for edge in self.forest.best()[::-1].tolist():
            children = [open_trees.pop() for _ in view.tails_of(edge)]
            target = self.forest.rule(edge).target
            text = " ".join(s if isinstance(s, str) else children[s - 1] for s in target)
            head = view.head[edge]
            begin, end = view.node_span[head]
            is_goal = head == len(view.node_span) - 1
            open_trees.append(text if is_goal else f"({view.category(head)}{{{begin}-{end}}} {text})")
        return open_trees.pop()

    def kbest(self, size: int) -> Iterator[str]:
        """Go through the hypotheses of the k best derivations."""
        return self.forest.kbest(size)

    def kbest_trees(self, size: int) -> Iterator[tuple[str, str]]:
        """Go through the source and target trees of the k best derivations."""
        return self.forest.kbest_trees(size)

    def kbest_features(self, size: int) -> Iterator[SparseVector]:
        """Go through the features of the k best derivations."""
        return map(SparseVector, self.forest.kbest_features(size))

    def unique_kbest(self, size: int) -> Iterator[str]:
        """Go through the k best different hypotheses."""
        return self.forest.unique_kbest(size)

    def unique_kbest_trees(self, size: int) -> Iterator[tuple[str, str]]:
        """Go through the trees of the best derivations of the hypotheses of `unique_kbest`."""
        return self.forest.unique_kbest_trees(size)

    def unique_kbest_features(self, size: int) -> Iterator[SparseVector]:
        """Go through the features of the best derivations of the hypotheses of `unique_kbest`.

        In pycdec these are the features of `kbest_features`, which do not go with the hypotheses.
        """
        return map(SparseVector, self.forest.unique_kbest_features(size))

    def sample(self, n: int) -> Iterator[str]:
        """Go through the hypotheses of n drawn derivations."""
        return self.forest.sample(n)

    def sample_hypotheses(self, n: int) -> Iterator[tuple[str, float, SparseVector]]:
        """Go through hypothesis, exp(w·f), as in pycdec, and features of n drawn derivations."""
        for text, score, features in self.forest.sample_hypotheses(n):
            yield text, exp(score), SparseVector(features)

    def sample_trees(self, n: int) -> Iterator[str]:
        """Go through the target trees of n drawn derivations."""
        return self.forest.sample_trees(n)

    # the whole

    def intersect(self, inp: Lattice | str | bytes) -> bool:
        """Keep the derivations that yield a path of the reference; tell whether there are any.

        Raises
        ------
        TypeError
            It is neither a lattice nor text.
        """
        lattice = inp if isinstance(inp, Lattice) else Lattice(as_text(inp))
        return self.forest.intersect(lattice.arcs, second_goal=True)

    def prune(self, beam_alpha: float = 0, density: float = 0) -> None:
        """Drop edges that are far from the best derivation; see `hopefear.Hypergraph.prune`."""
        self.forest.prune(beam_alpha, density)

    def reweight(self, weights: SparseVector | DenseVector) -> None:
        """Score all edges anew.

        Raises
        ------
        TypeError
            The weights are no vector.
        """
        if not isinstance(weights, (SparseVector, DenseVector)):
            raise TypeError(f"cannot reweight hypergraph with {type(weights).__name__}")
        if isinstance(weights, DenseVector) and weights.native is self.forest.weights:
            self.forest.reweight()
            return
        other = Weights(native=self.forest.weights.native.sibling())
        for name, value in weights:
            if name in other:
                other[name] = value
        self.forest.reweight(other)

    def lattice(self) -> Lattice:
        """Give the lattice that the hypergraph is; see `plf`."""
        return Lattice(lattice_of_forest(self.forest))

    def plf(self) -> str:
        """Write the lattice that the hypergraph is in PLF, the edges' scores as costs.

        Raises
        ------
        InputError
            It is no lattice: a rule has two tails, or words to the left of one.
        """
        return plf(lattice_of_forest(self.forest))

    def inside_outside(self) -> SparseVector:
        """Give the logarithm of each feature's expected value; of its absolute value, as pycdec does."""
        expected = self.forest.expectations()
        return SparseVector({name: math.log(abs(v)) if v else -math.inf for name, v in expected.items()})

    @property
    def npaths(self) -> float:
        """How many derivations there are."""
        return self.forest.npaths

    @property
    def edges(self) -> Iterator[HypergraphEdge]:
        """Go through the edges."""
        view = View(self.forest)
        return (HypergraphEdge(view, edge) for edge in range(len(view.head)))

    @property
    def nodes(self) -> Iterator[HypergraphNode]:
        """Go through the nodes, the goal last."""
        view = View(self.forest)
        return (HypergraphNode(view, node) for node in range(len(view.node_span)))

    @property
    def goal(self) -> HypergraphNode:
        """The goal node."""
        view = View(self.forest)
        return HypergraphNode(view, len(view.node_span) - 1)
