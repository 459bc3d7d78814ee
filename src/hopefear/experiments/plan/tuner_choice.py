"""The tuner of a cell; cross-validation chooses settings for which the plan gives several values."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar

from hopefear.base import InputError
from hopefear.decoder import Segment, Translator
from hopefear.tuners import (
    CrossValidation,
    choose_by_cross_validation,
)
from hopefear.tuners.catalogue import make_tuner
from hopefear.tuners.contract import AnyTuner, Can, ListLearner, Record, Tuner, learns_from_lists

from .cells import Cell
from .plan import NONE


class Untuned:
    """A tuner that does not change the weights."""

    can: ClassVar[Can] = Can(0)
    passes_: Sequence[Record] = ()
    weights_: dict[str, float]

    def fit(self, decoder: Translator, corpus: Sequence[Segment], **options: Any) -> None:
        """Store the weights of the decoder."""
        self.weights_ = decoder.weights.nonzero()


def make_cell_tuner(
    cell: Cell, decoder: Translator, corpus: Sequence[Segment]
) -> tuple[AnyTuner, CrossValidation | None]:
    """Make the tuner of a cell, and describe how its settings were chosen, if they were chosen."""

    def make(**chosen: str) -> Tuner:
        settings = [f"{k}={v}" for k, v in chosen.items()]
        tuner = make_tuner(cell.tuner.line, settings, preset="text" if cell.tune.text else "")
        seed = "last_seed" if cell.last_stage else "seed"
        if seed in inspect.signature(type(tuner)).parameters:
            setattr(tuner, seed, cell.seed)
        return tuner

    def make_from_lists(**chosen: str) -> ListLearner:
        tuner = make(**chosen)
        if not learns_from_lists(tuner):
            raise InputError(
                f"{cell.tuner.line}: expected a batch tuner, because settings are chosen from a grid"
            )
        return tuner

    grid = cell.tuner.grid
    if cell.tuner.line == NONE and not grid:
        return Untuned(), None
    if not grid:
        return make(), None
    tuner = make_from_lists()
    # A first run gives candidates for good weights, not only for the weights of the start.
    before = decoder.weights.array.copy()
    pool = tuner.fit(decoder, corpus).pool_
    decoder.weights.replace(before)
    choices = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    found = choose_by_cross_validation(make_from_lists, pool, choices, folds=cell.tuner.folds, seed=cell.seed)
    return make(**found.best), found
