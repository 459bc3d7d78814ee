"""The problem of MIRA with a learning rate for each feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hopefear.base.arrays import Floats, Ints

from .margin import Constraints, Solution, solve

Rates = Callable[[Ints], Floats]
"""Returns the learning rates of features, at least 0."""


@dataclass(frozen=True, slots=True)
class Rescaled:
    """A batch in units in which all rates are 1: values times √r, weights divided by it.

    Its solution minimises ½ Σ_f (w'_f - w_f)² / r_f + C Σ_i max_j (l_ij - Δh_ij·w'). Features of rate 0 do
    not move: what they score is part of the losses. Their places among those of the batch number features.
    """

    features: Ints
    root: Floats
    batch: list[Constraints]
    weights: Floats

    @classmethod
    def of(cls, batch: Sequence[Constraints], weights: Floats, rates: Rates) -> Rescaled:
        """Rescale a batch."""
        features, columns = columns_of(batch)
        root = np.sqrt(rates(features))
        moves = root > 0
        scaled = [
            replace(each, features=own.astype(np.int32), values=each.values * root[own])
            for each, own in zip(batch, columns, strict=True)
        ]
        if not moves.all():
            still = np.where(moves, 0.0, weights[features])
            scaled = [
                replace(after, loss=after.loss - replace(after, values=before.values).margins(still))
                for before, after in zip(batch, scaled, strict=True)
            ]
        return cls(
            features, root, scaled, np.divide(weights[features], root, out=np.zeros(len(root)), where=moves)
        )

    def solve(self, C: float) -> Solution:
        """Return the change of the weights as they were."""
        solution = solve(self.batch, self.weights, C)
        moved = solution.features
        return replace(solution, features=self.features[moved], change=solution.change * self.root[moved])


def columns_of(batch: Sequence[Constraints]) -> tuple[Ints, list[Ints]]:
    """Return the features of a batch, ascending, and the places among them of each sentence's entries."""
    features, columns = np.unique(np.concatenate([each.features for each in batch]), return_inverse=True)
    ends = np.cumsum([len(each.features) for each in batch])
    return features.astype(np.int64), np.split(columns.ravel(), ends[:-1])
