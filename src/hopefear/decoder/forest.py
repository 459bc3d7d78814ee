"""Forests: their derivations, and what changes, writes and reads them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import read_packed, write_packed
from hopefear.base.signatures import Count, Finite
from hopefear.base.texts import split_words
from hopefear.plugins import FeatureTable, Lattice, RuleText

from .distribution import Distribution
from .forest_arrays import rule_text
from .forest_file import forest_json, parse_forest
from .hypotheses import KBestList
from .reading import Derivation, Reading
from .weights import Weights

AnyForest = TypeVar("AnyForest", bound="Forest")


@dataclass(eq=False, repr=False)
class Forest(Distribution):
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
        if not 0 <= edge < len(self.native.edge_local_rule):
            raise IndexError(f"expected an edge of this forest, got {edge}")
        return rule_text(self.native, self.weights, int(self.native.edge_local_rule[edge]))

    # derivations

    def best(self) -> Derivation:
        """Return the best derivation."""
        return _native.viterbi(self.native)

    def derivations(self, k: Count, *, unique: bool = False) -> Iterator[Derivation]:
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

    def samples(self, n: Count, *, seed: int | None = None, scale: Finite = 1.0) -> list[Derivation]:
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

    def best_translations(self, k: Count, *, unique: bool = True) -> KBestList:
        """Return the k best translations with their features.

        Parameters
        ----------
        unique : bool
            Whether to keep only the best derivation of each string.
        """
        return KBestList(*_native.best_hypotheses(self.native, k, unique=unique))

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
        self._changed(narrowed=True)

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
        self._changed(narrowed=True)
        return True

    def with_scores(self: AnyForest, scores: NDArray[np.float64]) -> AnyForest:
        """Return a forest whose edges have other scores: its best derivations, samples and posteriors follow.

        Features stay. `reweight` makes the scores w·f again.

        Parameters
        ----------
        scores : array of float64, shape (E,)

        Raises
        ------
        ScoreError
            A score is not finite, or too large.
        """
        return replace(self, native=self.native.with_scores(scores), evidence=self.evidence or self.native)

    def with_features(self: AnyForest, table: FeatureTable) -> AnyForest:
        """Return a forest whose edges have more features; the scores stay until `reweight`.

        Parameters
        ----------
        table : FeatureTable
            The features of all E edges. New names are added to the weights.

        Raises
        ------
        PluginError
            The table is not of this forest's edges, or no feature can have one of the names.
        """
        table.check(len(self.native.edge_head), "with_features")
        numbers = self.weights.intern_all(list(table.names))
        native = _native.with_edge_layer(
            self.native, numbers, table.indptr, table.columns, table.values, table.row
        )
        return replace(self, native=native)

    def _changed(self, *, narrowed: bool = False) -> None:
        """Drop what was computed of the forest as it was, before its scores changed or derivations went."""

    # files

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the forest as JSON; compressed if the name ends in ``.gz``. No partly written file is left.

        Raises
        ------
        InputError
            The file cannot be written.
        """
        write_packed(path, forest_json(self.native, self.weights))

    @classmethod
    def read(cls: type[AnyForest], path: str | os.PathLike[str], weights: Weights | None = None) -> AnyForest:
        """Read a forest that `write` wrote.

        Parameters
        ----------
        path : path
            Plain or ``.gz``.
        weights : Weights, optional
            The weights that number the features; new features are added. The scores are those of the file;
            `reweight` sets them to w·f.

        Raises
        ------
        InputError
            The file cannot be read, or its content is not a forest; the message names the wrong part.
        """
        weights = Weights() if weights is None else weights
        try:
            return cls(parse_forest(read_packed(path), weights), weights)
        except json.JSONDecodeError as error:
            raise InputError(f"expected JSON: {error.msg}", path=path, line=error.lineno) from None
        except (ValueError, OverflowError) as error:
            raise InputError(str(error), path=path) from None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle derivations, scores and features with their weights; n-gram models stay behind."""
        forests = [self.native] if self.evidence is None else [self.native, self.evidence]
        written = [forest_json(each, self.weights) for each in forests]
        numbers = np.unique(np.concatenate([each.edge_features()[1] for each in forests])).tolist()
        weights = {self.weights.name(n): float(self.weights.array[n]) for n in numbers}
        names = {each.name for each in fields(self) if each.init} - _PICKLED
        kept = {name: getattr(self, name) for name in names}
        return _unpickled, (type(self), written, weights, kept)


_PICKLED = {"native", "weights", "evidence", "models"}


def _unpickled(
    kind: type[AnyForest], written: list[bytes], weights: dict[str, float], kept: dict[str, Any]
) -> AnyForest:
    own = Weights(weights)
    native, *evidence = (parse_forest(each, own) for each in written)
    return kind(native=native, weights=own, evidence=evidence[0] if evidence else None, **kept)
