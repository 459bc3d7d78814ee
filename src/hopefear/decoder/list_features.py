"""Running list plugins: the search ends with a forest of the best translations, which have their features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.texts import split_words
from hopefear.plugins import Segment

from .consensus import best_derivations
from .features import _Level
from .left_to_right import LeftToRight
from .weights import Weights


class ListLevel(_Level):
    """A plugin that is called once for the best translations of a sentence."""

    def added(self, forest: _native.Forest, texts: Sequence[str], segment: Segment) -> _native.Forest:
        """Return a forest of listed derivations with the plugin's features on their edges into the goal."""
        listed = [forest]

        def add(numbers: Any, indptr: Any, columns: Any, values: Any, row: Any) -> None:
            rows = np.full(len(forest.edge_head), -1, np.int32)
            rows[-len(texts) :] = np.arange(len(texts), dtype=np.int32) if row is None else row
            listed[0] = _native.with_edge_layer(forest, numbers, indptr, columns, values, rows)

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
    forest: _native.Forest, levels: Sequence[ListLevel], segment: Segment, weights: Weights
) -> _native.Forest | None:
    """Return a forest of the best translations, as many as a plugin asks for, scored with their features.

    None where no translation has a score.
    """
    derivations = list(best_derivations(forest, max(level.plugin.k for level in levels)))
    if not derivations:
        return None
    if any(level.plugin.beam for level in levels):
        forest.reweight(weights.native)  # the search may have had others

    def listed() -> _native.Forest:
        found = _native.list_forest(forest, derivations, np.zeros(len(derivations)))
        for level in levels:
            found = level.added(found, texts, segment)
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


def _best_of(forest: _native.Forest, text: str) -> NDArray[np.int32]:
    """Return the best derivation of a translation."""
    words = [((i, i + 1), word) for i, word in enumerate(split_words(text))]
    alone = _native.intersect(forest, len(words), words, second_goal=False)
    derivation: NDArray[np.int32] = alone.edge_source[_native.viterbi(alone)]
    return derivation
