"""The gradient of soft ramp 3 of sentences (Flanigan et al. 2013, sections 4 to 6)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats
from hopefear.decoder import Hypergraph, KBestList, KBestSums, Segment, Translator, attempt
from hopefear.metrics import Metric, PreparedReferences, Statistics

from ..contract import TuningError, check_references, measuring, no_finite_score
from ..oracles import soft_ramp
from ..solvers import row_sums, summed
from .dense_features import DenseFeatures
from .gradient_sum import ListGradient, PartialSum


def list_gradient(
    translations: KBestList,
    weights: Floats,
    cost: Floats,
    sparse: NDArray[np.bool_],
) -> ListGradient:
    """Return soft ramp 3 of a k-best list, and its gradient by the weights of sparse features."""
    row = np.repeat(np.arange(len(translations)), np.diff(translations.indptr))
    scores = row_sums(row, translations.values * weights[translations.features], len(translations))
    loss, hope, fear = soft_ramp(scores, cost)
    fires = np.flatnonzero(sparse & (translations.values != 0))
    slope = (fear - hope)[row[fires]] * translations.values[fires]
    return ListGradient(*summed([translations.features[fires]], [slope]), loss)


def sums_gradient(
    translations: KBestSums,
    weights: Floats,
    cost: Floats,
    is_sparse: Callable[[NDArray[np.int32]], NDArray[np.bool_]],
) -> ListGradient:
    """Return the same of translations of a forest; a list of their features is not needed."""
    loss, hope, fear = soft_ramp(translations.scores(weights), cost)
    features, slopes = translations.sums(fear - hope, is_sparse)
    return ListGradient(features.astype(np.int64), slopes, loss)


@dataclass(frozen=True, slots=True)
class SentenceLoss:
    """Soft ramp 3 of a sentence over its k-best list, where only sparse features have weights to learn."""

    k: int
    cost_scale: float
    metric: Metric
    dense: DenseFeatures

    def __call__(self, decoder: Translator, segment: Segment) -> ListGradient | None:
        """Return the loss of a segment that a decoder translates, None where no derivation covers it."""
        check_references([segment])
        with attempt(decoder, segment) as work:
            translations = self._best(decoder, segment)
        if work.failure is not None:
            return None
        if not len(translations):
            raise no_finite_score(segment)
        found = self._gradient(decoder, translations, segment)
        if not math.isfinite(found.loss) or not np.all(np.isfinite(found.gradient)):
            raise TuningError(
                f"the loss of sentence {segment.number} is not finite: a weight or a feature value is "
                "infinite or too large; scale it down"
            )
        return found

    def _best(self, decoder: Translator, segment: Segment) -> KBestSums | KBestList:
        """Return the k best translations: a list where there is no forest."""
        found = decoder.translate(segment)
        if isinstance(found, Hypergraph):
            return KBestSums(found.native, self.k)
        return found.best_translations(self.k)

    def _gradient(
        self, decoder: Translator, translations: KBestSums | KBestList, segment: Segment
    ) -> ListGradient:
        weights = decoder.weights.array
        if isinstance(translations, KBestList):
            cost = self._cost(segment, lambda references: references.batch(translations.texts))
            sparse = ~self.dense.mask(decoder, translations.features)
            return list_gradient(translations, weights, cost, sparse)
        words = translations.words()
        cost = self._cost(segment, lambda references: references.batch_of_numbers(*words))
        return sums_gradient(translations, weights, cost, lambda each: ~self.dense.mask(decoder, each))

    def _cost(self, segment: Segment, statistics: Callable[[PreparedReferences], Statistics]) -> Floats:
        with measuring(segment):
            found = statistics(self.metric.prepare(segment.references))
        return self.cost_scale * (1 - self.metric.quality(found) / 100)


@dataclass(frozen=True, slots=True)
class GradientTask:
    """Adds up the gradients of some sentences."""

    loss: SentenceLoss
    decoders: Sequence[Translator]

    def __call__(self, numbered: Sequence[tuple[int, Segment | None]]) -> PartialSum:
        """Return the sum over segments, each with the number of its fold; None for one skipped."""
        since = time.thread_time()
        found = [
            None if segment is None else self.loss(self.decoders[fold], segment) for fold, segment in numbered
        ]
        return PartialSum.of(self.decoders[0].weights, found, since)
