"""Two systems with several optimizer runs each (Clark, Dyer, Lavie & Smith 2011; their tool is MultEval).

Runs of a tuner end at different weights: with one run of each system, the runs are compared, not the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hopefear.metrics.base import Metric, Statistics
from hopefear.metrics.significance import checked_rows, resampled_sums

_CHUNK = 500
"""Shuffles at a time: a chunk of 1000 sentences is 4 MB."""

_ROUNDING = 1e-9
"""Differences that are less apart than this, in per cent, are equal."""


class Spread(NamedTuple):
    """The scores of a system's runs, and how far two causes move them; of `optimizer_spread`."""

    scores: tuple[float, ...]
    """One a run."""
    mean: float
    """Of the runs."""
    selection: float
    """s_sel, in per cent: what another choice of sentences would do."""
    optimizer: float | None
    """s_test, or s_dev, in per cent: what another run would do; None where there is one run only."""

    def __str__(self) -> str:
        runs = f"{len(self.scores)} run{'s' * (len(self.scores) > 1)}"
        spread = "" if self.optimizer is None else f", s_opt {self.optimizer:.2f}"
        return f"{self.mean:.2f} ({runs}, s_sel {self.selection:.2f}{spread})"


class Randomisation(NamedTuple):
    """What `approximate_randomisation` found."""

    baseline: Spread
    """The runs of the baseline."""
    system: Spread
    """The runs of the system."""
    delta: float
    """The mean score of the system less that of the baseline."""
    p_value: float
    """How often chance alone makes a difference as large, either way; two-sided, never 0."""


def optimizer_spread(
    runs: Sequence[ArrayLike], metric: Metric, samples: int = 1000, seed: int = 12345
) -> Spread:
    """The three variances of Clark et al. 2011, as MultEval computes them, of the n runs of one system.

    With X_i the score of run i, X̄ their mean, and X_i^b the score of run i on resampled test set b of B::

        s_sel  = 1/n Σ_i sqrt(1/(B-1) Σ_b (X_i^b - 1/B Σ_c X_i^c)²)    the selection of the test sentences
        s_test = sqrt(1/(n-1) Σ_i (X_i - X̄)²)                          the optimizer, seen on the test set
        s_dev  = the same of the scores on the sentences tuned on       the optimizer, seen on its objective

    `Spread.optimizer` is s_test or s_dev, whichever sentences the statistics are of. A large s_dev means that
    the optimizer stops at different optima, an s_test above it that it overfits.

    Parameters
    ----------
    runs : sequence of n array_like, shape (sentences, metric.size)
        The statistics of the same sentences as each run translates them.
    metric : Metric
        The metric they are of.
    samples : int
        B, at least 2; all runs are scored on the same resampled test sets.
    seed : int
        Of numpy's default generator.

    Raises
    ------
    ValueError
        If there is no run or no sentence, runs have not the same sentences, or there are too few samples.
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
    """Is the difference between two systems chance? Approximate randomisation, stratified by run.

    If the systems were the same, it would not matter which of them a translation is of. A shuffle swaps the
    two translations of each sentence with probability ½, within run i of the one and run i of the other
    (Noreen 1989; Riezler & Maxwell 2005), and the test statistic is |X̄_system - X̄_baseline|, means over the
    runs. The p-value is (m + 1) / (shuffles + 1), m the shuffles with a statistic at least as large as the
    true one. MultEval's own test differs in that it swaps across runs and scores all runs as one corpus.

    Parameters
    ----------
    baseline, system : sequences of n array_like, shape (sentences, metric.size)
        The statistics of the same sentences as n runs of each system translate them.
    metric : Metric
        The metric they are of.
    shuffles : int
        How many; the exact test would take all 2^(n · sentences).
    samples, seed
        As for `optimizer_spread`; the shuffles are drawn with the same seed.

    Raises
    ------
    ValueError
        If the systems have not as many runs or the same sentences, or an argument is out of range.
    """
    first, second = _stacked(baseline, metric), _stacked(system, metric)
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
        moved = _swapped(second - first, min(_CHUNK, shuffles - start), generator)
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


def _swapped(differences: Statistics, shuffles: int, generator: np.random.Generator) -> Statistics:
    """What swapped sentences move from one system to the other, ``(shuffles, runs, size)``."""
    runs, sentences, size = differences.shape
    moved = np.empty((shuffles, runs, size))
    for run in range(runs):
        swap = generator.integers(2, size=(shuffles, sentences), dtype=np.int8)
        moved[:, run] = swap.astype(np.float64) @ differences[run]
    return moved
