"""The n-grams of every length up to that of the counts, with the counts that Kneser-Ney smoothing takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .ngram_counts import BOS, NgramCounts

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NgramsOfLength:
    """The n-grams of one length, sorted by their last words; unigrams are the whole vocabulary."""

    first: Ints
    suffix: Ints
    context: Ints
    occurrences: Ints


def ngram_levels(counts: NgramCounts) -> list[NgramsOfLength]:
    """Find the n-grams of every length: unigrams, bigrams and so on."""
    rows, size = counts.ngrams, len(counts.words)
    last = rows[:, -1].astype(np.int64)
    occurrences = np.bincount(last, counts.counts, size).astype(np.int64)
    zeros = np.zeros(size, np.int64)
    levels = [NgramsOfLength(np.arange(size), zeros, zeros, occurrences)]
    shorter = last  # for each row the index of the last `order - 1` words in the level below
    new = np.ones(len(rows), bool)  # whether the n-gram differs from that of the row before
    new[1:] = last[1:] != last[:-1]
    for order in range(2, counts.order + 1):
        below = levels[-1]
        new[1:] |= rows[1:, -order] != rows[:-1, -order]
        begins = np.flatnonzero(new)
        occurrences = np.add.reduceat(counts.counts, begins)
        whole = rows[begins, 1 - order] != BOS  # symbols before <s> are padding
        begins, occurrences = begins[whole], occurrences[whole]
        first, suffix = rows[begins, -order].astype(np.int64), shorter[begins]
        # The context's suffix is the suffix's context, and the context's first word is the n-gram's.
        context = first
        if order > 2:
            context = np.searchsorted(below.suffix * size + below.first, below.context[suffix] * size + first)
        levels.append(NgramsOfLength(first, suffix, context, occurrences))
        begun = np.zeros(len(rows), np.int64)
        begun[begins] = 1
        shorter = np.cumsum(begun) - 1
    return levels


def adjusted_counts(level: NgramsOfLength, longer: NgramsOfLength | None) -> Ints:
    """Count the different words before each n-gram (Heafield et al. 2013, section 3.2)."""
    # The longest n-grams, and n-grams that begin with <s>, have their numbers of occurrences.
    if longer is None:
        return level.occurrences
    preceding = np.bincount(longer.suffix, minlength=len(level.first))
    return np.where(level.first == BOS, level.occurrences, preceding)
