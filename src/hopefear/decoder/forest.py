"""Forests as arrays, their derivations, and what changes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.texts import split_words
from hopefear.plugins import Lattice, RuleText

from .hypotheses import KBestList
from .reading import Derivation, Reading
from .weights import Weights

AnyForest = TypeVar("AnyForest", bound="Forest")


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


class Edges:
    """The E edges of a forest as arrays; the edges into a node are neighbours.

    Attributes
    ----------
    head : array of int32, shape (E,)
    tail_indptr, tails : arrays of int32, shapes (E + 1,) and (T,)
        The tails of edge e, in source order, are ``tails[tail_indptr[e]:tail_indptr[e + 1]]``.
    score : array of float64, shape (E,)
        w·f.
    source : array of int32, shape (E,), or empty
        Only for a rescored forest: the edge of the forest before rescoring.
    """

    def __init__(self, forest: _native.Forest) -> None:
        self._forest = forest
        self.head = forest.edge_head
        self.tail_indptr = forest.edge_tails_indptr
        self.tails = forest.edge_tails
        self.score = forest.edge_score
        self.source = forest.edge_source

    def __len__(self) -> int:
        """Count the edges."""
        return len(self.head)

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
    def features(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Features as CSR arrays: indptr (E + 1,), feature numbers, values. A row may repeat a feature."""
        indptr, features, values = self._forest.edge_features()
        return indptr, features, values

    def features_of(self, edge: int) -> dict[int, float]:
        """Return the features of an edge: the sum of its values by feature number."""
        sums = dict[int, float]()
        for feature, value in self._forest.features_of(edge):
            sums[feature] = sums.get(feature, 0.0) + value
        return sums


@dataclass(eq=False, repr=False)
class Forest:
    """The derivations of a sentence.

    They are returned best first. Scores use the weights of the time of decoding, until `reweight` is called.
    `dataclasses.replace` makes a copy.

    Attributes
    ----------
    native : _native.Forest
        The arrays.
    weights : Weights
        The weights.
    reading : Reading
        How derivations read.
    models : sequence of (str, StatefulScorer)
        The n-gram models of whole sentences that took part, each behind the name of its feature.
    evidence : _native.Forest or None
        Where scores are gains or edges are missing, the forest that has the model's scores of all.
    """

    native: _native.Forest
    weights: Weights
    reading: Reading = field(default_factory=Reading)
    models: Sequence[tuple[str, _native.StatefulScorer]] = ()
    evidence: _native.Forest | None = None
    _samples: int = field(default=0, init=False)

    # arrays

    @property
    def nodes(self) -> Nodes:
        """The nodes as arrays."""
        return Nodes(self.native)

    @property
    def edges(self) -> Edges:
        """The edges as arrays."""
        return Edges(self.native)

    @property
    def source_length(self) -> int:
        """Number of positions of the input."""
        return self.native.source_length

    @property
    def npaths(self) -> float:
        """Number of derivations."""
        return self.native.paths()

    def category(self, number: int) -> str:
        """Return the name of a category number."""
        return self.native.category_name(number)

    def rule(self, edge: int) -> RuleText:
        """Return the rule of an edge as text."""
        local = int(self.native.edge_local_rule[edge])
        lhs, source, target, features, values, alignment = self.native.rule(local)
        named = {self.weights.name(int(f)): float(v) for f, v in zip(features, values, strict=True)}
        return RuleText(lhs, tuple(source), tuple(target), named, tuple(alignment))

    # derivations

    def best(self) -> Derivation:
        """Return the best derivation."""
        return _native.viterbi(self.native)

    def derivations(self, k: int, *, unique: bool = False) -> Iterator[Derivation]:
        """Iterate over the k best derivations, found one by one (Huang & Chiang 2005, algorithm 3).

        Parameters
        ----------
        k : int
            Maximum number of derivations.
        unique : bool
            Only the best derivation of each string.
        """
        lists = _native.KBest(self.native, unique)
        for rank in range(k):
            derivation = lists.derivation(rank)
            if derivation is None:
                return
            yield derivation

    def samples(self, n: int, *, seed: int | None = None, scale: float = 1.0) -> list[Derivation]:
        """Draw derivations with p(d) proportional to exp(scale · w·f).

        Parameters
        ----------
        seed : int, optional
            Without a seed, each call takes the next one of a fixed sequence.
        """
        if seed is None:
            self._samples += 1
            seed = self._samples
        return list(_native.sample(self.native, n, seed=seed, scale=scale))

    def text(self, derivation: Derivation) -> str:
        """Return the target words of a derivation."""
        return self.reading.words(self.native, derivation)

    def links(self, derivation: Derivation) -> list[tuple[int, int]]:
        """List the links of source and target words in a derivation, by the alignments of its rules.

        Returns
        -------
        list of (int, int)
            Positions of source and target words, from 0, sorted.
        """
        return self.reading.links(self.native, derivation)

    def trees(self, derivation: Derivation) -> tuple[str, str]:
        """Return the source and the target tree of a derivation."""
        source = _native.tree(self.native, derivation, of_source=True)
        return source, _native.tree(self.native, derivation, of_source=False)

    def features(self, derivation: Derivation) -> dict[str, float]:
        """Return the feature values of a derivation by name, without zeros, sorted by name."""
        features, values = _native.features(self.native, derivation)
        name = self.weights.native.name
        return dict(sorted(zip(map(name, features.tolist()), values.tolist(), strict=True)))

    def score(self, derivation: Derivation) -> float:
        """Return the score of a derivation, the sum of its edges' scores."""
        return self.reading.score(self.native, derivation)

    def best_translations(self, k: int, *, unique: bool = True) -> KBestList:
        """Return the k best translations with their features.

        Parameters
        ----------
        unique : bool
            Whether to keep only the best derivation of each string.
        """
        return KBestList(*_native.best_hypotheses(self.native, k, unique=unique))

    def expectations(self, *, scale: float = 1.0) -> dict[str, float]:
        """Return the expected value of each feature under p(d) ∝ exp(scale · w·f), by inside-outside."""
        features, values = _native.feature_expectations(self.native, scale)
        name = self.weights.native.name
        return dict(sorted(zip(map(name, features.tolist()), values.tolist(), strict=True)))

    # changes

    def reweight(self, weights: Weights | None = None) -> None:
        """Score all edges again.

        Parameters
        ----------
        weights : Weights, optional
            The decoder's present weights by default. Of others, features count by their names.

        Raises
        ------
        ScoreError
            An edge's score would not be finite, or too large. All edges keep their scores.
        """
        used = self.weights if weights is None else self._of_own_features(weights)
        self.native.reweight(used.native)
        self.evidence = None
        self._changed()

    @contextmanager
    def reweighted(self: AnyForest, weights: Weights) -> Iterator[AnyForest]:
        """Score all edges with other weights for a while, and give the forest that has these weights.

        Afterwards all edges have their scores again. The weights are as for `reweight`.
        """
        scores = self.native.edge_score.copy()
        forest = replace(self, weights=self._of_own_features(weights))
        try:
            forest.reweight()
            yield forest
        finally:
            self.native.set_scores(scores)

    def _of_own_features(self, weights: Weights) -> Weights:
        """Return weights whose features have the numbers of the forest's weights."""
        if weights.native.has_features_of(self.weights.native):
            return weights
        renumbered = self.weights.sibling(np.zeros(0))
        renumbered.update((name, value) for name, value in weights if name in renumbered)
        return renumbered

    def prune(self, beam_alpha: float = 0, density: float = 0) -> None:
        """Keep the edges near the best derivation.

        Parameters
        ----------
        beam_alpha : float
            Drop edges whose best derivation scores worse than the best by more than this; 0 for no beam.
        density : float
            Keep about this multiple of the best derivation's number of edges; 0 for no limit.
        """
        self.native = _native.prune(self.native, beam=beam_alpha, density=density)
        self._changed()

    def intersect(self, reference: str | Lattice, *, second_goal: bool = False) -> bool:
        """Keep the derivations whose target words are a path of the reference.

        Parameters
        ----------
        reference : str or Lattice
            The words to reach.
        second_goal : bool
            Put one more goal node above the goal, as cdec does.

        Returns
        -------
        bool
            Whether a derivation is left; if not, the forest is unchanged.
        """
        lattice = Lattice.from_tokens(split_words(reference)) if isinstance(reference, str) else reference
        arcs = [((i, i + arc.distance), arc.word) for i, column in enumerate(lattice) for arc in column]
        narrowed = _native.intersect(self.native, len(lattice), arcs, second_goal=second_goal)
        if len(narrowed.node_category) == 0:
            return False
        self.native = narrowed
        self._changed()
        return True

    def _changed(self) -> None:
        """Drop what was computed of the forest as it was."""
