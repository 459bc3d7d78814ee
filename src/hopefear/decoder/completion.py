"""Completion: the translations of a forest that begin with what somebody has typed."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import numpy as np

from hopefear import _native
from hopefear.base.texts import BLANK, split_words, word_places
from hopefear.text import Restored

from .consensus import Consensus
from .hypergraph import Derivation, Hypergraph

_AHEAD = 20  # translations to look at for each word that may follow
_CONSIDERED = 50  # translations whose order the words that have been typed may change
_LEAST_BEAM = 0.005  # a share of the range of scores, in which so many are looked for at least
_WIDER = 4


class Unwanted(Exception):
    """Nobody wants the completion any more that was being computed."""


class NextWord(NamedTuple):
    """A word that may follow what has been typed.

    Attributes
    ----------
    word : str
        The whole word, as it is written.
    probability : float
        Its share of the probability of the best completions.
    """

    word: str
    probability: float


class Typing:
    """Completes what somebody types as the translation of one sentence, by its forest.

    Words that have been typed are looked for at the beginning of the derivations' target words. If no
    derivation begins with all of them, those are taken that need the fewest edits of words (inserted, left
    out or replaced; half an edit for a word of which most characters are right), which is the error
    correction of Barrachina et al. (2009). Among these, the score decides; n-gram models score what has been
    typed in place of the words that it replaces, for the best of them.

    What was computed for words stays while they stand; a further word costs its own column of the tables.

    Parameters
    ----------
    forest : Hypergraph
        The forest. It must not change meanwhile.
    """

    def __init__(self, forest: Hypergraph) -> None:
        self._forest = forest
        self._search = _native.PrefixSearch(forest.native)
        self._range = self._search.score_range()
        self._beam = _LEAST_BEAM * self._range  # in which enough derivations were found

    def after(
        self,
        typed: str,
        *,
        whole_words: bool = False,
        only_best: bool = False,
        is_unwanted: Callable[[], bool] = lambda: False,
    ) -> Begun:
        """Return the derivations that go on from what has been typed.

        Parameters
        ----------
        typed : str
            The beginning of a translation, as it is written.
        whole_words : bool
            The last word is complete. By default it is if blanks follow it.
        only_best : bool
            Return only the best derivations, which takes less time.
        is_unwanted : callable
            Asked every few milliseconds. What was computed until it returns True stays for the next call.

        Raises
        ------
        Unwanted
            `is_unwanted` has returned True.
        """
        may_go_on = not whole_words and typed[-1:] not in BLANK
        text = self._forest.text_of_sentence
        if text is None:
            words = [(typed[begin:end], (begin, end)) for begin, end in word_places(typed)]
        else:
            words = text.read(typed, is_open=may_go_on)
        is_open = may_go_on and bool(words)
        self._search.type([word for word, _ in words], open=is_open)
        while self._search.meet():
            if is_unwanted():
                raise Unwanted

        def within(beam: float) -> Begun:
            return Begun(self._forest, self._search.within(beam), self._search, typed, words, is_open)

        if not (self._search.edits() > 0 and self._forest.models):
            return within(0.0 if only_best else self._range)
        while True:
            beam = self._beam
            begun = within(beam)
            found = list(begun.derivations(_CONSIDERED, unique=True))
            if len(found) == _CONSIDERED:
                best, last = (_native.score(begun.native, each) for each in (found[0], found[-1]))
                self._beam = max(best - last, _LEAST_BEAM * self._range)
                if not self._beam > beam:  # else there may be better ones than the last outside of it
                    break
            elif beam < self._range:
                self._beam = _WIDER * beam
            else:
                break
        return begun.by_score(found)


class Begun(Hypergraph):
    """The derivations of a forest that go on from what has been typed, with the fewest edits.

    Its translations begin with what has been typed, unchanged; what derivations have in its place is not
    shown. Its edges are those of the forest. It holds until something else is typed.

    Attributes
    ----------
    typed : str
        What has been typed.
    edits : float
        How many edits of words what has been typed needs.
    """

    def __init__(
        self,
        forest: Hypergraph,
        narrowed: _native.Forest,
        search: _native.PrefixSearch,
        typed: str,
        words: list[tuple[str, tuple[int, int]]],
        is_open: bool,
    ) -> None:
        super().__init__(
            narrowed,
            forest.weights,
            forest.text_of_sentence,
            confidence=forest.confidence,
            models=forest.models,
        )
        self.typed = typed
        self.edits = search.edits()
        self._forest = forest
        self._search = search
        self._words = words
        self._is_open = is_open

    def text(self, derivation: Derivation) -> str:
        """Return the words that have been typed and the target words behind them."""
        return " ".join(self._shown(*self._words_of(derivation)))

    def _shown(self, words: list[str], boundary: int) -> list[str]:
        """Return a derivation's words with what has been typed in place of the first ones."""
        own = [word for word, _ in self._words]
        if self._is_open and boundary and words[boundary - 1].startswith(own[-1]):
            own[-1] = words[boundary - 1]
        return [*own, *words[boundary:]]

    def links(self, derivation: Derivation) -> list[tuple[int, int]]:
        """List the links of source words and of the words of `text`; those that have been typed have none."""
        _, boundary = self._words_of(derivation)
        moved = len(self._words) - boundary
        return [(f, e + moved) for f, e in super().links(derivation) if e >= boundary]

    def restored(self, derivation: Derivation | None = None) -> Restored:
        """Return what has been typed, unchanged, and the rest of the translation as it would be written."""
        whole, boundary, completed = self._whole(self.best() if derivation is None else derivation)
        begin = whole.places[boundary - 1][1] if boundary else 0
        rest = whole.text[begin:]
        if completed:
            rest = completed[len(self._last) :] + rest
        if self.typed[-1:] in BLANK:
            rest = rest.lstrip(BLANK)
        elif boundary == 0 and rest:
            rest = f" {rest}"
        moved = len(self.typed) + len(rest) - len(whole.text)
        places = [place for _, place in self._words]
        if completed:
            places[-1] = places[-1][0], places[-1][0] + len(completed)
        places += [(begin + moved, end + moved) for begin, end in whole.places[boundary:]]
        return Restored(self.typed + rest, whole.complaints, tuple(places))

    def score(self, derivation: Derivation) -> float:
        """Return the score of a derivation, without the costs of edits.

        It is that of the forest, but n-gram models see what has been typed.
        """
        return self._scores([derivation])[0]

    def _scores(self, derivations: list[Derivation]) -> list[float]:
        scores = [self._forest.score(self.in_forest(each)) for each in derivations]
        if not self.edits:
            return scores
        split = [self._words_of(each) for each in derivations]
        own = [words for words, _ in split]
        shown = [self._shown(*each) for each in split]
        for feature, model in self.models:
            weight = self.weights[feature]
            if not weight:
                continue
            before, behind = (_native.sentence_scores(model, words) for words in (own, shown))
            scores = [
                score + weight * (after - without)
                for score, without, after in zip(scores, before, behind, strict=True)
            ]
        return scores

    def by_score(self, found: list[Derivation]) -> Begun:
        """Return some of the derivations, ordered by `score`."""
        if not found:
            return self
        native = _native.list_forest(self.native, found, np.array(self._scores(found)))
        return Begun(self._forest, native, self._search, self.typed, self._words, self._is_open)

    def in_forest(self, derivation: Derivation) -> Derivation:
        """Return a derivation as edges of the forest, without what has been typed."""
        native = self.native
        while native is not self._forest.native:
            assert native.source is not None
            derivation, native = native.edge_source[derivation], native.source
        return derivation

    def word_confidence(self, derivation: Derivation | None = None) -> list[float]:
        """Return the confidence of each word: 1 for those that have been typed."""
        derivation = self.best() if derivation is None else derivation
        _, boundary = self._words_of(derivation)
        of_forest = self._forest.word_confidence(self.in_forest(derivation))
        return [1.0] * len(self._words) + of_forest[boundary:]

    def consensus(self, method: str | Consensus = "linear") -> Begun:
        """Return the forest whose best derivation is the consensus of those that go on."""
        native = super().consensus(method).native
        return Begun(self._forest, native, self._search, self.typed, self._words, self._is_open)

    def texts(self, k: int) -> list[str]:
        """List the k best translations as they would be written, each text once."""
        written = map(self.written, self.derivations(_AHEAD * k, unique=True))
        return list(islice(dict.fromkeys(written), k))

    def next_words(self, n: int) -> list[NextWord]:
        """List the n most probable words that follow, or that the last word may become.

        The end of the translation is no word. The probabilities are those of the best completions, and need
        not add up to 1.
        """
        sums: dict[str, float] = {}
        best = self.score(self.best())
        for derivation in self.derivations(_AHEAD * n, unique=True):
            whole, boundary, word = self._whole(derivation)
            if not word and boundary < len(whole.places):
                begin, end = whole.places[boundary]
                word = whole.text[begin:end]
            sums[word] = sums.get(word, 0.0) + math.exp(self.score(derivation) - best)
        total = sum(sums.values())
        ranked = sorted(sums, key=lambda word: -sums[word])
        return [NextWord(word, sums[word] / total) for word in ranked if word][:n]

    @property
    def _last(self) -> str:
        """The last word that has been typed, as it is written."""
        begin, end = self._words[-1][1]
        return self.typed[begin:end]

    def _words_of(self, derivation: Derivation) -> tuple[list[str], int]:
        """Return the target words of a derivation, and how many of them have been typed."""
        words = list(split_words(super().text(derivation)))
        return words, self._search.boundary(words)

    def _whole(self, derivation: Derivation) -> tuple[Restored, int, str]:
        """Return a translation, how many of its words have been typed, and the last one if it goes on."""
        words, boundary = self._words_of(derivation)
        whole = self.restore(words, [] if self.text_of_sentence is None else super().links(derivation))
        if not self._is_open or boundary == 0:
            return whole, boundary, ""
        begin, end = whole.places[boundary - 1]
        word = whole.text[begin:end]
        return whole, boundary, word if word.casefold().startswith(self._last.casefold()) else ""
