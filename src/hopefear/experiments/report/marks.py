"""Significance marks against a baseline, as in table 1 of Chiang, Marton & Resnik 2008."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.metrics import Metric, approximate_randomisation, paired_bootstrap

from ..results import Result

BOOTSTRAP = "paired bootstrap"
RANDOMISATION = "approximate randomisation, stratified by run"

LEVELS = ((0.01, 2), (0.05, 1))
"""Number of signs of the mark for p below each level."""


class Comparison(NamedTuple):
    """A comparison of a system with the baseline.

    Attributes
    ----------
    mark : str
        ``++`` or ``+`` if the system is significantly better (p < 0.01, p < 0.05), ``−−`` or ``−`` if it is
        significantly worse, else empty.
    p_value : float
    test : str
        `BOOTSTRAP` (Koehn 2004) if both have one run, else `RANDOMISATION` (Clark et al. 2011).
    """

    mark: str
    p_value: float
    test: str


@dataclass(frozen=True)
class Marks:
    """Compares runs and marks significant differences.

    Attributes
    ----------
    statistics : callable
        Gives the statistics of a run, shape (sentences, metric.size).
    metrics : dict of str to Metric
        The metrics by signature.
    test_set : callable
        Returns a value that is equal for runs that were tested on the same sentences.
    """

    statistics: Callable[[Result], NDArray[np.float64]]
    metrics: Mapping[str, Metric]
    test_set: Callable[[Result], Hashable]

    def metric(self, run: Result) -> Metric:
        """Return the metric of a run.

        Raises
        ------
        InputError
            The plan has no metric of this signature.
        """
        try:
            return self.metrics[run.signature]
        except KeyError:
            raise InputError(
                f"expected scores of {', '.join(self.metrics)}, as in the plan; got one of {run.signature}"
            ) from None

    def compare(self, baseline: Sequence[Result], system: Sequence[Result]) -> Comparison | None:
        """Compare a system with the baseline, at least one run each, by one metric.

        Runs are paired in the order of their sets, draws and seeds. A single run on one side is compared with
        all runs of the other side. If both sides have several, the surplus runs of one side are left out.

        Returns
        -------
        Comparison or None
            None if the runs were not tested on the same sentences.

        Raises
        ------
        InputError
            The plan has no such metric.
        """
        pairs = self._pairs(baseline, system)
        if any(self.test_set(first) != self.test_set(second) for first, second in pairs):
            return None
        metric = self.metric(pairs[0][0])
        sides = map(dict.fromkeys, zip(*pairs, strict=True))  # a single run once
        before, after = ([self.statistics(run) for run in runs] for runs in sides)
        if len({rows.shape for rows in (*before, *after)}) > 1:
            return None
        if len(pairs) == 1:
            bootstrap = paired_bootstrap(before[0], after[0], metric)
            delta, p_value, test = bootstrap.delta.value, bootstrap.p_value, BOOTSTRAP
        else:
            randomisation = approximate_randomisation(before, after, metric)
            delta, p_value, test = randomisation.delta, randomisation.p_value, RANDOMISATION
        sign = "+" if (delta > 0) == metric.higher_is_better else "−"
        signs = next((count for level, count in LEVELS if p_value < level), 0)
        return Comparison(sign * signs, p_value, test)

    def _pairs(self, first: Sequence[Result], second: Sequence[Result]) -> list[tuple[Result, Result]]:
        most = max(len(first), len(second))
        sides = [list(side) * most if len(side) == 1 else self._sorted(side) for side in (first, second)]
        return list(zip(*sides, strict=False))

    def _sorted(self, runs: Sequence[Result]) -> list[Result]:
        return sorted(runs, key=lambda r: (str(self.test_set(r)), r.tuned_on, r.size, r.draw, r.seed))
