"""The nodes and edges of a forest as arrays."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.tables import data_frame
from hopefear.plugins import RuleText

from .weights import Weights

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_array


class Nodes:
    """The N nodes of a forest as arrays, in topological order, the goal last.

    Attributes
    ----------
    category : array of int32, shape (N,)
        Number of the category; `Hypergraph.category` returns its name.
    span : array of int32, shape (N, 2)
        Source positions [begin, end).
    in_edges : array of int32, shape (N + 1,)
        The edges into node v are ``in_edges[v]:in_edges[v + 1]``.
    """

    def __init__(self, forest: _native.Forest) -> None:
        self.category = forest.node_category
        self.span = forest.node_span
        self.in_edges = forest.node_edges

    def __len__(self) -> int:
        """Count the nodes."""
        return len(self.category)

    def __repr__(self) -> str:
        """Count the nodes."""
        return f"<Nodes: {len(self)}>"


class Edges:
    """The E edges of a forest as arrays; the edges into a node are neighbours.

    Attributes
    ----------
    head : array of int32, shape (E,)
    tail_indptr, tails : arrays of int32, shapes (E + 1,) and (T,)
        The tails of edge e, in source order, are ``tails[tail_indptr[e]:tail_indptr[e + 1]]``.
    score : array of float64, shape (E,)
        w·f.
    local_rule : array of int32, shape (E,)
        The rule among the R rules that the forest uses.
    source : array of int32, shape (E,), or empty
        Only for a rescored forest: the edge of the forest before rescoring.
    """

    def __init__(self, forest: _native.Forest, weights: Weights) -> None:
        self._forest, self._weights = forest, weights
        self.head = forest.edge_head
        self.tail_indptr = forest.edge_tails_indptr
        self.tails = forest.edge_tails
        self.score = forest.edge_score
        self.local_rule = forest.edge_local_rule
        self.source = forest.edge_source

    def __len__(self) -> int:
        """Count the edges."""
        return len(self.head)

    def __repr__(self) -> str:
        """Count the edges."""
        return f"<Edges: {len(self)}>"

    def tails_of(self, edge: int) -> list[int]:
        """Return the tails of an edge, in source order."""
        tails: list[int] = self.tails[self.tail_indptr[edge] : self.tail_indptr[edge + 1]].tolist()
        return tails

    @cached_property
    def rule(self) -> NDArray[np.uint32]:
        """Rule numbers, uint32, shape (E,)."""
        return self._forest.edge_rule()

    @cached_property
    def span(self) -> NDArray[np.int32]:
        """Source span of the head, int32, shape (E, 2)."""
        return self._forest.edge_span()

    @cached_property
    def tail_span(self) -> NDArray[np.int32]:
        """Source spans of the tails, int32, shape (T, 2)."""
        return self._forest.tail_span()

    @cached_property
    def words(self) -> NDArray[np.int32]:
        """Number of target words of the rule, int32, shape (E,)."""
        return self._forest.edge_words()

    @cached_property
    def features(self) -> csr_array:
        """Features as a `scipy.sparse.csr_array`, float64: a row for each edge, a column for each weight."""
        from scipy.sparse import csr_array

        indptr, features, values = self._forest.edge_features()
        matrix = csr_array((values, features, indptr), shape=(len(self), len(self._weights)))
        matrix.sum_duplicates()
        return matrix

    def features_of(self, edge: int) -> dict[int, float]:
        """Return the features of an edge: the sum of its values by feature number."""
        sums = dict[int, float]()
        for feature, value in self._forest.features_of(edge):
            sums[feature] = sums.get(feature, 0.0) + value
        return sums

    def to_frame(self) -> pd.DataFrame:
        """Return the edges as a `pandas.DataFrame`: head, span, tails, rule as text, and score.

        Raises
        ------
        InputError
            pandas is not installed.
        """
        rules = [str(rule_text(self._forest, self._weights, r)) for r in range(len(self._forest.rules))]
        return data_frame(
            {
                "head": self.head,
                "begin": self.span[:, 0],
                "end": self.span[:, 1],
                "tails": [self.tails_of(edge) for edge in range(len(self))],
                "rule": [rules[local] for local in self.local_rule],
                "score": self.score,
            }
        )


def rule_text(forest: _native.Forest, weights: Weights, local: int) -> RuleText:
    """Return one of the rules that a forest uses as text."""
    lhs, source, target, features, values, alignment = forest.rule(local)
    named = {weights.name(int(f)): float(v) for f, v in zip(features, values, strict=True)}
    return RuleText(lhs, tuple(source), tuple(target), named, tuple(alignment))
