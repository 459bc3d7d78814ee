"""Forests in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, singledispatch
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.tables import Cell, Table
from hopefear.base.texts import BLANK, shortened, split_words, word_places
from hopefear.plugins import Lattice, RuleText
from hopefear.plugins.written import Written
from hopefear.text import Restored, TextSystem

from .confidence import Confidence, Evidence
from .consensus import Consensus, create_consensus
from .hypotheses import KBestList
from .kbest_sums import KBestSums
from .weights import Weights

if TYPE_CHECKING:
    from .completion import Typing

Derivation = NDArray[np.int32]
"""A derivation: its edges in preorder, tails in the order of the rule's source side."""


class TextOfSentence(NamedTuple):
    """What the text of a system knows about the translations of one sentence."""

    system: TextSystem
    written: Written

    def restore(self, words: Sequence[str], links: Sequence[tuple[int, int]]) -> Restored:
        """Make text of target words and their links with source words."""
        return self.system.restore(words, links, self.written)

    def read(self, translation: str, *, is_open: bool = False) -> list[tuple[str, tuple[int, int]]]:
        """List the target words of a translation, and where each is written."""
        missing = self._missing(translation) if is_open else ""
        read = self.system.read_target(translation + missing, self.written)
        places = [(begin, min(end, len(translation))) for begin, end in read.places]
        return list(zip(read.tokens, places, strict=True))

    def _missing(self, translation: str) -> str:
        """Return what is missing of a piece that stays, if a translation ends with its beginning."""
        last = translation[-1:]
        for piece in sorted(self.written.contents.values(), key=len, reverse=True):
            for length in range(len(piece) - 1, 0, -1):
                if piece[length - 1] != last or not translation.endswith(piece[:length]):
                    continue
                before = translation[: len(translation) - length]
                if before[-1:] in BLANK:
                    return piece[length:]
        return ""


@singledispatch
def drawing(shown: object) -> str | None:
    """Return how a notebook draws an object as HTML; None for its `repr`."""
    return None


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


class Hypergraph:
    """The forest of a sentence, made by the decoder.

    Derivations are returned best first. Scores use the weights of the time of decoding, until `reweight` is
    called.

    Attributes
    ----------
    weights : Weights
        The weights.
    text_of_sentence : TextOfSentence or None
        What makes text of translations; None if the sentence was given as words.
    confidence : Confidence
        How the confidence of words follows from posteriors.
    models : sequence of (str, StatefulScorer)
        The n-gram models of whole sentences that took part, each behind the name of its feature.
    """

    def __init__(
        self,
        forest: _native.Forest,
        weights: Weights,
        text: TextOfSentence | None = None,
        *,
        confidence: Confidence | None = None,
        evidence: _native.Forest | None = None,
        models: Sequence[tuple[str, _native.StatefulScorer]] = (),
    ) -> None:
        self.native = forest
        self.weights = weights
        self.text_of_sentence = text
        self.confidence = confidence or Confidence()
        self.models = models
        self._evidence = evidence  # where scores are gains, the forest with the model's
        self._samples = 0
        self._typing: Typing | None = None

    @property
    def source(self) -> Written | None:
        """The sentence as written; None if it was given as words."""
        return None if self.text_of_sentence is None else self.text_of_sentence.written

    def __repr__(self) -> str:
        """Show the size of the forest, and the best translation with its score."""
        nodes, edges = len(self.native.node_category), len(self.native.edge_head)
        if not nodes:
            return "<Hypergraph: empty>"
        best = self.best()
        paths = f"{self.npaths:.6g} path{'s' if self.npaths != 1 else ''}"
        text = shortened(self.text(best))
        return f"<Hypergraph: {nodes} nodes, {edges} edges, {paths}, best {text!r} ({self.score(best):.6g})>"

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

    @property
    def forest(self) -> Hypergraph:
        """The forest itself; other translations may have none, see `Translation`."""
        return self

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
        return _native.target_text(self.native, derivation)

    def restored(self, derivation: Derivation | None = None) -> Restored:
        """Return the translation of a derivation, the best if none is given, as somebody would write it.

        A system that was built without languages gives the target words.

        Returns
        -------
        Restored
            The text, and complaints where a piece of the source that stays, such as a tag, has no place.
        """
        derivation = self.best() if derivation is None else derivation
        words = split_words(self.text(derivation))
        return self.restore(words, [] if self.text_of_sentence is None else self.links(derivation))

    def restore(self, words: Sequence[str], links: Sequence[tuple[int, int]]) -> Restored:
        """Return target words, which may be no derivation's, as somebody would write them.

        Parameters
        ----------
        words : sequence of str
            The target words.
        links : sequence of (int, int)
            Links of source and target words, as those of `links`.
        """
        if self.text_of_sentence is not None:
            return self.text_of_sentence.restore(words, links)
        text = " ".join(words)
        return Restored(text, (), word_places(text))

    def written(self, derivation: Derivation | None = None) -> str:
        """Return the text of `restored`."""
        return self.restored(derivation).text

    def restored_words(self, words: str) -> Restored:
        """Return target words as somebody would write them, by the best derivation that yields them.

        Without such a derivation, pieces that stay are put where they fit.
        """
        if self.text_of_sentence is not None:
            narrowed = Hypergraph(self.native, self.weights, self.text_of_sentence)
            if narrowed.intersect(words):
                return narrowed.restored()
        return self.restore(split_words(words), [])

    def links(self, derivation: Derivation) -> list[tuple[int, int]]:
        """List the links of source and target words in a derivation, by the alignments of its rules.

        Returns
        -------
        list of (int, int)
            Positions of source and target words, from 0, sorted.
        """
        edges = derivation.tolist() if isinstance(derivation, np.ndarray) else list(derivation)
        forest, spans = self.edges, self.nodes.span
        rules = [self.native.rule(int(self.native.edge_local_rule[edge])) for edge in edges]
        children, sizes, pending = list[list[int]](), [0] * len(edges), list[int]()
        for k in range(len(edges) - 1, -1, -1):  # preorder from the back: children come first
            count = sum(not isinstance(symbol, str) for symbol in rules[k][1])
            own = [pending.pop() for _ in range(count)]
            children.append(own)
            sizes[k] = sum(1 if isinstance(symbol, str) else sizes[own[symbol - 1]] for symbol in rules[k][2])
            pending.append(k)
        children.reverse()
        begins, links = [0] * len(edges), list[tuple[int, int]]()
        for k, edge in enumerate(edges):
            _, source, target, _, _, alignment = rules[k]
            place, places = begins[k], dict[int, int]()
            for index, symbol in enumerate(target):
                if isinstance(symbol, str):
                    places[index] = place
                    place += 1
                else:
                    begins[children[k][symbol - 1]] = place
                    place += sizes[children[k][symbol - 1]]
            if not alignment:
                continue
            position, sources = int(spans[forest.head[edge]][0]), dict[int, int]()
            tails = iter(forest.tails_of(edge))
            for index, item in enumerate(source):
                if isinstance(item, str):
                    sources[index] = position
                    position += 1
                else:
                    position = int(spans[next(tails)][1])
            links += [(sources[f], places[e]) for f, e in alignment if f in sources and e in places]
        return sorted(links)

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
        return _native.score(self.native, derivation)

    def best_translations(self, k: int, *, unique: bool = True) -> KBestList:
        """Return the k best translations with their features.

        Parameters
        ----------
        unique : bool
            Whether to keep only the best derivation of each string.
        """
        return KBestList(*_native.best_hypotheses(self.native, k, unique=unique))

    def sums_over_best(self, k: int) -> KBestSums:
        """Return the k best translations, all different, for sums over them."""
        return KBestSums(self.native, k)

    def kbest_table(self, k: int, *, unique: bool = True, features: bool = True) -> Table:
        """Return rank, words and score of the k best translations as a table.

        Parameters
        ----------
        unique : bool
            Whether to keep only the best derivation of each string.
        features : bool
            Whether to add a column for each feature.
        """
        derivations = self.derivations(k, unique=unique)
        found = [(each, self.features(each) if features else {}) for each in derivations]
        names = sorted({name for _, values in found for name in values})
        rows: list[tuple[Cell, ...]] = [
            (rank, self.text(each), self.score(each), *(values.get(name, 0.0) for name in names))
            for rank, (each, values) in enumerate(found, 1)
        ]
        return Table(("rank", "translation", "score", *names), rows)

    def _repr_html_(self) -> str | None:
        """Return the drawing for a notebook; the views register with `drawing` how a forest is drawn."""
        return drawing(self)

    # words, score and features of the best derivations

    def viterbi(self) -> str:
        """Return the words of the best derivation."""
        return self.text(self.best())

    def viterbi_features(self) -> Mapping[str, float]:
        """Return the features of the best derivation."""
        return self.features(self.best())

    def viterbi_score(self) -> float:
        """Return the score of the best derivation."""
        return self.score(self.best())

    def kbest(self, size: int) -> Iterator[str]:
        """Iterate over the strings of the k best derivations."""
        return map(self.text, self.derivations(size))

    def kbest_features(self, size: int) -> Iterator[Mapping[str, float]]:
        """Iterate over the features of the k best derivations."""
        return map(self.features, self.derivations(size))

    def unique_kbest(self, size: int) -> Iterator[str]:
        """Iterate over the k best strings."""
        return map(self.text, self.derivations(size, unique=True))

    def unique_kbest_features(self, size: int) -> Iterator[Mapping[str, float]]:
        """Iterate over the features of the k best strings."""
        return map(self.features, self.derivations(size, unique=True))

    # completions of what somebody types

    def typing(self) -> Typing:
        """Return what completes translations that somebody types; each keystroke uses the one before."""
        from .completion import Typing

        if self._typing is None:
            self._typing = Typing(self)
        return self._typing

    def complete(self, typed: str) -> str:
        """Return the best translation that begins with what has been typed.

        Parameters
        ----------
        typed : str
            The beginning of a translation, as it is written; its last word may be incomplete, unless blanks
            follow it. If no derivation begins so, the best of those with the fewest edits goes on from there;
            see `Typing`.

        Returns
        -------
        str
            What has been typed, unchanged, and the rest.
        """
        return self.typing().after(typed, only_best=True).written()

    def completions(self, typed: str, k: int) -> list[str]:
        """Return the k best translations that begin with what has been typed, best first; see `complete`."""
        return self.typing().after(typed).texts(k)

    # the forest as a whole

    def expectations(self, *, scale: float = 1.0) -> dict[str, float]:
        """Return the expected value of each feature under p(d) ∝ exp(scale · w·f), by inside-outside."""
        features, values = _native.feature_expectations(self.native, scale)
        name = self.weights.native.name
        return dict(sorted(zip(map(name, features.tolist()), values.tolist(), strict=True)))

    def consensus(self, method: str | Consensus = "linear") -> Hypergraph:
        """Return a forest whose best derivation is the consensus: it agrees best with all derivations.

        Scores of derivations are gains; everything else is as in this forest. `reweight` makes them scores of
        the model again.

        Parameters
        ----------
        method : str or Consensus
            ``linear`` for linear BLEU over the forest, `Linear`; ``fast`` for fast consensus, `Fast`; a
            metric for its expected score in a k-best list, `Risk`. Arguments follow the name, such as
            ``"linear --scale 0.5"``.

        Raises
        ------
        PluginError
            There is no such method, or its arguments are wrong.
        """
        found = create_consensus(method) if isinstance(method, str) else method
        native = found.search(self.native) if len(self.native.node_category) else self.native
        return Hypergraph(
            native,
            self.weights,
            self.text_of_sentence,
            confidence=self.confidence,
            evidence=self._evidence or self.native,
            models=self.models,
        )

    def word_confidence(self, derivation: Derivation | None = None) -> list[float]:
        """Return for each word of a derivation, the best if none is given, how probable an editor keeps it.

        The posteriors of the word in the forest say so, anywhere and beside its neighbours; see
        `hopefear.decoder.confidence`.

        Returns
        -------
        list of float
            From 0 to 1, one for each word of `text`.
        """
        if not len(self.native.node_category):
            return []
        derivation = self.best() if derivation is None else derivation
        evidence = Evidence(self._evidence or self.native)
        odds = evidence.log_odds(self.native, derivation, self.confidence.scale)
        confidences: list[float] = self.confidence.of(odds).tolist()
        return confidences

    def phrase_confidence(self, begin: int, end: int, derivation: Derivation | None = None) -> float:
        """Return the share of the words [begin, end) of a derivation that an editor is expected to keep.

        Raises
        ------
        ValueError
            There are no such words.
        """
        confidences = self.word_confidence(derivation)
        if not 0 <= begin < end <= len(confidences):
            raise ValueError(f"expected words from 0 to {len(confidences)}, got [{begin}, {end})")
        return sum(confidences[begin:end]) / (end - begin)

    def sentence_confidence(self, derivation: Derivation | None = None) -> float:
        """Return the share of the words of a derivation that an editor is expected to keep."""
        confidences = self.word_confidence(derivation)
        return sum(confidences) / len(confidences) if confidences else 1.0

    def scored_by(self, weights: Weights) -> Hypergraph:
        """Return the same forest with other weights of the same features, by which it was scored already."""
        return Hypergraph(
            self.native, weights, self.text_of_sentence, confidence=self.confidence, models=self.models
        )

    @contextmanager
    def reweighted(self, weights: Weights) -> Iterator[Hypergraph]:
        """Score all edges with other weights for a while, and give the forest that has these weights.

        Afterwards all edges have their scores again. The weights are as for `reweight`.
        """
        scores = self.native.edge_score.copy()
        forest = self.scored_by(self._of_own_features(weights))
        try:
            forest.reweight()
            yield forest
        finally:
            self.native.set_scores(scores)

    def written_by(self, system: TextSystem) -> Hypergraph:
        """Return the same forest, whose translations another text system makes text of."""
        text = self.text_of_sentence
        text = None if text is None else text._replace(system=system)
        return Hypergraph(
            self.native,
            self.weights,
            text,
            confidence=self.confidence,
            evidence=self._evidence,
            models=self.models,
        )

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
        self._typing = None

    def _of_own_features(self, weights: Weights) -> Weights:
        """Return weights whose features have the numbers of the forest's weights."""
        if weights.native.has_features_of(self.weights.native):
            return weights
        own = self.weights.sibling(np.zeros(0))
        own.update((name, value) for name, value in weights if name in own)
        return own

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
        self._typing = None

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
        lattice = Lattice.from_tokens(reference.split()) if isinstance(reference, str) else reference
        arcs = [((i, i + arc.distance), arc.word) for i, column in enumerate(lattice) for arc in column]
        narrowed = _native.intersect(self.native, len(lattice), arcs, second_goal=second_goal)
        if len(narrowed.node_category) == 0:
            return False
        self.native = narrowed
        self._typing = None
        return True
