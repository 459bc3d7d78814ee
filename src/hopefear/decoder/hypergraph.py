"""Forests in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch

from hopefear.base.signatures import Count
from hopefear.base.tables import Cell, Table
from hopefear.base.texts import shortened, split_words
from hopefear.plugins.written import Written
from hopefear.text import Restored, TextSystem

from .completion import Completer
from .confidence import Confidence, Evidence
from .consensus import Consensus, create_consensus
from .forest import Forest
from .reading import Derivation, Reading


@singledispatch
def drawing(shown: object) -> str | None:
    """Return how a notebook draws an object as HTML; None for its `repr`."""
    return None


@dataclass(eq=False, repr=False)
class Hypergraph(Forest):
    """The forest of a sentence, made by the decoder: arrays and derivations, and what is read off them.

    Attributes
    ----------
    confidence : Confidence
        How the confidence of words follows from posteriors.
    whole : Hypergraph or None
        The forest of which this one is a list of the best translations; None where it is no list.
    """

    confidence: Confidence = field(default_factory=Confidence, kw_only=True)
    whole: Hypergraph | None = field(default=None, kw_only=True)
    _completer: Completer[Hypergraph] | None = field(default=None, init=False)

    @property
    def source(self) -> Written | None:
        """The sentence as written; None if it was given as words."""
        return None if self.reading.text is None else self.reading.text.written

    def __repr__(self) -> str:
        """Show the size of the forest, and the best translation with its score."""
        nodes, edges = len(self.native.node_category), len(self.native.edge_head)
        if not nodes:
            return "<Hypergraph: empty>"
        best = self.best()
        paths = f"{self.npaths:.6g} path{'s' if self.npaths != 1 else ''}"
        text = shortened(self.text(best))
        return f"<Hypergraph: {nodes} nodes, {edges} edges, {paths}, best {text!r} ({self.score(best):.6g})>"

    @property
    def forest(self) -> Hypergraph:
        """The forest itself; other translations may have none, see `Translation`."""
        return self

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

    def kbest(self, size: Count) -> Iterator[str]:
        """Iterate over the strings of the k best derivations."""
        return map(self.text, self.derivations(size))

    def kbest_features(self, size: Count) -> Iterator[Mapping[str, float]]:
        """Iterate over the features of the k best derivations."""
        return map(self.features, self.derivations(size))

    def unique_kbest(self, size: Count) -> Iterator[str]:
        """Iterate over the k best strings."""
        return map(self.text, self.derivations(size, unique=True))

    def unique_kbest_features(self, size: Count) -> Iterator[Mapping[str, float]]:
        """Iterate over the features of the k best strings."""
        return map(self.features, self.derivations(size, unique=True))

    def kbest_table(self, k: Count, *, unique: bool = True, features: bool = True) -> Table:
        """Return rank, words and score of the k best translations as a table.

        Parameters
        ----------
        unique : bool
            Whether to keep only the best derivation of each string.
        features : bool
            Whether to add a column for each feature.
        """
        derivations = self.derivations(k, unique=unique)
        translations = [(each, self.features(each) if features else {}) for each in derivations]
        names = sorted({name for _, values in translations for name in values})
        rows: list[tuple[Cell, ...]] = [
            (rank, self.text(each), self.score(each), *(values.get(name, 0.0) for name in names))
            for rank, (each, values) in enumerate(translations, 1)
        ]
        return Table(("rank", "translation", "score", *names), rows)

    def _repr_html_(self) -> str | None:
        """Return the drawing for a notebook; the views register with `drawing` how a forest is drawn."""
        return drawing(self)

    # text as somebody would write it

    def restored(self, derivation: Derivation | None = None) -> Restored:
        """Return the translation of a derivation, the best if none is given, as somebody would write it.

        A system that was built without languages gives the target words.

        Returns
        -------
        Restored
            The text, and complaints where a piece of the source that stays, such as a tag, has no place.
        """
        return self.reading.restored(self.native, self.best() if derivation is None else derivation)

    def written(self, derivation: Derivation | None = None) -> str:
        """Return the text of `restored`."""
        return self.restored(derivation).text

    def restored_words(self, words: str) -> Restored:
        """Return target words as somebody would write them, by the best derivation that yields them.

        Without such a derivation, pieces that stay are put where they fit.
        """
        reading = Reading(self.reading.text)
        if reading.text is not None:
            narrowed = replace(self, reading=reading)
            if narrowed.intersect(words):
                return narrowed.restored()
        return reading.restore(split_words(words), [])

    def written_by(
        self,
        system: TextSystem,
        translations: Mapping[tuple[str, ...], tuple[str, tuple[tuple[int, int], ...]]] | None = None,
    ) -> Hypergraph:
        """Return the same forest, whose translations another text system makes text of.

        Parameters
        ----------
        translations : mapping, optional
            By their words, translations as they are written, and where the words stand in them.
        """
        text = self.reading.text
        if text is None:
            return self
        written = replace(text.written, translations=translations) if translations else text.written
        return replace(
            self, reading=replace(self.reading, text=text._replace(system=system, written=written))
        )

    # completions of what somebody types

    def completer(self) -> Completer[Hypergraph]:
        """Return what completes translations that somebody types; each keystroke uses the one before."""
        if self._completer is None:
            self._completer = Completer(self, self.whole)
        return self._completer

    def complete(self, typed: str) -> str:
        """Return the best translation that begins with what has been typed.

        Parameters
        ----------
        typed : str
            The beginning of a translation, as it is written; its last word may be incomplete, unless blanks
            follow it. If no derivation begins so, the best of those with the fewest edits goes on from there;
            see `Completer`.

        Returns
        -------
        str
            What has been typed, unchanged, and the rest.
        """
        return self.completer().after(typed, only_best=True).forest.written()

    def completions(self, typed: str, k: Count) -> list[str]:
        """Return the k best translations that begin with what has been typed, best first; see `complete`."""
        return self.completer().after(typed).texts(k)

    # the forest as a whole

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
        chosen = create_consensus(method) if isinstance(method, str) else method
        native = chosen.search(self.native) if len(self.native.node_category) else self.native
        return replace(self, native=native, evidence=self.evidence or self.native)

    def word_confidence(self, derivation: Derivation | None = None) -> list[float]:
        """Return for each word of a derivation, the best if none is given, how probable an editor keeps it.

        The posteriors of the word in the forest say so, anywhere and beside its neighbours; see
        `hopefear.decoder.confidence`. The borders of the sentence count as neighbours that are certain, so
        that the first and the last word get too much: first words of the bible 0.755 on average, where an
        editor keeps 0.483.

        Returns
        -------
        list of float
            From 0 to 1, one for each word of `text`.
        """
        if not len(self.native.node_category):
            return []
        derivation = self.best() if derivation is None else derivation
        evidence = Evidence(self.evidence or self.native)
        odds = evidence.log_odds(self.native, derivation, self.confidence.scale)
        return self.reading.confidences(self.native, derivation, self.confidence.of(odds).tolist())

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

    def _changed(self, *, narrowed: bool = False) -> None:
        self._completer = None
        if narrowed:
            self.whole = None
