"""Settings of batch tuners chosen by cross-validation on a pool of candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hopefear.base import InputError
from hopefear.base.arrays import Floats

from ..contract import ListLearner
from ..pool import Candidates
from .cross_validation import CrossValidation, deal


def choose_by_cross_validation(
    make: Callable[..., ListLearner],
    pool: Candidates,
    grid: Sequence[Mapping[str, Any]],
    *,
    folds: int = 2,
    weights: Floats | None = None,
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
    parts = deal(filled, folds, seed)
    seen_and_held_out = [(pool.only(np.setdiff1d(filled, part)), pool.only(part)) for part in parts]
    before = pool.weights.array.copy()
    start = before if weights is None else weights
    rows = np.zeros((len(grid), pool.segments, pool.metric.size))
    try:
        for settings, found in zip(grid, rows, strict=True):
            for part, (seen, held_out) in zip(parts, seen_and_held_out, strict=True):
                make(**settings).fit_candidates(seen, start.copy())
                found[part] = held_out.best_statistics(pool.weights.array)
    finally:
        pool.weights.replace(before)
    return CrossValidation.of(grid, rows, parts, pool.metric)
