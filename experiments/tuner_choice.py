"""The tuner of a cell, with settings that cross-validation chooses where the plan gives several."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar

from hopefear.decoder import Decoder, InputError, Segment
from hopefear.tuners import BatchTuner, CrossValidation, choose_by_cross_validation

from .cells import Cell
from .tuner_lines import make_tuner

NONE = "none"
"""The line of a tuner that leaves the weights as they are."""


class Untuned:
    """What stands for a tuner where the weights stay as they are.

    Attributes
    ----------
    passes_ : list
        Empty.
    weights_ : dict of str to float
        The decoder's.
    """

    passes_: ClassVar[list[Any]] = []
    weights_: dict[str, float]

    def fit(self, decoder: Decoder, corpus: Sequence[Segment], **options: Any) -> None:
        """Look at the weights."""
        self.weights_ = decoder.weights.nonzero()


def make_cell_tuner(
    cell: Cell, decoder: Decoder, corpus: Sequence[Segment]
) -> tuple[Any, CrossValidation | None]:
    """Make the tuner of a cell, and tell how its settings were chosen, if they were.

    The line `NONE` stands for no tuning. Settings are chosen on the k-best lists of a run with those of the
    line.

    Raises
    ------
    InputError
        The tuner refuses its settings, or is none that learns from k-best lists and has settings to choose.
    """

    def make(**chosen: str) -> Any:
        tuner = make_tuner(cell.tuner.line, [f"{k}={v}" for k, v in chosen.items()], on_corpus=True)
        if cell.last_stage:
            tuner.last_seed = cell.seed
        elif "seed" in inspect.signature(type(tuner)).parameters:
            tuner.seed = cell.seed
        return tuner

    grid = cell.tuner.grid
    if cell.tuner.line == NONE and not grid:
        return Untuned(), None
    tuner = make()
    if not grid:
        return tuner, None
    if not isinstance(tuner, BatchTuner):
        raise InputError(f"{cell.tuner.line}: expected a batch tuner where settings are chosen from a grid")
    # A first run brings candidates from where good weights are, not only from where it started.
    before = decoder.weights.array.copy()
    pool = tuner.fit(decoder, corpus).pool_
    decoder.weights.replace(before)
    choices = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    found = choose_by_cross_validation(make, pool, choices, folds=cell.tuner.folds, seed=cell.seed)
    return make(**found.best), found
