"""The k best translations of a segment as a task, for whichever process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopefear.decoder import KBestList, Segment, Translation, Translator, Weights, attempt
from hopefear.parallel import Named, WorkerDied

from ..contract import no_finite_score, skip_dead
from ..solvers import list_of_entries


@dataclass(frozen=True, slots=True)
class KBestResult:
    """What a worker found; it is pickled with the features' names, since other processes number them anew."""

    weights: Weights
    translations: KBestList | None
    seconds: float
    elsewhere: bool = False

    def __reduce__(self) -> tuple[Callable[..., KBestResult], tuple[Any, ...]]:
        """Return names in place of numbers."""
        if self.translations is None:
            return KBestResult, (self.weights, None, self.seconds, True)
        found = self.translations
        named = Named.of(self.weights, found.features)
        return _renumbered, (self.weights, found.texts, found.indptr, named, found.values, self.seconds)


def _renumbered(
    weights: Weights, texts: list[str], indptr: Any, named: Named, values: Any, seconds: float
) -> KBestResult:
    rows = np.repeat(np.arange(len(texts)), np.diff(indptr))
    translations = list_of_entries(texts, rows, named.numbers(weights), values)
    return KBestResult(weights, translations, seconds, True)


@dataclass(frozen=True, slots=True)
class Translate:
    """Returns the forest of a segment and its number."""

    decoder: Translator

    def __call__(self, number: int, segment: Segment) -> Translation:
        """Translate."""
        return self.decoder.translate(segment)


@dataclass(frozen=True, slots=True)
class KBestTask:
    """Returns the k best translations of a segment with its number."""

    translate: Callable[[int, Segment], Translation]
    decoder: Translator
    k: int

    def __call__(self, numbered: tuple[int, Segment]) -> KBestResult:
        """Translate."""
        clock = time.thread_time()
        number, segment = numbered
        weights = self.decoder.weights
        with attempt(self.decoder, segment) as work:
            found = self.translate(number, segment).best_translations(self.k)
        if work.failure is not None:
            return KBestResult(weights, None, time.thread_time() - clock)
        if not len(found):
            raise no_finite_score(segment)
        return KBestResult(weights, found, time.thread_time() - clock)

    def without(self, numbered: tuple[int, Segment], died: WorkerDied) -> KBestResult:
        """Return no translations, where a segment on which workers died is skipped."""
        skip_dead(self.decoder, numbered[1], died)
        return KBestResult(self.decoder.weights, None, 0.0)


def k_best(decoder: Translator, segment: Segment, k: int) -> KBestList | None:
    """Return the k best translations of a segment, None where no derivation covers it."""
    return KBestTask(Translate(decoder), decoder, k)((0, segment)).translations
