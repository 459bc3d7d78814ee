"""MERT on forests: line search over all derivations (Macherey et al. 2008; Kumar et al. 2009)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.decoder import (
    Hypergraph,
    KBestList,
    Segment,
    Translation,
    Translator,
    derivation_list,
    forest_envelope,
)
from hopefear.parallel import in_threads

from ..contract import Can, TuningError
from ..pool import Candidates, Pool
from .mert import Mert


@dataclass(kw_only=True, eq=False, repr=False)
class ForestMert(Mert):
    """MERT whose line search sees every derivation of the forests, not of k-best lists only.

    Along each direction the derivations that are best somewhere are read off the forests (Kumar, Macherey,
    Dyer & Och 2009) and become candidates of the pool. The search is then exact over these forests together
    with the candidates of earlier passes. Every direction takes an upper envelope of every forest, so that
    restarts cost much more than on k-best lists. `fit_candidates` has no forests and does what `Mert` does.
    Forests are searched in threads of this process; there is no other executor for them.

    Parameters
    ----------
    restarts : int
        Starting points in addition to the weights before the pass.
    threads : int
        Sentences that are translated, and forests that are searched, at the same time.
    start, directions, window, window_kind, features
        See `Mert`; for the others see `BatchTuner`.
    """

    restarts: int = 1
    softmax: float = field(default=0.0, init=False)

    _forests: dict[int, Hypergraph] = field(default_factory=dict, init=False)

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.executor is not None:
            raise ValueError(
                "ForestMert searches forests in threads of this process: set threads, not an executor"
            )

    can = Can.LEARN_FROM_LISTS

    def _translator(self, decoder: Translator) -> Callable[[int, Segment], Translation]:
        def translate(number: int, segment: Segment) -> Hypergraph:
            forest = self._forests[number] = decoder.translate(segment).forest
            return forest

        return translate

    def optimize(self, pool: Pool[Any], weights: Floats, rng: np.random.Generator) -> Floats:
        """Climb on the error surface of all derivations."""
        assert isinstance(pool, Candidates)  # which forests can add to
        forests, self._forests = self._forests, {}
        with in_threads(self.threads) as executor:

            def extend(weights: Floats, direction: Floats) -> bool:
                """Add the derivations that are best somewhere along a line."""
                best = partial(_best_along, weights, direction)
                return bool(pool.merge(zip(forests, executor.map(best, forests.values()), strict=True)))

            return self._search(pool, weights, rng, extend)


def _best_along(weights: Floats, direction: Floats, forest: Hypergraph) -> KBestList:
    """Return the translations of a forest's derivations that are best somewhere along a line."""
    try:
        return derivation_list(forest, forest_envelope(forest, weights, direction).derivations)
    except ValueError as error:
        raise TuningError(f"the line search in a forest failed: {error}") from None
