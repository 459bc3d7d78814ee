"""How well a decoder translates with given weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Decoder, ParseFailed, Segment
from hopefear.metrics import Metric


def corpus_score(
    decoder: Decoder, segments: Sequence[Segment], weights: NDArray[np.float64], metric: Metric
) -> float:
    """Give the metric's score of the segments' 1-best translations, in per cent.

    Parameters
    ----------
    segments : sequence of Segment
        With references. What no derivation covers is translated by nothing.
    weights : array of float64
        By feature number; the decoder has its own again in the end.
    """
    metric = metric.for_corpus([segment.references for segment in segments])
    current = decoder.weights.array.copy()
    decoder.weights.replace(weights)
    total = np.zeros(metric.size)
    try:
        for segment in segments:
            try:
                translation = decoder.translate(segment).viterbi()
            except ParseFailed:
                translation = ""
            total += metric.stats(translation, segment.references)
    finally:
        decoder.weights.replace(current)
    return metric.score(total)
