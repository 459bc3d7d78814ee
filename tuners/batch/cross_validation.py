"""Settings of batch tuners chosen by cross-validation on a pool of candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError

from ..contract import ListLearner
from ..pool import Candidates


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What each choice of settings did.

    Attributes
    ----------
    grid : list of dict
        The settings.
    scores : list of float
        The metric's score of all segments, each translated by weights that have not seen it.
    best : dict
        The settings of the best score; of equal ones the first.
    """

    grid: list[dict[str, Any]]
    scores: list[float]
    best: dict[str, Any]


def choose_by_cross_validation(
    make: Callable[..., ListLearner],
    pool: Candidates,
    grid: Sequence[Mapping[str, Any]],
    *,
    folds: int = 2,
    weights: NDArray[np.float64] | None = None,
    seed: int = 0,
) -> CrossValidation:
    """Choose settings, such as λ and Q of `StructuralSvm`, as Hayashi et al. 2009, section 5.3.1, do.

    The segments are dealt into folds at random. For each fold a tuner learns from the candidates of the
    others, and its weights choose the candidates of the fold.

    Parameters
    ----------
    make : callable
        Makes a tuner of settings: its class, or `functools.partial` of it.
    pool : Candidates
        Stays as it is, and so do its weights.
    grid : sequence of mappings of str to values
        The settings to be compared, at least one.
    folds : int
        At least 2, at most as many as there are segments with candidates.
    weights : array of float64, optional
        To start from, by feature number; those of the pool if not given.
    seed : int
        Of the deal.

    Raises
    ------
    ValueError
        The grid is empty, or there are fewer than two folds.
    InputError
        There are fewer segments with candidates than folds.
    """
    if not grid:
        raise ValueError("grid must contain at least one choice of settings, got none")
    if folds < 2:
        raise ValueError(f"folds must be at least 2, got {folds}")
    filled = np.flatnonzero(pool.counts)
    if len(filled) < folds:
        raise InputError(f"expected candidates of at least {folds} segments, got {len(filled)}")
    dealt = np.random.default_rng(seed).permutation(filled)
    parts = [
        (pool.only(np.setdiff1d(filled, dealt[fold::folds])), pool.only(dealt[fold::folds]))
        for fold in range(folds)
    ]
    before = pool.weights.array.copy()
    start = before if weights is None else weights
    scores = []
    try:
        for settings in grid:
            total = np.zeros(pool.metric.size)
            for seen, held_out in parts:
                make(**settings).fit_candidates(seen, start.copy())
                chosen = held_out.best(held_out.scores(pool.weights.array))
                total += held_out.statistics[chosen].sum(axis=0)
            scores.append(pool.metric.score(total))
    finally:
        pool.weights.replace(before)
    sign = 1 if pool.metric.higher_is_better else -1
    best = int(np.argmax(sign * np.array(scores)))
    return CrossValidation([dict(s) for s in grid], scores, dict(grid[best]))
