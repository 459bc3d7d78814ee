"""The scale of the initial weights, and the pseudo-document that a run over a corpus begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hopefear.base import InputError, ParseFailed
from hopefear.base.arrays import Floats
from hopefear.decoder import Segment, Translator
from hopefear.metrics import PseudoDocument
from hopefear.parallel import Executor, WorkerDied

from ..contract import measuring
from ..solvers import row_scores

_LIST = 100
"""Translations of a sentence by which scores and losses are compared."""


def match_scales(
    decoder: Translator,
    corpus: Sequence[Segment],
    document: PseudoDocument,
    *,
    hopes: bool,
    scales: bool,
    executor: Executor,
    note: Callable[[str], None],
) -> None:
    """Fill the document; if `scales`, multiply the weights so that scores vary as much as B in lists."""
    spread_of_B = spread_of_model = 0.0
    executor.publish(decoder.weights)
    lists = executor.map(_ModelScores(decoder), corpus, on_death=_nothing)
    for number, (segment, found) in enumerate(zip(corpus, lists, strict=True), 1):
        note(f"scale of the first weights: sentence {number} of {len(corpus)}")
        if found is None:
            continue
        with measuring(segment):
            statistics = document.metric.prepare(segment.references).batch(found.texts)
        B = document.B(statistics, found.source_length)
        spread_of_B += float(np.var(B))
        spread_of_model += float(np.var(found.model))
        document.update(statistics[int(np.argmax(B)) if hopes else 0], segment.length)
    if scales and spread_of_B > 0 and 0 < spread_of_model < np.inf:
        decoder.weights.array[:] *= np.sqrt(spread_of_B / spread_of_model)


@dataclass(frozen=True, slots=True)
class _Scored:
    """The k best translations of a sentence by the model, and their scores h·w."""

    texts: list[str]
    model: Floats
    source_length: float


@dataclass(frozen=True, slots=True)
class _ModelScores:
    """Returns the k best translations of a segment; None for one that cannot be translated."""

    decoder: Translator

    def __call__(self, segment: Segment) -> _Scored | None:
        try:
            translation = self.decoder.translate(segment)
        except (ParseFailed, InputError, MemoryError):
            return None  # the first pass tells of it
        found = translation.best_translations(_LIST)
        if not len(found):
            return None
        scores = row_scores(found.indptr, found.features, found.values, translation.weights.array)
        return _Scored(found.texts, scores, translation.source_length)


def _nothing(segment: Segment, died: WorkerDied) -> None:
    """Leave out a sentence on which workers die; the first pass tells of it."""
