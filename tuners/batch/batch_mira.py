"""Batch k-best MIRA (Cherry & Foster 2012).

Their hypergraph MIRA, with hope and fear from the whole forest, is what `hopefear.tuners.Mira` does online.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy  # imports sparse when it is first used

from hopefear.base.arrays import Floats, Ints
from hopefear.metrics import PseudoDocument

from ..contract import ByFamily, FeatureFamilies, Step, setting
from ..pool import Candidates
from ..solvers import WeightAverage
from .batch import BatchTuner


@dataclass(kw_only=True, eq=False, repr=False)
class BatchMira(BatchTuner, ByFamily):
    """MIRA over pooled k-best lists (Cherry & Foster 2012, k-best batch MIRA).

    A pass goes `epochs` times through the sentences of the pool, each time in another order. Of a sentence's
    candidates, hope has the highest B + h·w and fear the highest h·w - B; B is the metric in the context of a
    pseudo-document, as in `Mira`. The update is the smallest change of w that puts a margin of their
    difference in B between hope and fear, or as much of this change as `C` allows (`closed_form`). The result
    of the pass is a mean of its w after some epoch: the mean with the best score on the pool.

    Parameters
    ----------
    C : float
        How far an update goes at most.
    epochs : int
        J: how often a pass goes through the sentences.
    decay : float
        γ of the pseudo-document.
    background : {"hope", "model"}
        Which candidate of each sentence joins the pseudo-document: hope, or the best by the model.
    shuffle : bool
        Whether each epoch has an order of its own.
    families : mapping of str to mapping, optional
        Settings by family, such as ``R:* l2=0.01``; the proximal step follows each update.
    passes, k, metric, seed, tolerance, patience, threads
        See `BatchTuner`.
    """

    REMEDY: ClassVar[str] = "lower C, or scale large feature values down"
    STOPS_WITHOUT_NEW: ClassVar[bool] = False

    C: float = setting(0.01, above=0, finite=True)
    epochs: int = setting(60, least=1)
    decay: float = setting(0.999, least=0, most=1)
    background: str = setting("hope", choices=("hope", "model"))
    shuffle: bool = True

    def optimize(self, pool: Candidates, weights: Floats, rng: np.random.Generator) -> Floats:
        """Go `epochs` times through the sentences."""
        filled = np.flatnonzero(pool.counts)
        blocks = {segment: _block(pool, segment) for segment in filled.tolist()}
        document = PseudoDocument(pool.metric, self.decay)
        average = WeightAverage()
        families = FeatureFamilies.of_tuner(self, pool.weights)
        sign = 1 if pool.metric.higher_is_better else -1
        best, best_score = weights, -math.inf
        for _ in range(self.epochs):
            order = rng.permutation(filled) if self.shuffle else filled
            for segment in order.tolist():
                self._learn(pool, segment, blocks[segment], document, weights, average, families)
            mean = average.mean(weights)
            # Weights that are not finite have no score: the caller refuses them.
            score = sign * pool.corpus_score(mean) if np.all(np.isfinite(mean)) else math.inf
            if score > best_score:
                best, best_score = mean, score
        return best

    def _learn(
        self,
        pool: Candidates,
        segment: int,
        block: scipy.sparse.csr_matrix,
        document: PseudoDocument,
        weights: Floats,
        average: WeightAverage,
        families: FeatureFamilies | None,
    ) -> None:
        """Update weights, average and document by a sentence."""
        begin, end = pool.offsets[segment : segment + 2]
        statistics, length = pool.statistics[begin:end], float(pool.source_lengths[segment])
        model = block @ weights
        B = document.B(statistics, length)
        hope, fear = int(np.argmax(model + B)), int(np.argmax(model - B))
        loss = B[hope] - B[fear]
        if loss > model[hope] - model[fear]:
            features, difference = _difference(pool, begin + hope, begin + fear)
            root = 1.0 if families is None else np.sqrt(families.rates(features))
            change = root * closed_form(root * difference, loss - (model[hope] - model[fear]), self.C)
            if families is not None:
                step = families.update(Step(features, change, float(loss), 1), weights)
                features, change = step.features, step.change
            weights[features] += change
            average.add(features, change)
        else:
            average.updates += 1
        document.update(statistics[hope if self.background == "hope" else int(np.argmax(model))], length)


def closed_form(difference: Floats, violation: float, C: float) -> Floats:
    """Minimise ½‖Δw‖² + C max(0, violation - difference·Δw) over Δw."""
    norm = float(difference @ difference)
    if violation <= 0 or norm == 0:
        return np.zeros_like(difference)
    return min(C, violation / norm) * difference


def _block(pool: Candidates, segment: int) -> scipy.sparse.csr_matrix:
    """Return the rows of a segment, in the pool's memory."""
    begin, end = pool.offsets[segment : segment + 2]
    indptr = pool.indptr[begin : end + 1]
    inside = slice(indptr[0], indptr[-1])
    columns = len(pool.weights)
    arrays = (pool.values[inside], pool.features[inside], indptr - indptr[0])
    return scipy.sparse.csr_matrix(arrays, shape=(end - begin, columns))


def _difference(pool: Candidates, left: int, right: int) -> tuple[Ints, Floats]:
    """Return the features in which two candidates differ, ascending, and by how much."""
    first, second = (slice(pool.indptr[row], pool.indptr[row + 1]) for row in (left, right))
    numbers = np.concatenate((pool.features[first], pool.features[second]))
    features, place = np.unique(numbers, return_inverse=True)
    difference = np.zeros(len(features))
    np.add.at(difference, place, np.concatenate((pool.values[first], -pool.values[second])))
    moved = np.flatnonzero(difference)
    return features[moved].astype(np.int64), difference[moved]
