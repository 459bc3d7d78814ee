"""Running list plugins: the search ends with a forest of the best translations, which have their features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopefear import _native
from hopefear.plugins import Segment

from .consensus import best_derivations
from .features import _Level
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


def rescored_list(
    forest: _native.Forest, levels: Sequence[ListLevel], segment: Segment, weights: Weights
) -> _native.Forest:
    """Return a forest of the best translations, as many as a plugin asks for, scored with their features."""
    derivations = list(best_derivations(forest, max(level.plugin.k for level in levels)))
    if not derivations:
        return forest
    texts = [_native.target_text(forest, derivation) for derivation in derivations]
    listed = _native.list_forest(forest, derivations, np.zeros(len(derivations)))
    for level in levels:
        listed = level.added(listed, texts, segment)
    listed.reweight(weights.native)
    return listed
