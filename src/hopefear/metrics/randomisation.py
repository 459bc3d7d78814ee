"""Comparison of systems with several optimizer runs each (Clark, Dyer, Lavie & Smith 2011; tool MultEval).

Runs of a tuner end at different weights: one run of each system compares the runs, not the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .base import Metric, Statistics
from .significance import SAMPLES, SEED, ConfidenceInterval, checked_rows, resampled_sums

_CHUNK = 500
"""Number of shuffles at a time: a chunk of 1000 sentences is 4 MB."""

_ONE_THREAD = 2**18
"""Multiplications of a matrix product up to which OpenBLAS uses one thread."""

_ROUNDING = 1e-9
"""Differences, in per cent, that differ by less than this are equal."""


class Spread(NamedTuple):
    """The scores of a system's runs, and their spread by two causes; the result of `optimizer_spread`."""

    scores: tuple[float, ...]
    """The score of each run."""
    mean: float
    """The mean of the scores."""
    selection: float
    """s_sel, in per cent: the spread by the choice of test sentences."""
    optimizer: float | None
    """s_test or s_dev, in per cent: the spread by the optimizer's runs; None for a single run."""

    def __str__(self) -> str:
        runs = f"{len(self.scores)} run{'s' * (len(self.scores) > 1)}"
        spread = "" if self.optimizer is None else f", s_opt {self.optimizer:.2f}"
        return f"{self.mean:.2f} ({runs}, s_sel {self.selection:.2f}{spread})"


class Randomisation(NamedTuple):
    """The result of `approximate_randomisation`."""

    baseline: Spread
    """The runs of the baseline."""
    system: Spread
    """The runs of the system."""
    delta: float
    """The mean score of the system minus that of the baseline."""
    p_value: float
    """The probability of so large a difference by chance; two-sided, never 0."""


class OverRuns(NamedTuple):
    """The result of `over_runs`."""

    delta: ConfidenceInterval
    """The mean score of the system minus that of the baseline."""
    p_value: float
    """The probability of so large a difference by chance; two-sided."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of several comparisons, adjusted by Holm's method (1979), in the same order.

    If the comparisons whose adjusted value is below α are called significant, the probability of even one
    false alarm among them is at most α.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def optimizer_spread(
    runs: Sequence[ArrayLike], metric: Metric, samples: int = SAMPLES, seed: int = SEED
) -> Spread:
    """The three variances of Clark et al. 2011, as MultEval computes them, of the n runs of one system.

    With X_i the score of run i, X̄ their mean, and X_i^b the score of run i on resampled test set b of B::

        s_sel  = 1/n Σ_i sqrt(1/(B-1) Σ_b (X_i^b - 1/B Σ_c X_i^c)²)    the selection of the test sentences
        s_test = sqrt(1/(n-1) Σ_i (X_i - X̄)²)                          the optimizer, seen on the test set
        s_dev  = the same of the scores on the sentences tuned on       the optimizer, seen on its objective

    `Spread.optimizer` is s_test or s_dev, depending on the sentences of the statistics. A large s_dev means
    that the optimizer stops at different optima; s_test above s_dev means that the optimizer overfits.

    Parameters
    ----------
    runs : sequence of n array_like, shape (sentences, metric.size)
        The statistics of each run's translations of the same sentences.
    metric : Metric
        The metric of the statistics.
    samples : int
        B, at least 2; all runs are scored on the same resampled test sets.
    seed : int
        Seed of numpy's default generator.

    Raises
    ------
    ValueError
        If there is no run or no sentence, runs differ in their sentences, or there are too few samples.
    """
    rows = _stacked(runs, metric)
    if samples < 2:
        raise ValueError(f"samples must be at least 2, got {samples}")
    scores = metric.scores(rows.sum(axis=1))
    resampled = metric.scores(resampled_sums(rows.swapaxes(0, 1), samples, seed))
    return Spread(
        scores=tuple(scores.tolist()),
        mean=float(scores.mean()),
        selection=float(resampled.std(axis=0, ddof=1).mean()),
        optimizer=float(scores.std(ddof=1)) if len(scores) > 1 else None,
    )


def approximate_randomisation(
    baseline: Sequence[ArrayLike],
    system: Sequence[ArrayLike],
    metric: Metric,
    shuffles: int = 10000,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> Randomisation:
    """Test the difference between two systems, as these runs translate, by approximate randomisation.

    If the systems were the same, their translations of a sentence could be exchanged. A shuffle exchanges the
    translations of a sentence with probability ½ (Noreen 1989; Riezler & Maxwell 2005), in all runs of both
    systems together or in none: the runs of a system translate a sentence alike, so that the runs are
    evidence once and not n times. The test statistic is ``|X̄_system - X̄_baseline|``, means over the runs; in
    a shuffle, means over all pairs of a run of the one system and a run of the other, which exchange their
    translations. The p-value is (m + 1) / (shuffles + 1), where m shuffles have a statistic at least as large
    as the true one.

    The test answers whether these runs differ on other sentences, too; `over_runs` answers whether other runs
    would. A test that exchanges translations in each run for itself finds differences that do not exist: of
    four runs, in a quarter of the cases at a level of 5 %.

    Parameters
    ----------
    baseline, system : sequences of array_like, shape (sentences, metric.size)
        The statistics of the runs of each system on the same sentences, at least one run each.
    metric : Metric
        The metric of the statistics.
    shuffles : int
        Number of shuffles; the exact test would take all 2^sentences.
    samples, seed
        As for `optimizer_spread`; the shuffles are drawn with the same seed.

    Raises
    ------
    ValueError
        If the systems differ in their sentences, or an argument is out of range.
    """
    first, second = _systems(baseline, system, metric)
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")
    sums = first.sum(axis=1), second.sum(axis=1)
    delta = _difference(*sums, metric)
    as_large = 0
    generator = np.random.default_rng(seed)
    for start in range(0, shuffles, _CHUNK):
        drawn = generator.integers(2, size=(min(_CHUNK, shuffles - start), first.shape[1]), dtype=np.int8)
        # What each run gives away: (runs, shuffles, size).
        given, taken = (_products(drawn.astype(np.float64), rows) for rows in (first, second))
        exchanged = (taken[:, np.newaxis] - given).transpose(2, 0, 1, 3)  # (shuffles, system, baseline, size)
        shuffled = metric.scores(sums[1][:, np.newaxis] - exchanged) - metric.scores(sums[0] + exchanged)
        as_large += int(np.count_nonzero(np.abs(shuffled.mean(axis=(1, 2))) >= abs(delta) - _ROUNDING))
    return Randomisation(
        baseline=optimizer_spread(baseline, metric, samples, seed),
        system=optimizer_spread(system, metric, samples, seed),
        delta=delta,
        p_value=(as_large + 1) / (shuffles + 1),
    )


def _products(drawn: Statistics, rows: Statistics) -> Statistics:
    """Return ``drawn @ rows``, in pieces so small that BLAS starts no threads, which would mostly wait."""
    pieces = -(-drawn.size * rows.shape[2] // _ONE_THREAD)
    return np.concatenate([piece @ rows for piece in np.array_split(drawn, pieces)], axis=1)


def over_runs(
    baseline: Sequence[ArrayLike],
    system: Sequence[ArrayLike],
    metric: Metric,
    level: float = 0.95,
    samples: int = SAMPLES,
    seed: int = SEED,
    *,
    paired: bool = False,
) -> OverRuns:
    """Test the difference between two systems for other runs and other sentences together.

    The score of a run depends on the sentences, on the run, and on what the run does with single sentences.
    The variance of ``X̄_system - X̄_baseline`` is estimated part by part::

        V = V_sentences + Σ_systems max(0, s² - r) / n

    V_sentences is the variance of the difference over resampled sentences, n the number of runs of a system,
    s² the variance of the scores of its runs, and r the part of s² that comes from single sentences and is in
    V_sentences already: the mean variance of ``X_i - X̄`` over resampled sentences, times n / (n - 1). A
    system with one run is taken to vary as the other system does. The interval and the p-value are those of
    Student's t with Satterthwaite's degrees of freedom, in which s² stands for s² - r: the test is cautious
    with few runs.

    Runs that are paired, such as those of one tuner and seed, have one s²: that of their differences.

    Parameters
    ----------
    baseline, system : sequences of array_like, shape (sentences, metric.size)
        The statistics of the runs of each system on the same sentences; one of the systems may have one run.
    metric : Metric
        The metric of the statistics.
    level : float
        The probability that the interval has the true difference, between 0 and 1.
    samples, seed
        As for `optimizer_spread`.
    paired : bool
        Run i of one system belongs to run i of the other.

    Raises
    ------
    ValueError
        If there are not two runs of a system, the systems differ in their sentences or have paired runs of
        different numbers, or an argument is out of range.
    """
    from scipy.special import stdtr, stdtrit  # only here: the import takes long

    systems = _systems(baseline, system, metric)
    if max(map(len, systems)) < 2:
        raise ValueError("at least one system must have two runs, got one run of each")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    if samples < 2:
        raise ValueError(f"samples must be at least 2, got {samples}")
    rows = np.concatenate(systems)
    resampled = metric.scores(resampled_sums(rows.swapaxes(0, 1), samples, seed))
    scores = metric.scores(rows.sum(axis=1))
    sides = slice(0, len(systems[0])), slice(len(systems[0]), None)
    delta = float(scores[sides[1]].mean() - scores[sides[0]].mean())
    means = [resampled[:, side].mean(axis=1) for side in sides]
    total = float((means[1] - means[0]).var(ddof=1))
    squares = total**2 / max(rows.shape[1] - 1, 1)  # 0 of one sentence, which is drawn each time
    parts = [(scores[side], resampled[:, side]) for side in sides if len(scores[side]) > 1]
    # One system with several runs speaks for both.
    shares = (
        [sum(1 / len(runs) for runs in systems)] if len(parts) == 1 else [1 / len(one) for one, _ in parts]
    )
    if paired:
        if len(systems[0]) != len(systems[1]):
            raise ValueError(f"expected pairs of runs, got {len(systems[0])} and {len(systems[1])} runs")
        before, after = parts
        parts, shares = [(after[0] - before[0], after[1] - before[1])], shares[:1]
    for (of_runs, of_resampled), share in zip(parts, shares, strict=True):
        between, single = _variances(of_runs, of_resampled)
        total += share * max(0.0, between - single)
        squares += (share * between) ** 2 / (len(of_runs) - 1)
    degrees = total**2 / squares if squares else 1.0
    error = total**0.5
    half = float(stdtrit(degrees, (1 + level) / 2)) * error
    if error > _ROUNDING:
        p_value = float(2 * stdtr(degrees, -abs(delta) / error))
    else:
        p_value = float(abs(delta) <= _ROUNDING)
    return OverRuns(ConfidenceInterval(delta, delta - half, delta + half, level), p_value)


def _variances(scores: NDArray[np.float64], resampled: NDArray[np.float64]) -> tuple[float, float]:
    """Return s² and r of `over_runs` from the scores of runs and those on resampled sentences."""
    apart = resampled - resampled.mean(axis=1, keepdims=True)
    return float(scores.var(ddof=1)), float(apart.var(axis=0, ddof=1).sum()) / (len(scores) - 1)


def _systems(
    baseline: Sequence[ArrayLike], system: Sequence[ArrayLike], metric: Metric
) -> tuple[Statistics, Statistics]:
    """Return the runs of both systems as arrays, ``(runs, sentences, size)``."""
    first, second = _stacked(baseline, metric), _stacked(system, metric)
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"systems must have the same number of sentences, got {first.shape[1]} and {second.shape[1]}"
        )
    return first, second


def _difference(baseline: Statistics, system: Statistics, metric: Metric) -> float:
    """Return the mean score of the system's runs minus that of the baseline's, from their sums."""
    return float(metric.scores(system).mean() - metric.scores(baseline).mean())


def _stacked(runs: Sequence[ArrayLike], metric: Metric) -> Statistics:
    """The runs as one array, ``(runs, sentences, size)``."""
    rows = [checked_rows(run, metric) for run in runs]
    if len({len(run) for run in rows}) != 1:
        raise ValueError(
            "there must be at least one run, and runs must have the same number of rows, "
            f"got {[len(run) for run in rows]}"
        )
    return np.stack(rows)
