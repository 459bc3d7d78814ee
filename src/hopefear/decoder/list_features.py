"""Running list plugins: the search ends with a forest of the best translations, which have their features."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.edits import fewest_edits
from hopefear.base.texts import split_words
from hopefear.metrics.edits import edit_distances
from hopefear.plugins import Segment
from hopefear.text.tokens import kind_of

from .consensus import best_derivations
from .features import _Level
from .left_to_right import LeftToRight
from .reading import links_of_rules
from .weights import Weights

_LONGEST = 255
"""Words of a rule."""

Derivation = NDArray[np.int32]


class WordFeatures(NamedTuple):
    """The features that only words decide: their numbers, and what fires them on a list of translations."""

    numbers: Collection[int]
    fired: Callable[[_native.Forest], _native.Forest]


class ListLevel(_Level):
    """A plugin that is called once for the best translations of a sentence."""

    def translations(self, segment: Segment) -> list[tuple[str, ...]]:
        """Return the words of the plugin's own translations."""

        def found() -> list[tuple[str, ...]]:
            return [split_words(text) for text in self.plugin.translations(segment)]

        translations: list[tuple[str, ...]] = self.ask(segment, found)
        return [words for words in translations if 0 < len(words) <= _LONGEST]

    @property
    def edits(self) -> int:
        """The number of the feature of these translations; -1 if it is dropped."""
        return int(self._family.numbers((self.plugin.edits,))[0])

    def added(self, forest: _native.Forest, texts: Sequence[str], segment: Segment) -> _native.Forest:
        """Return a forest of listed derivations with the plugin's features on their edges into the goal."""
        listed = [forest]

        def add(numbers: Any, indptr: Any, columns: Any, values: Any, row: Any) -> None:
            row = np.arange(len(texts), dtype=np.int32) if row is None else row
            listed[0] = _with_last(forest, numbers, indptr, columns, values, row)

        table = self.ask(segment, self.plugin.fire, texts, segment)
        self.take(table, len(texts), segment, add)
        return listed[0]

    def better(
        self, forest: _native.Forest, listed: _native.Forest, segment: Segment, weights: Weights
    ) -> list[str]:
        """Search left to right for translations that score better than those of a list."""
        if not self.plugin.beam:
            return []
        weight = weights[f"{getattr(self.plugin, 'prefix', '')}{self.plugin.fires[0]}"]
        if weight <= 0:
            return []
        best = _native.viterbi(listed)
        least, near = _native.score(listed, best), _native.target_text(listed, best)
        model = self.ask(segment, self.plugin.next_subword, segment)

        def found() -> list[str]:
            search = LeftToRight(forest, model, weight, beam=self.plugin.beam, least=least, near=near)
            return [each.text for each in search.found()]

        texts: list[str] = self.ask(segment, found)
        return texts


def rescored_list(
    forest: _native.Forest,
    levels: Sequence[ListLevel],
    segment: Segment,
    weights: Weights,
    word_features: WordFeatures,
) -> _native.Forest | None:
    """Return a forest of the best translations, as many as a plugin asks for, scored with their features.

    Behind them are the plugins' own translations. None where no translation has a score.
    """
    derivations = list(best_derivations(forest, max(level.plugin.k for level in levels)))
    if not derivations:
        return None
    if any(level.plugin.beam for level in levels):
        forest.reweight(weights.native)  # the search may have had others

    def listed() -> _native.Forest:
        others = _others(texts, segment, levels)
        found = _with_others(forest, derivations, others, segment, word_features)
        for level in levels:
            found = level.added(found, [*texts, *others], segment)
        found.reweight(weights.native)
        return found

    texts = [_native.target_text(forest, derivation) for derivation in derivations]
    rescored = listed()
    better = [text for level in levels for text in level.better(forest, rescored, segment, weights)]
    if more := [text for text in dict.fromkeys(better) if text not in texts]:
        derivations += [_best_of(forest, text) for text in more]
        texts += more
        rescored = listed()
    return rescored


class _Other(NamedTuple):
    """A translation beside a list, and the number of that in the list that it is most like."""

    words: tuple[str, ...]
    nearest: int
    edits: int
    feature: int


class _Near:
    """A derivation in a list that other translations are like."""

    def __init__(self, forest: _native.Forest, derivation: Derivation, of_words: Collection[int]) -> None:
        fired = _fired(forest, derivation)
        self._features = {feature: value for feature, value in fired.items() if feature not in of_words}
        self._words = split_words(_native.target_text(forest, derivation))
        self._links = links_of_rules(forest, derivation)

    def features(self, other: _Other) -> dict[int, float]:
        """Return the features of this derivation, without those of its words, and the edits."""
        return self._features if other.feature < 0 else {**self._features, other.feature: float(other.edits)}

    def links(self, other: _Other) -> list[tuple[int, int]]:
        """Return the links of the words that are in both."""
        place = dict(fewest_edits(self._words, other.words)[1])
        return [(f, place[e]) for f, e in self._links if e in place]


def _others(texts: Sequence[str], segment: Segment, levels: Sequence[ListLevel]) -> dict[str, _Other]:
    """Find the plugins' own translations that a list does not have, none for a sentence with marks."""
    found: dict[str, _Other] = {}
    if segment.tokens is None or segment.marks:
        return found
    numbers = dict[str, int]()
    symbols = [_numbered(split_words(text), numbers) for text in texts]
    known, pieces = set(texts), _pieces(segment.tokens)
    for level in levels:
        for words in level.translations(segment):
            text = " ".join(words)
            if text in known or text in found or _pieces(words) != pieces:
                continue
            edits = edit_distances(symbols, _numbered(words, numbers))
            nearest = int(edits.argmin())
            found[text] = _Other(words, nearest, int(edits[nearest]), level.edits)
    return found


def _with_others(
    forest: _native.Forest,
    derivations: Sequence[Derivation],
    others: Mapping[str, _Other],
    segment: Segment,
    word_features: WordFeatures,
) -> _native.Forest:
    """Return a forest of the list and of other translations, with their features."""
    if not others:
        return _native.list_forest(forest, derivations, np.zeros(len(derivations)))
    source = list(segment.expect_tokens())
    words = [list(other.words) for other in others.values()]
    near = {
        each: _Near(forest, derivations[each], word_features.numbers)
        for each in {other.nearest for other in others.values()}
    }
    links = [near[other.nearest].links(other) for other in others.values()]

    def listed(derivations: Sequence[Derivation]) -> _native.Forest:
        scores = np.zeros(len(derivations) + len(words))
        return _native.list_forest(forest, derivations, scores, source, words, links)

    read = word_features.fired(listed(derivations[:1]))
    alone = {_native.target_text(read, each): each for each in best_derivations(read, len(others) + 1)}
    fired = [
        {**near[other.nearest].features(other), **_fired(read, alone[text])} for text, other in others.items()
    ]
    columns = np.array([feature for row in fired for feature in row], np.int32)
    values = np.array([value for row in fired for value in row.values()], np.float64)
    indptr = np.cumsum([0, *map(len, fired)], dtype=np.int32)
    numbers, column = np.unique(columns, return_inverse=True)
    row = np.arange(len(others), dtype=np.int32)
    return _with_last(listed(derivations), numbers, indptr, column.astype(np.int32), values, row)


def _with_last(
    forest: _native.Forest, numbers: Any, indptr: Any, columns: Any, values: Any, row: Any
) -> _native.Forest:
    """Return a forest whose last edges, those into the goal, have more features, each those of its row."""
    rows = np.full(len(forest.edge_head), -1, np.int32)
    rows[-len(row) :] = row
    return _native.with_edge_layer(forest, numbers, indptr, columns, values, rows)


def _pieces(words: Iterable[str]) -> list[str]:
    """Return the kinds of placeholders among words."""
    return sorted(kind for kind in map(kind_of, words) if kind is not None)


def _fired(forest: _native.Forest, derivation: Derivation) -> dict[int, float]:
    """Return the values of a derivation's features by number."""
    features, values = _native.features(forest, derivation)
    return dict(zip(features.tolist(), values.tolist(), strict=True))


def _numbered(words: Sequence[str], numbers: dict[str, int]) -> NDArray[np.int64]:
    """Return words as numbers, which are new for new words."""
    return np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int64)


def _best_of(forest: _native.Forest, text: str) -> Derivation:
    """Return the best derivation of a translation."""
    words = [((i, i + 1), word) for i, word in enumerate(split_words(text))]
    alone = _native.intersect(forest, len(words), words, second_goal=False)
    derivation: Derivation = alone.edge_source[_native.viterbi(alone)]
    return derivation
