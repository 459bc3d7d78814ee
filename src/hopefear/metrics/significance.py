"""Bootstrap resampling over sentences (Koehn 2004): confidence intervals and comparison of two systems.

It needs only the statistics of the sentences, `Metric.corpus_stats`: a resampled corpus is a sum of rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .base import Metric, Statistics

_DRAWN_AT_ONCE = 2**18
"""Number of sentences, of all resampled corpora, that are drawn at a time."""

SAMPLES, SEED = 1000, 12345
"""The usual number of resampled corpora, and seed of their draw."""


class ConfidenceInterval(NamedTuple):
    """A value and the percentile interval around it."""

    value: float
    lower: float
    upper: float
    level: float

    def __str__(self) -> str:
        return f"{self.value:.2f} [{self.lower:.2f}, {self.upper:.2f}]"


class PairedBootstrap(NamedTuple):
    """The result of `paired_bootstrap`."""

    baseline: ConfidenceInterval
    """The score of the baseline."""
    system: ConfidenceInterval
    """The score of the system."""
    delta: ConfidenceInterval
    """The score of the system minus that of the baseline."""
    p_value: float
    """The share of resampled corpora in which the better system is not better; one-sided, never 0."""


class Resampled(NamedTuple):
    """A system's score of a corpus, and of resampled corpora: all that a comparison needs.

    Systems that translated the same sentences can be compared if they were resampled with the same number of
    samples and the same seed.
    """

    value: float
    """The score of the corpus."""
    scores: tuple[float, ...]
    """The scores of the resampled corpora."""

    def interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Return the score with its percentile interval."""
        return _interval(self.value, np.array(self.scores), level)


def resample(stats: ArrayLike, metric: Metric, samples: int = SAMPLES, seed: int = SEED) -> Resampled:
    """Score a corpus and corpora resampled from it; parameters and errors as for `confidence_interval`."""
    rows = checked_rows(stats, metric)
    scores = metric.scores(resampled_sums(rows, samples, seed))
    return Resampled(metric.score(rows.sum(axis=0)), tuple(scores.tolist()))


def compare_resampled(baseline: Resampled, system: Resampled, level: float = 0.95) -> PairedBootstrap:
    """Compare two systems on the same sentences, as `paired_bootstrap` does.

    Raises
    ------
    ValueError
        The numbers of resampled corpora differ.
    """
    first, second = np.array(baseline.scores), np.array(system.scores)
    if len(first) != len(second):
        raise ValueError(f"systems must have the same number of samples, got {len(first)} and {len(second)}")
    delta, deltas = system.value - baseline.value, second - first
    not_better = np.count_nonzero(deltas * np.sign(delta) <= 0)
    return PairedBootstrap(
        baseline=baseline.interval(level),
        system=system.interval(level),
        delta=_interval(delta, deltas, level),
        p_value=(not_better + 1) / (len(first) + 1),
    )


def confidence_interval(
    stats: ArrayLike, metric: Metric, level: float = 0.95, samples: int = SAMPLES, seed: int = SEED
) -> ConfidenceInterval:
    """The score of a corpus with its bootstrap interval.

    Parameters
    ----------
    stats : array_like, shape (n, metric.size)
        The statistics of the sentences.
    metric : Metric
        The metric of the statistics.
    level : float
        Share of the resampled scores inside the interval, between 0 and 1.
    samples : int
        Number of resampled corpora.
    seed : int
        Seed of numpy's default generator; the same seed gives the same interval.

    Raises
    ------
    ValueError
        If there is no sentence, or an argument is out of range.
    """
    return resample(stats, metric, samples, seed).interval(level)


def paired_bootstrap(
    baseline: ArrayLike,
    system: ArrayLike,
    metric: Metric,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> PairedBootstrap:
    """Compare two systems on the same sentences, resampled together (Koehn 2004, section 4).

    The p-value is (m + 1) / (samples + 1), where m is the number of resampled corpora in which the system
    with the better score is not better. Swapping the systems does not change p. Equal systems have p = 1.

    Parameters
    ----------
    baseline, system : array_like, shape (n, metric.size)
        The statistics of the same n sentences.
    metric, level, samples, seed
        As for `confidence_interval`.

    Raises
    ------
    ValueError
        If the systems differ in number of sentences, there is no sentence, or an argument is out of range.
    """
    first, second = checked_rows(baseline, metric), checked_rows(system, metric)
    if len(first) != len(second):
        raise ValueError(f"systems must have the same number of rows, got {len(first)} and {len(second)}")
    first_scores, second_scores = (resample(rows, metric, samples, seed) for rows in (first, second))
    return compare_resampled(first_scores, second_scores, level)


def checked_rows(stats: ArrayLike, metric: Metric) -> Statistics:
    """The statistics of at least one sentence as an array; ValueError for another shape."""
    rows = np.asarray(stats, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] != metric.size:
        raise ValueError(f"statistics must be of shape (n, {metric.size}), n at least 1, got {rows.shape}")
    return rows


def resampled_sums(rows: Statistics, samples: int, seed: int) -> Statistics:
    """Sums of n rows drawn with replacement: ``(n, …)`` to ``(samples, …)``."""
    if samples < 1:
        raise ValueError(f"samples must be at least 1, got {samples}")
    generator = np.random.default_rng(seed)
    n = len(rows)
    flat = rows.reshape(n, -1)
    sums = np.empty((samples, flat.shape[1]))
    block = max(1, _DRAWN_AT_ONCE // n)
    for begin in range(0, samples, block):
        part = sums[begin : begin + block]
        drawn = generator.integers(n, size=(len(part), n)) + n * np.arange(len(part))[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)
        for sample, count in zip(part, counts, strict=True):  # how often each sentence is drawn
            np.matmul(count, flat, out=sample)
    return sums.reshape(samples, *rows.shape[1:])


def _interval(value: float, resampled: Statistics, level: float) -> ConfidenceInterval:
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    lower, upper = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return ConfidenceInterval(float(value), float(lower), float(upper), level)
