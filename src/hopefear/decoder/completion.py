"""Completion: the translations of a forest that begin with what somebody has typed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Generic, NamedTuple

import numpy as np

from hopefear import _native
from hopefear.base.signatures import Count
from hopefear.base.texts import BLANK, expect_unicode, split_words, word_places
from hopefear.text import Restored

from .forest import AnyForest
from .reading import Derivation, Reading
from .weights import Weights

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


class Completer(Generic[AnyForest]):
    """Completes what somebody types as the translation of one sentence, by its forest.

    Words that have been typed are looked for at the beginning of the derivations' target words. If no
    derivation begins with all of them, those are taken that need the fewest edits of words (inserted, left
    out or replaced; half an edit for a word of which most characters are right), which is the error
    correction of Barrachina et al. (2009). Among these, the score decides; n-gram models score what has been
    typed in place of the words that it replaces, for the best of them.

    What was computed for words stays while they stand; a further word costs its own column of the tables.

    Parameters
    ----------
    forest : Forest
        The forest. It must not change meanwhile.
    whole : Forest, optional
        The forest of which this one is a list; it completes what needs fewer edits there.
    """

    def __init__(self, forest: AnyForest, whole: AnyForest | None = None) -> None:
        self._forest, self._whole = forest, whole
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
    ) -> Completions[AnyForest]:
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
        ValueError
            There is a zero byte or half of a surrogate pair in `typed`.
        """
        if "\0" in typed:
            raise ValueError("expected typed to be a text, got one with a zero byte")
        expect_unicode("typed", [typed])
        may_go_on = not whole_words and typed[-1:] not in BLANK
        text = self._forest.reading.text
        if text is None:
            words = [(typed[begin:end], (begin, end)) for begin, end in word_places(typed)]
        else:
            words = text.read(typed, is_open=may_go_on)
        is_open = may_go_on and bool(words)
        self._search.type([word for word, _ in words], open=is_open)
        while self._search.meet():
            if is_unwanted():
                raise Unwanted

        if self._search.edits() > 0 and self._of_whole is not None:
            found = self._of_whole.after(
                typed, whole_words=whole_words, only_best=only_best, is_unwanted=is_unwanted
            )
            if found.edits < self._search.edits():
                return found
        reading = _Begun(
            text=text,
            whole=self._forest.native,
            weights=self._forest.weights,
            models=self._forest.models,
            search=self._search,
            edits=self._search.edits(),
            typed=typed,
            typed_words=words,
            is_open=is_open,
        )

        def within(beam: float) -> Completions[AnyForest]:
            return Completions.of(self._forest, self._search.within(beam), reading)

        if not (reading.edits > 0 and reading.models):
            return within(0.0 if only_best else self._range)
        while True:
            beam = self._beam
            begun = within(beam)
            native = begun.forest.native
            derivations = list(begun.forest.derivations(_CONSIDERED, unique=True))
            if len(derivations) == _CONSIDERED:
                best, last = (_native.score(native, each) for each in (derivations[0], derivations[-1]))
                self._beam = max(best - last, _LEAST_BEAM * self._range)
                if not self._beam > beam:  # else there may be better ones than the last outside of it
                    break
            elif beam < self._range:
                self._beam = _WIDER * beam
            else:
                break
        if not derivations:
            return begun
        ordered = _native.list_forest(native, derivations, np.array(reading.scores(native, derivations)))
        return Completions.of(self._forest, ordered, reading)

    @cached_property
    def _of_whole(self) -> Completer[AnyForest] | None:
        return None if self._whole is None else Completer(self._whole)


@dataclass(frozen=True, kw_only=True)
class _Begun(Reading):
    """Reads derivations with what has been typed, unchanged, in place of their first words."""

    whole: _native.Forest  # of which some derivations go on from what has been typed
    weights: Weights
    models: Sequence[tuple[str, _native.StatefulScorer]]
    search: _native.PrefixSearch
    edits: float
    typed: str
    typed_words: list[tuple[str, tuple[int, int]]]
    is_open: bool

    def words(self, native: _native.Forest, derivation: Derivation) -> str:
        """Return the words that have been typed and the target words behind them."""
        return " ".join(self._shown(*self.split(native, derivation)))

    def _shown(self, words: list[str], boundary: int) -> list[str]:
        """Return a derivation's words with what has been typed in place of the first ones."""
        typed = [word for word, _ in self.typed_words]
        if self.is_open and boundary and words[boundary - 1].startswith(typed[-1]):
            typed[-1] = words[boundary - 1]
        return [*typed, *words[boundary:]]

    def links(self, native: _native.Forest, derivation: Derivation) -> list[tuple[int, int]]:
        """List the links of source words and of `words`; those that have been typed have none."""
        _, boundary = self.split(native, derivation)
        moved = len(self.typed_words) - boundary
        return [(f, e + moved) for f, e in super().links(native, derivation) if e >= boundary]

    def restored(self, native: _native.Forest, derivation: Derivation) -> Restored:
        """Return what has been typed, unchanged, and the rest of the translation as it would be written."""
        whole, boundary, completed = self.unchanged(native, derivation)
        begin = whole.places[boundary - 1][1] if boundary else 0
        rest = whole.text[begin:]
        if completed:
            rest = completed[len(self._last) :] + rest
        if self.typed[-1:] in BLANK:
            rest = rest.lstrip(BLANK)
        elif boundary == 0 and rest:
            rest = f" {rest}"
        moved = len(self.typed) + len(rest) - len(whole.text)
        places = [place for _, place in self.typed_words]
        if completed:
            places[-1] = places[-1][0], places[-1][0] + len(completed)
        places += [(begin + moved, end + moved) for begin, end in whole.places[boundary:]]
        return Restored(self.typed + rest, whole.complaints, tuple(places))

    def score(self, native: _native.Forest, derivation: Derivation) -> float:
        """Return the score of a derivation, without the costs of edits."""
        return self.scores(native, [derivation])[0]

    def scores(self, native: _native.Forest, derivations: list[Derivation]) -> list[float]:
        """Return the scores of derivations."""
        scores = [_native.score(self.whole, self.in_whole(native, each)) for each in derivations]
        if not self.edits:
            return scores
        split = [self.split(native, each) for each in derivations]
        unchanged = [words for words, _ in split]
        shown = [self._shown(*each) for each in split]
        for feature, model in self.models:
            weight = self.weights[feature]
            if not weight:
                continue
            before, behind = (_native.sentence_scores(model, words) for words in (unchanged, shown))
            scores = [
                score + weight * (after - without)
                for score, without, after in zip(scores, before, behind, strict=True)
            ]
        return scores

    def in_whole(self, native: _native.Forest, derivation: Derivation) -> Derivation:
        """Return a derivation as edges of the whole forest."""
        while native is not self.whole:
            assert native.source is not None
            derivation, native = native.edge_source[derivation], native.source
        return derivation

    def confidences(
        self, native: _native.Forest, derivation: Derivation, confidences: list[float]
    ) -> list[float]:
        """Return the confidence of each word: 1 for those that have been typed."""
        _, boundary = self.split(native, derivation)
        return [1.0] * len(self.typed_words) + confidences[boundary:]

    @property
    def _last(self) -> str:
        """The last word that has been typed, as it is written."""
        begin, end = self.typed_words[-1][1]
        return self.typed[begin:end]

    def split(self, native: _native.Forest, derivation: Derivation) -> tuple[list[str], int]:
        """Return the target words of a derivation, and how many of them have been typed."""
        words = list(split_words(super().words(native, derivation)))
        return words, self.search.boundary(words)

    def unchanged(self, native: _native.Forest, derivation: Derivation) -> tuple[Restored, int, str]:
        """Return a derivation's text, how many of its words have been typed, and the last if it goes on."""
        words, boundary = self.split(native, derivation)
        whole = self.restore(words, [] if self.text is None else super().links(native, derivation))
        if not self.is_open or boundary == 0:
            return whole, boundary, ""
        begin, end = whole.places[boundary - 1]
        word = whole.text[begin:end]
        return whole, boundary, word if word.casefold().startswith(self._last.casefold()) else ""


@dataclass(frozen=True)
class Completions(Generic[AnyForest]):
    """The translations that go on from what has been typed, with the fewest edits.

    They hold until something else is typed.

    Attributes
    ----------
    forest : Forest
        Their derivations, which are edges of the whole forest. They read as what has been typed, unchanged,
        and what follows; what derivations have in its place is not shown.
    """

    forest: AnyForest
    _reading: _Begun

    @classmethod
    def of(cls, whole: AnyForest, narrowed: _native.Forest, reading: _Begun) -> Completions[AnyForest]:
        """Return the completions that are left of a whole forest."""
        evidence = whole.evidence or whole.native
        return cls(replace(whole, native=narrowed, reading=reading, evidence=evidence), reading)

    @property
    def edits(self) -> float:
        """How many edits of words what has been typed needs."""
        return self._reading.edits

    def texts(self, k: Count) -> list[str]:
        """List the k best translations as they would be written, each text once."""
        native = self.forest.native
        derivations = self.forest.derivations(_AHEAD * k, unique=True)
        written = (self._reading.restored(native, each).text for each in derivations)
        return list(islice(dict.fromkeys(written), k))

    def next_words(self, n: Count) -> list[NextWord]:
        """List the n most probable words that follow, or that the last word may become.

        The end of the translation is no word. The probabilities are those of the best completions, and need
        not add up to 1.
        """
        sums: dict[str, float] = {}
        best = self.forest.score(self.forest.best())
        for derivation in self.forest.derivations(_AHEAD * n, unique=True):
            whole, boundary, word = self._reading.unchanged(self.forest.native, derivation)
            if not word and boundary < len(whole.places):
                begin, end = whole.places[boundary]
                word = whole.text[begin:end]
            sums[word] = sums.get(word, 0.0) + math.exp(self.forest.score(derivation) - best)
        total = sum(sums.values())
        ranked = sorted(sums, key=lambda word: -sums[word])
        return [NextWord(word, sums[word] / total) for word in ranked if word][:n]
