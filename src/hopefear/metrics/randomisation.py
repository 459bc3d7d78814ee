"""Comparison of systems with several optimizer runs each (Clark, Dyer, Lavie & Smith 2011; tool MultEval).

Runs of a tuner end at different weights: one run of each system compares the runs, not the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .base import Metric, Statistics
from .significance import checked_rows, resampled_sums

_CHUNK = 500
"""Number of shuffles at a time: a chunk of 1000 sentences is 4 MB."""

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


def optimizer_spread(
    runs: Sequence[ArrayLike], metric: Metric, samples: int = 1000, seed: int = 12345
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
    samples: int = 1000,
    seed: int = 12345,
) -> Randomisation:
    """Test the difference between two systems by approximate randomisation, stratified by run.

    If the systems were the same, translations of the two could be exchanged. A shuffle swaps the two
    translations of each sentence with probability ½, between run i of one system and run i of the other
    (Noreen 1989; Riezler & Maxwell 2005), and the test statistic is
    ``|X̄_system - X̄_baseline|``, means over the runs. The p-value is (m + 1) / (shuffles + 1), where m
    shuffles have a statistic at least as large as the true one. MultEval's own test differs: it swaps across
    runs and scores all runs as one corpus.

    A single run is compared with each of several runs of the other system. A shuffle then swaps a sentence
    with all of them or with none, because the single translation is evidence once, not n times.

    Parameters
    ----------
    baseline, system : sequences of n array_like, shape (sentences, metric.size)
        The statistics of n runs of each system on the same sentences; one of the systems may have one run.
    metric : Metric
        The metric of the statistics.
    shuffles : int
        Number of shuffles; the exact test would take all 2^(n · sentences).
    samples, seed
        As for `optimizer_spread`; the shuffles are drawn with the same seed.

    Raises
    ------
    ValueError
        If the systems differ in number of runs or in sentences, or an argument is out of range.
    """
    first, second = _stacked(baseline, metric), _stacked(system, metric)
    runs, together = max(len(first), len(second)), 1 in (len(first), len(second))
    if together:
        first, second = (np.broadcast_to(rows, (runs, *rows.shape[1:])) for rows in (first, second))
    if first.shape != second.shape:
        raise ValueError(
            "systems must have the same number of runs and sentences, "
            f"got {first.shape[:2]} and {second.shape[:2]}"
        )
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")
    sums = first.sum(axis=1), second.sum(axis=1)
    delta = float(np.subtract(*(metric.scores(total).mean() for total in reversed(sums))))
    as_large = 0
    generator = np.random.default_rng(seed)
    for start in range(0, shuffles, _CHUNK):
        moved = _swapped(second - first, min(_CHUNK, shuffles - start), generator, together)
        shuffled = metric.scores(sums[1] - moved).mean(axis=1) - metric.scores(sums[0] + moved).mean(axis=1)
        as_large += int(np.count_nonzero(np.abs(shuffled) >= abs(delta) - _ROUNDING))
    return Randomisation(
        baseline=optimizer_spread(baseline, metric, samples, seed),
        system=optimizer_spread(system, metric, samples, seed),
        delta=delta,
        p_value=(as_large + 1) / (shuffles + 1),
    )


def _stacked(runs: Sequence[ArrayLike], metric: Metric) -> Statistics:
    """The runs as one array, ``(runs, sentences, size)``."""
    rows = [checked_rows(run, metric) for run in runs]
    if len({len(run) for run in rows}) != 1:
        raise ValueError(
            "there must be at least one run, and runs must have the same number of rows, "
            f"got {[len(run) for run in rows]}"
        )
    return np.stack(rows)


def _swapped(
    differences: Statistics, shuffles: int, generator: np.random.Generator, together: bool
) -> Statistics:
    """The statistics that swapped sentences move from one system to the other, ``(shuffles, runs, size)``."""
    runs, sentences, size = differences.shape
    moved = np.empty((shuffles, runs, size))
    for run in range(runs):
        if run == 0 or not together:
            swap = generator.integers(2, size=(shuffles, sentences), dtype=np.int8).astype(np.float64)
        moved[:, run] = swap @ differences[run]
    return moved
