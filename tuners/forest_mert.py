"""MERT on forests: line search over all derivations (Macherey et al. 2008; Kumar et al. 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import (
    Decoder,
    Hypergraph,
    KBestList,
    Segment,
    derivation_list,
    forest_envelope,
    map_in_order,
)
from hopefear.metrics import Metric

from .base import TuningError
from .candidates import Candidates
from .error_surface import ErrorSurface
from .line_search import Intervals, WindowKind
from .mert import Mert, Start


class ForestMert(Mert):
    """MERT whose line search sees every derivation of the forests, not of k-best lists only.

    Along each direction the derivations that are best somewhere are read off the forests (Kumar, Macherey,
    Dyer & Och 2009) and become candidates of the pool. The search is then exact over these forests together
    with the candidates of earlier passes. Every direction takes an upper envelope of every forest, so that
    restarts cost much more than on k-best lists. `fit_candidates` knows no forests and does what `Mert` does.

    Parameters
    ----------
    restarts : int
        Starting points beside the weights of before.
    threads : int
        Sentences that are translated, and forests that are searched, at the same time.
    passes, k, metric, start, directions, window, window_kind, features, seed, tolerance, patience
        See `Mert`.
    """

    def __init__(
        self,
        *,
        passes: int = 10,
        k: int = 100,
        metric: Metric | None = None,
        restarts: int = 1,
        start: Start = "walk",
        directions: int = 0,
        window: int = 0,
        window_kind: WindowKind = "average",
        features: Sequence[str] | None = None,
        seed: int = 0,
        tolerance: float = 1e-5,
        patience: int = 2,
        threads: int = 1,
    ) -> None:
        super().__init__(
            passes=passes,
            k=k,
            metric=metric,
            restarts=restarts,
            start=start,
            directions=directions,
            window=window,
            window_kind=window_kind,
            features=features,
            seed=seed,
            tolerance=tolerance,
            patience=patience,
            threads=threads,
        )
        self._forests: dict[int, Hypergraph] = {}

    def _translate(self, decoder: Decoder, number: int, segment: Segment) -> Hypergraph:
        forest = self._forests[number] = super()._translate(decoder, number, segment)
        return forest

    def _optimize(
        self, pool: Candidates, weights: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.float64]:
        forests, self._forests = self._forests, {}
        return self._search(ForestSurface(pool, weights, self.features, forests, self.threads), weights, rng)


class ForestSurface(ErrorSurface):
    """The error surface of a pool that takes in what is best in forests along each line that is cut.

    Parameters
    ----------
    pool, weights, names
        See `ErrorSurface`.
    forests : dict of int to Hypergraph
        By number of the segment.
    threads : int
    """

    def __init__(
        self,
        pool: Candidates,
        weights: NDArray[np.float64],
        names: Sequence[str] | None,
        forests: dict[int, Hypergraph],
        threads: int,
    ) -> None:
        self._forests = forests
        self._threads = threads
        super().__init__(pool, weights, names)

    def cut(self, direction: NDArray[np.float64]) -> Intervals:
        """Cut a line, after the derivations that are best somewhere along it have joined the pool.

        Raises
        ------
        TuningError
            The score of an edge or of a candidate is not finite.
        """
        best = partial(_best_along, self.weights(self.z), self.direction(direction))
        found = map_in_order(best, self._forests.values(), threads=self._threads)
        if self.pool.merge(zip(self._forests, found, strict=True)):
            self.reload()
            self.go_to(self.z)
        return super().cut(direction)


def _best_along(
    weights: NDArray[np.float64], direction: NDArray[np.float64], forest: Hypergraph
) -> KBestList:
    """Give the translations of a forest's derivations that are best somewhere along a line."""
    try:
        return derivation_list(forest, forest_envelope(forest, weights, direction).derivations)
    except ValueError as error:
        raise TuningError(f"a forest cannot be searched along a line: {error}") from None
