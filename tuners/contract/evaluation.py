"""How well a decoder translates with given weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.base.progress import progress_bar
from hopefear.decoder import Segment, Translator, attempt
from hopefear.metrics import Metric, Statistics, confidence_interval
from hopefear.parallel import Executor, Serial, WorkerDied

from .base import Interval, measuring, skip_dead


class Scored(NamedTuple):
    """How well a set was translated."""

    score: float
    """The metric's score, in per cent."""
    interval: Interval | None
    """Around it; None where there is no sentence."""

    @classmethod
    def of(cls, rows: Statistics, metric: Metric) -> Scored:
        """Score sentences by their statistics, shape (n, metric.size)."""
        if not len(rows):
            return cls(metric.score(np.zeros(metric.size)), None)
        found = confidence_interval(rows, metric)
        return cls(found.value, (found.lower, found.upper))


@dataclass(frozen=True, slots=True)
class BestStatistics:
    """Returns the statistics of a segment's best translation; it is empty without a derivation."""

    decoder: Translator
    metric: Metric

    def __call__(self, segment: Segment) -> Statistics:
        """Translate a segment with references, and compare."""
        translation = ""
        with attempt(self.decoder, segment):
            translation = self.decoder.translate(segment).viterbi()
        return self._stats(translation, segment)

    def without(self, segment: Segment, died: WorkerDied) -> Statistics:
        """Return the statistics of no translation, where a segment on which workers died is skipped."""
        skip_dead(self.decoder, segment, died)
        return self._stats("", segment)

    def _stats(self, translation: str, segment: Segment) -> Statistics:
        with measuring(segment):
            return self.metric.stats(translation, segment.references)


def corpus_score(
    decoder: Translator,
    segments: Sequence[Segment],
    weights: Floats,
    metric: Metric,
    executor: Executor | None = None,
) -> Scored:
    """Return the metric's score of the segments' 1-best translations."""
    metric = metric.for_corpus([segment.references for segment in segments])
    return Scored.of(best_statistics(decoder, segments, weights, metric, executor), metric)


def best_statistics(
    decoder: Translator,
    segments: Sequence[Segment],
    weights: Floats,
    metric: Metric,
    executor: Executor | None = None,
    *,
    bar: str = "",
) -> Statistics:
    """Return the statistics of the segments' 1-best translations, shape (n, metric.size)."""
    executor = Serial() if executor is None else executor
    task = BestStatistics(decoder, metric)
    with decoder.weights.replaced(weights):
        executor.publish(decoder.weights)
        rows = executor.map(task, segments, on_death=task.without)
        return np.array([*progress_bar(rows, len(segments), name=bar, show=bool(bar))])
