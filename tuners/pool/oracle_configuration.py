"""The best configuration of a pool, one candidate a segment, by greedy search (Venugopal & Vogel 2005)."""

from __future__ import annotations

import numpy as np

from hopefear.base.arrays import Floats, Ints

from .candidates import Candidates
from .sentence_scores import sentence_scores

MIN_GAIN = 1e-9
"""Of the objective's size: less is rounding."""


def oracle_configuration(pool: Candidates, scores: Floats) -> Ints:
    """Choose the correct candidate of each segment (Hayashi et al. 2009, section 4.1).

    From the best candidates by themselves (`sentence_scores`) the search goes on to the configuration that no
    change in a single segment makes better by the metric of the whole corpus. Of candidates with the same
    statistics it takes the one of the highest score.
    """
    rows = greedy_configuration(pool, pool.best(sentence_scores(pool)))
    chosen = np.repeat(rows, pool.counts[pool.counts > 0])
    same = np.all(pool.statistics == pool.statistics[chosen], axis=1)
    return pool.best(np.where(same, scores, -np.inf))


def greedy_configuration(
    pool: Candidates,
    rows: Ints,
    *,
    scale: float = 1.0,
    bonus: Floats | None = None,
) -> Ints:
    """Climb to a configuration that no change in a single segment makes better.

    Segment after segment, the current candidate's statistics are subtracted from those of all, each other
    candidate's are added, and the best one is chosen, until a round changes nothing.
    """
    rows, changed = rows.copy(), True
    bonus = np.zeros(len(pool)) if bonus is None else bonus
    begins = pool.offsets[:-1][pool.counts > 0].tolist()
    ends = pool.offsets[1:][pool.counts > 0].tolist()
    while changed:
        changed = False
        total = pool.statistics[rows].sum(axis=0)
        for place, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            others = total - pool.statistics[rows[place]]
            values = scale * pool.metric.quality(others + pool.statistics[begin:end]) + bonus[begin:end]
            best, now = int(np.argmax(values)), values[rows[place] - begin]
            if values[best] > now + MIN_GAIN * max(1.0, abs(now)):
                rows[place] = begin + best
                total = others + pool.statistics[begin + best]
                changed = True
    return rows
