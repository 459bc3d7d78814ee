"""BaselineTest marks against a baseline, as in table 1 of Chiang, Marton & Resnik 2008."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.metrics import (
    ConfidenceInterval,
    Metric,
    approximate_randomisation,
    holm,
    over_runs,
    paired_bootstrap,
)
from hopefear.reports import BaselineTest

from ..results import Result

Key = TypeVar("Key")


def jointly(comparisons: Mapping[Key, BaselineTest]) -> dict[Key, BaselineTest]:
    """Return the comparisons of one table, whose p-values Holm's method adjusts for their number."""
    adjusted = holm([comparison.p_value for comparison in comparisons.values()])
    several = {key: found.over_runs.p_value for key, found in comparisons.items() if found.over_runs}
    over = dict(zip(several, holm(list(several.values())), strict=True))
    return {
        key: comparison._replace(adjusted=p_value, adjusted_over_runs=over.get(key, 0.0))
        for (key, comparison), p_value in zip(comparisons.items(), adjusted, strict=True)
    }


def _of_the_set(run: Result) -> None:
    """Return the order of the set."""


def _of_one_name(run: Result) -> bool:
    """Tell whether a run is tested on the set of the name that it learned from."""
    return run.tested_on == run.tuned_on


@dataclass(frozen=True)
class Marks:
    """Compares runs and marks significant differences."""

    statistics: Callable[[Result], Floats]
    metrics: Mapping[str, Metric]
    test_set: Callable[[Result], Hashable]
    order: Callable[[Result], Sequence[int] | None] = _of_the_set
    learned_from: Callable[[Result], bool] = _of_one_name

    def metric(self, run: Result) -> Metric:
        """Return the metric of a run."""
        try:
            return self.metrics[run.signature]
        except KeyError:
            raise InputError(
                f"expected scores of {', '.join(self.metrics)}, as in the plan; got one of {run.signature}"
            ) from None

    def compare(
        self, baseline: Sequence[Result], system: Sequence[Result], *, paired: bool = False
    ) -> BaselineTest | None:
        """Compare a system with the baseline, at least one run each, by one metric."""
        metric, sides = self.metric(baseline[0]), self._sides(baseline, system)
        if sides is None:
            return None
        before, after = sides
        found = approximate_randomisation(before, after, metric, samples=2)  # the spread is not shown
        several = max(len(before), len(after)) > 1
        over = over_runs(before, after, metric, paired=paired) if several else None
        return BaselineTest(
            better=(found.delta > 0) == metric.higher_is_better,
            p_value=found.p_value,
            adjusted=found.p_value,
            over_runs=over,
            adjusted_over_runs=over.p_value if over else 0.0,
        )

    def difference(
        self, baseline: Sequence[Result], system: Sequence[Result], *, paired: bool
    ) -> ConfidenceInterval | None:
        """Return a system's score minus the baseline's; None if they were tested on different sentences.

        The interval is over other runs and sentences, or over other sentences if each has one run.
        """
        metric, sides = self.metric(baseline[0]), self._sides(baseline, system)
        if sides is None:
            return None
        before, after = sides
        if max(map(len, sides)) == 1:
            return paired_bootstrap(before[0], after[0], metric).delta
        return over_runs(before, after, metric, paired=paired).delta

    def _sides(
        self, baseline: Sequence[Result], system: Sequence[Result]
    ) -> tuple[list[Floats], list[Floats]] | None:
        """Return the statistics of the runs of both; None if they were tested on different sentences."""
        sides = [self._by_test_set(runs) for runs in (baseline, system)]
        if sides[0].keys() != sides[1].keys():
            return None
        before, after = ([np.concatenate(run) for run in zip(*sets.values(), strict=False)] for sets in sides)
        return None if len({rows.shape for rows in (*before, *after)}) > 1 else (before, after)

    def _by_test_set(self, runs: Sequence[Result]) -> dict[Hashable, list[Floats]]:
        """Return the statistics of the runs by test set, in the order of their sets, draws and seeds."""
        found: dict[Hashable, list[Floats]] = {}
        for run in sorted(
            runs, key=lambda r: (str(self.test_set(r)), r.tuned_on, r.size, r.draw, r.seed, r.tuner, r.system)
        ):
            found.setdefault(self.test_set(run), []).append(self.statistics(run))
        return found
