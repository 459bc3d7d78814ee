"""The gradient of soft ramp 3 over training data of any size (Flanigan et al. 2013, sections 4 to 6)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import CdecProcess, Decoder, InputError, KBestList, Segment
from hopefear.metrics import Metric

from .base import TuningError, check_references
from .dense_features import DenseFeatures
from .gathering import k_best
from .gradient import summed
from .ramp_loss import soft_ramp


@dataclass(frozen=True, slots=True)
class ListGradient:
    """What a k-best list says of the sparse features.

    Attributes
    ----------
    features : array of int64, shape (m,)
        The sparse features that are not 0 in some candidate, ascending.
    gradient : array of float64, shape (m,)
        The derivative of the loss by the weight of each.
    loss : float
    """

    features: NDArray[np.int64]
    gradient: NDArray[np.float64]
    loss: float


def list_gradient(
    translations: KBestList,
    weights: NDArray[np.float64],
    cost: NDArray[np.float64],
    sparse: NDArray[np.bool_],
) -> ListGradient:
    """Give soft ramp 3 of a k-best list, and its gradient by the weights of sparse features.

    Parameters
    ----------
    translations : KBestList
        k of them, at least one, with n feature values.
    weights : array of float64
        By feature number.
    cost : array of float64, shape (k,)
    sparse : array of bool, shape (n,)
        Which of the values are of sparse features.
    """
    loss, hope, fear = soft_ramp(translations.scores(weights), cost)
    fires = np.flatnonzero(sparse & (translations.values != 0))
    slope = np.repeat(fear - hope, np.diff(translations.indptr))[fires] * translations.values[fires]
    return ListGradient(*summed([translations.features[fires]], [slope]), loss)


@dataclass(frozen=True, slots=True)
class SentenceLoss:
    """Soft ramp 3 of a sentence over its k-best list, where only sparse features have weights to learn.

    Parameters
    ----------
    k : int
    cost_scale : float
    metric : Metric
        Of sentences; the cost is `cost_scale` times 1 less its score.
    dense : DenseFeatures
    """

    k: int
    cost_scale: float
    metric: Metric
    dense: DenseFeatures

    def __call__(self, given: tuple[Decoder | CdecProcess, Segment]) -> ListGradient | None:
        """Give the loss of a segment that a decoder translates, None where no derivation covers it.

        Raises
        ------
        InputError
            The segment has no reference.
        TuningError
            The loss is not finite.
        """
        decoder, segment = given
        check_references([segment])
        translations = k_best(lambda number, segment: decoder.translate(segment), self.k, (0, segment))
        if translations is None:
            return None
        statistics = self.metric.prepare(segment.references).batch(translations.texts)
        cost = self.cost_scale * (1 - self.metric.quality(statistics) / 100)
        sparse = ~self.dense.mask(decoder, translations.features)
        found = list_gradient(translations, decoder.weights.array, cost, sparse)
        if not math.isfinite(found.loss) or not np.all(np.isfinite(found.gradient)):
            raise TuningError(
                f"the loss of segment {segment.id} is not finite: a weight or a feature value is infinite or "
                "too large; scale it down"
            )
        return found


class GradientSum:
    """The gradients of any number of k-best lists added up, and in how many each feature is not 0.

    Attributes
    ----------
    gradient, lists : arrays of float64 and int64
        By feature number; features beyond the end have 0.
    loss : float
    sentences : int
        Those that were looked at.
    skipped : int
        Those of them that no derivation covers.
    seconds : float
        Of processor time.
    """

    def __init__(self) -> None:
        self.gradient = np.zeros(0)
        self.lists = np.zeros(0, np.int64)
        self.loss, self.seconds = 0.0, 0.0
        self.sentences, self.skipped = 0, 0

    def add(self, found: ListGradient | None) -> None:
        """Add a sentence, None where no derivation covers it."""
        self.sentences += 1
        if found is None:
            self.skipped += 1
            return
        self.loss += found.loss
        if not len(found.features):
            return
        size = int(found.features[-1]) + 1
        if size > len(self.lists):
            more = max(size, 2 * len(self.lists)) - len(self.lists)
            self.gradient, self.lists = np.pad(self.gradient, (0, more)), np.pad(self.lists, (0, more))
        self.gradient[found.features] += found.gradient
        self.lists[found.features] += 1

    def take_in(self, lists: Iterable[ListGradient | None]) -> Iterator[int]:
        """Add sentences; gives the number of sentences so far after each.

        Raises
        ------
        InputError
            No derivation covers any sentence, or no sparse feature fires.
        """
        clock = time.process_time()
        for found in lists:
            self.add(found)
            now = time.process_time()
            self.seconds, clock = self.seconds + now - clock, now
            yield self.sentences
        if self.skipped == self.sentences:
            raise InputError("no derivation covers any segment: is the grammar that of the source language?")
        if not self.lists.any():
            raise InputError(
                "expected sparse features, but all that fire are dense: add feature functions such as "
                "RuleIndicators, name the dense features, or take a tuner for few features, such as Mert"
            )

    def direction(self, *, conditioning: bool, min_count: int = 1) -> NDArray[np.float64]:
        """Give the way downhill, by feature number.

        Parameters
        ----------
        conditioning : bool
            Divide by the number of lists in which the feature is not 0 (section 5.2).
        min_count : int
            0 for features that are not 0 in fewer lists.

        Raises
        ------
        InputError
            All features are such.
        """
        fires = np.flatnonzero(self.lists >= max(min_count, 1))
        if not len(fires):
            raise InputError(
                f"expected a sparse feature that is not 0 in {min_count} k-best lists, got none: "
                "lower min_count"
            )
        direction = np.zeros(int(fires[-1]) + 1)
        direction[fires] = -self.gradient[fires] / (self.lists[fires] if conditioning else 1)
        return direction

    def get_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Give facts and arrays that `set_state` restores."""
        size = int(np.flatnonzero(self.lists).max(initial=-1)) + 1
        facts = {name: getattr(self, name) for name in ("loss", "seconds", "sentences", "skipped")}
        return facts, {"gradient": self.gradient[:size], "lists": self.lists[:size]}

    def set_state(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to a state."""
        self.gradient, self.lists = arrays["gradient"].copy(), arrays["lists"].copy()
        self.loss, self.seconds = float(facts["loss"]), float(facts["seconds"])
        self.sentences, self.skipped = int(facts["sentences"]), int(facts["skipped"])
        if len(self.gradient) != len(self.lists) or not math.isfinite(self.loss):
            raise ValueError("a gradient and counts of one length")
