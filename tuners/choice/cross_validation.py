"""What a cross-validation found, and the rule by which it chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopefear.base.arrays import Ints
from hopefear.metrics import Metric, Statistics, paired_bootstrap

_ONE_ERROR = 0.6827
"""The level of an interval of one standard error on either side."""


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What each choice did on segments that it has not seen.

    Attributes
    ----------
    grid : list of dict
        The choices: settings by name.
    scores : list of float
        The metric's score of all segments, each translated by weights that have not seen it.
    best : dict
        The choice that is made.
    parts : list of list of float
        The score of each part that was held out, for each choice.
    behind : list of float
        By how much each choice scores worse than the best score.
    errors : list of float
        The standard error of `behind`, over segments; empty where the choice does not depend on it.
    metric : str
        The name of the metric.
    seconds : float
        Of processor time in the trials of tuners; 0 where settings are chosen on k-best lists.
    """

    grid: list[dict[str, Any]]
    scores: list[float]
    best: dict[str, Any]
    parts: list[list[float]] = field(default_factory=list)
    behind: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    metric: str = ""
    seconds: float = field(default=0.0, compare=False)

    @classmethod
    def of(
        cls,
        grid: Sequence[Mapping[str, Any]],
        rows: Statistics,
        parts: Sequence[Ints],
        metric: Metric,
        *,
        within: float | None = None,
        seconds: float = 0.0,
    ) -> CrossValidation:
        """Choose by the statistics of segments that were held out.

        Parameters
        ----------
        grid : sequence of mappings
            The choices; of equal ones the first is made.
        rows : array of float64, shape (choices, segments, metric.size)
            The statistics of each segment as each choice translates it.
        parts : sequence of arrays of int64
            The segments of each part.
        metric : Metric
        within : float, optional
            Make the first choice that is behind the best score by at most so many standard errors.
        seconds : float
            See above.
        """
        sign = 1 if metric.higher_is_better else -1
        scores = metric.scores(rows.sum(axis=1))
        best = int(np.argmax(sign * scores))
        behind = sign * (scores[best] - scores)
        errors = np.zeros(0)
        if within is not None:
            errors = np.array([_error(row, rows[best], metric) for row in rows])
            best = int(np.flatnonzero(behind <= within * errors)[0])
        by_part = np.stack([metric.scores(rows[:, part].sum(axis=1)) for part in parts], axis=1)
        return cls(
            [dict(choice) for choice in grid],
            scores.tolist(),
            dict(grid[best]),
            by_part.tolist(),
            behind.tolist(),
            errors.tolist(),
            metric.name,
            seconds,
        )

    def lines(self) -> list[str]:
        """Say what each choice scored, which is made, and why."""
        scored = zip(self.grid, self.scores, self.parts, self.behind, self.errors, strict=True)
        best = min(range(len(self.grid)), key=self.behind.__getitem__)
        said = []
        for choice, score, parts, behind, error in scored:
            line = f"held out: {_shown(choice)}: {self.metric} {score:.2f}"
            line += f", parts {min(parts):.2f} to {max(parts):.2f}"
            said.append(f"{line}, behind the best by {behind:.2f} ± {error:.2f}" if behind else line)
        why = "the best score"
        if self.best != self.grid[best]:
            why = f"comes before {_shown(self.grid[best])}, which is not better by enough"
        return [*said, f"chosen: {_shown(self.best)}: {why}"]


def _shown(choice: Mapping[str, Any]) -> str:
    return ", ".join(map(str, choice.values()))


def deal(items: Ints, parts: int, seed: int) -> list[Ints]:
    """Deal items into parts at random; each part is in ascending order."""
    dealt = np.random.default_rng(seed).permutation(items)
    return [np.sort(dealt[part::parts]) for part in range(parts)]


def _error(one: Statistics, other: Statistics, metric: Metric) -> float:
    """Return the standard error of the difference between two translations of the same segments."""
    delta = paired_bootstrap(one, other, metric, level=_ONE_ERROR).delta
    return (delta.upper - delta.lower) / 2
