"""Translations of a whole corpus for the pool of a batch tuner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from hopefear.decoder import (
    Hypergraph,
    InputError,
    KBestList,
    KBestSource,
    ParseFailed,
    Segment,
    best_translations,
    map_in_order,
)

from .base import TuningError
from .candidates import Candidates


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a pass brought to the pool.

    Attributes
    ----------
    score : float
        The metric's score of the 1-best translations, in per cent.
    new : int
        Candidates.
    skipped : int
        Segments that no derivation covers; nothing is their translation.
    """

    score: float
    new: int
    skipped: int


def gather(
    pool: Candidates,
    translate: Callable[[int, Segment], Hypergraph | KBestSource],
    corpus: Sequence[Segment],
    k: int,
    *,
    threads: int,
    on_sentence: Callable[[], None],
) -> Gathered:
    """Translate a corpus, and merge the k-best lists into its pool, all or none.

    Parameters
    ----------
    translate : callable
        Gives the forest of a segment and its number.

    Raises
    ------
    InputError
        Nothing can be translated.
    TuningError
        No derivation of a segment has a finite score.
    """
    statistics, skipped = np.zeros(pool.metric.size), 0

    def lists() -> Iterator[tuple[int, KBestList]]:
        nonlocal statistics, skipped
        found = map_in_order(partial(k_best, translate, k), enumerate(corpus), threads=threads)
        for segment, translations in enumerate(found):
            statistics += pool.stats(segment, "" if translations is None else translations.texts[0])
            if translations is None:
                skipped += 1
            else:
                yield segment, translations
            on_sentence()

    new = pool.merge(lists())
    if skipped == len(corpus):
        raise InputError("no derivation covers any segment: is the grammar that of the source language?")
    return Gathered(pool.metric.score(statistics), new, skipped)


def k_best(
    translate: Callable[[int, Segment], Hypergraph | KBestSource], k: int, numbered: tuple[int, Segment]
) -> KBestList | None:
    """Give the k best translations of a segment with its number, None where no derivation covers it.

    Raises
    ------
    TuningError
        No derivation has a finite score.
    """
    number, segment = numbered
    try:
        found = best_translations(translate(number, segment), k)
    except ParseFailed:
        return None
    if not len(found):
        raise TuningError(
            f"no derivation of segment {segment.id} has a finite score: "
            "a weight or a feature value is infinite or no number"
        )
    return found
