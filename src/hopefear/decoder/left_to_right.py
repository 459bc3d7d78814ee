"""Search left to right: a model of subwords chooses the next word among those that the forest allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.texts import split_words
from hopefear.plugins import NextSubword

_MARGIN = 8.0
"""By how much, in log probability, rest costs may be too high."""


class FoundTranslation(NamedTuple):
    """A translation, its score in the forest plus the weighted log probability, and that without weight."""

    text: str
    score: float
    log_probability: float


class _Word(NamedTuple):
    """A word that may follow, the subwords of it that were not said, and the best score with it."""

    number: int
    subwords: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    """The beginning of a translation up to some subword; `total` is no lower than that of any completion."""

    words: tuple[int, ...]
    beginning: int
    subwords: tuple[int, ...]
    log_probability: float
    following: Sequence[_Word]
    total: float
    said: float  # the rest costs of the words, which are no longer expected
    whole: float = -math.inf  # the forest's score if the translation ends here


class LeftToRight:
    """A beam search left to right with look-ahead (Stahlberg et al. 2016).

    The score of a beginning is its weighted log probability plus the score of the best derivation that goes
    on from it, which is exact. With a weight of at least 0, no translation that goes on from it has a better
    one.

    Rest costs make up for the words that were not said: what a word is expected to have is its highest
    probability behind any beginning of a translation that is known to be good.

    Parameters
    ----------
    forest : _native.Forest
        The forest.
    model : NextSubword
        The model.
    weight : float
        The weight of the log probability, at least 0.
    beam : int
        How many beginnings of a length are kept.
    least : float
        What translations must score better than.
    near : str, optional
        The good translation; None for no rest costs.

    Attributes
    ----------
    dropped : float
        Without rest costs, the best score of a beginning that the beam had no place for. No translation that
        was not found has a score above this and above the best one found.
    """

    def __init__(
        self,
        forest: _native.Forest,
        model: NextSubword,
        weight: float,
        *,
        beam: int,
        least: float = -math.inf,
        near: str | None = None,
    ) -> None:
        if not weight >= 0:
            raise ValueError(f"expected a weight of at least 0, got {weight}")
        self._model, self._weight, self._beam, self._least = model, weight, beam, least
        self._margin = 0.0
        expected: dict[str, float] = {}
        if near is not None:
            self._margin = _MARGIN * weight
            forest, expected = _with_rest_costs(forest, model, weight, near)
        self._forest = _native.Continuations(forest, least=least - self._margin)
        self._texts = self._forest.words
        self._cut = model.cut(self._texts)
        self._expected = [expected.get(text, 0.0) for text in self._texts]
        self.dropped = -math.inf

    def found(self) -> list[FoundTranslation]:
        """Return translations, each better than those that were found before, the best first."""
        found: list[FoundTranslation] = []
        kept = list(self._between_words((), 0, (), 0.0, 0.0))
        while kept:
            rows = self._model.log_probabilities([each.subwords for each in kept])
            longer: list[_Hypothesis] = []
            for each, row in zip(kept, rows, strict=True):
                found += self._ended(each, float(row[self._model.end]))
                longer += self._longer(each, row)
            longer = sorted(
                (each for each in longer if each.total > self._least), key=lambda each: -each.total
            )
            if len(longer) > self._beam:
                self.dropped = max(self.dropped, longer[self._beam].total)
            kept = [one for each in longer[: self._beam] for one in self._whole_words(each)]
        return found[::-1]

    def _ended(self, begun: _Hypothesis, of_end: float) -> Iterator[FoundTranslation]:
        log_probability = begun.log_probability + of_end
        score = begun.whole + self._weight * log_probability
        if score > self._least:
            self._least = score
            yield FoundTranslation(
                " ".join(self._texts[each] for each in begun.words), score, log_probability
            )

    def _longer(self, begun: _Hypothesis, row: NDArray[np.float64]) -> Iterator[_Hypothesis]:
        """Add each subword that may follow."""
        behind: dict[int, list[_Word]] = {}
        for word in begun.following:
            rest = word._replace(subwords=word.subwords[1:])
            behind.setdefault(word.subwords[0], []).append(rest)
        for subword, following in behind.items():
            log_probability = begun.log_probability + float(row[subword])
            yield replace(
                begun,
                subwords=(*begun.subwords, subword),
                log_probability=log_probability,
                following=following,
                total=self._total(log_probability, following),
                whole=-math.inf,
            )

    def _whole_words(self, begun: _Hypothesis) -> Iterator[_Hypothesis]:
        """Go on behind each word that is whole, and within the others."""
        within = [word for word in begun.following if word.subwords]
        total = self._total(begun.log_probability, within, begun.whole)
        if total > self._least - self._margin:
            yield replace(begun, following=within, total=total)
        for word in begun.following:
            if not word.subwords:
                yield from self._behind(begun, word)

    def _behind(self, begun: _Hypothesis, word: _Word) -> Iterator[_Hypothesis]:
        said = begun.said + self._expected[word.number]
        least = self._least - self._margin - self._weight * begun.log_probability + said
        beginning = self._forest.extended(begun.beginning, word.number, least=least)
        words = (*begun.words, word.number)
        yield from self._between_words(words, beginning, begun.subwords, begun.log_probability, said)

    def _between_words(
        self,
        words: tuple[int, ...],
        beginning: int,
        subwords: tuple[int, ...],
        log_probability: float,
        said: float,
    ) -> Iterator[_Hypothesis]:
        numbers, scores = self._forest.following(beginning)
        whole = self._forest.whole(beginning) - said
        following = [
            _Word(number, self._cut[number], score - said - self._expected[number])
            for number, score in zip(numbers.tolist(), scores.tolist(), strict=True)
        ]
        total = self._total(log_probability, following, whole)
        yield from self._whole_words(
            _Hypothesis(words, beginning, subwords, log_probability, following, total, said, whole)
        )

    def _total(self, log_probability: float, following: Sequence[_Word], whole: float = -math.inf) -> float:
        return self._weight * log_probability + max([whole, *(word.score for word in following)])


def _with_rest_costs(
    forest: _native.Forest, model: NextSubword, weight: float, near: str
) -> tuple[_native.Forest, dict[str, float]]:
    """Add rest costs to the scores of edges, and return those of words."""
    rules = _native.RuleBatch(forest, np.arange(len(forest.rules), dtype=np.int32), _native.Weights())
    symbols, place = np.unique(rules.target, return_inverse=True)
    words = [rules.symbol(symbol) for symbol in symbols[symbols > 0].tolist()]
    cut = dict(zip(words, model.cut(words), strict=True))
    subwords = [subword for of_word in model.cut(split_words(near)) for subword in of_word]
    begun = [tuple(subwords[:n]) for n in range(len(subwords) + 1)]
    highest = weight * model.log_probabilities(begun).max(axis=0)
    costs = {word: float(highest[of_word[0]]) if of_word else 0.0 for word, of_word in cut.items()}
    of_symbols = np.zeros(len(symbols))
    of_symbols[symbols > 0] = [costs[word] for word in words]
    sums = np.concatenate([[0.0], np.cumsum(of_symbols[place])])
    of_rules = sums[rules.target_indptr[1:]] - sums[rules.target_indptr[:-1]]
    return forest.with_scores(forest.edge_score + of_rules[forest.edge_local_rule]), costs
