"""How far a run of HOLS is: all that a stopped run needs to go on, at whatever stage."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Weights

from ..batch import BatchRecord
from ..contract import (
    Interval,
    State,
    TuningError,
    check_resumed,
    check_same_features,
    load_record,
    save_lines,
    with_development,
)
from .gradient_sum import GradientSum
from .sparse_line import SparseLine
from .sparse_line_search import LineSearch

_SEARCH = "search_"
"""What the arrays of a line search under way begin with."""


@dataclass(frozen=True, slots=True)
class HolsRecord(BatchRecord):
    """One update: a gradient, then a line search.

    Attributes
    ----------
    pass_number : int
        Of the update, from 1.
    metric, score, pool_score, candidates, new : str, float, float, int and int
        Of the set of the line search: see `BatchRecord`. The pool is new in each update.
    development_score : float or None
        Of the development set, translated with the weights that the update ended with.
    change : float
        Euclidean length of the change of all weights.
    skipped : int
        Training segments that no derivation covers.
    seconds : float
        Of processor time, without the development set.
    sentences : int
        Training segments that the gradient was taken over.
    loss : float
        Their soft ramp, with the weights that the update began with.
    features : int
        Sparse features that the gradient moves.
    step : float
        α, the weight of g·f_s.
    searches : int
        Passes of the line search.
    search_score : float
        Of the set of the line search, translated with the weights that the update ended with.
    search_interval : (float, float) or None
        Around it: see `hopefear.tuners.contract.base.Interval`.
    held_out : bool
        Whether the set of the line search is another one than that of the last update.
    """

    sentences: int
    loss: float
    features: int
    step: float
    searches: int
    search_score: float
    search_interval: Interval | None = field(default=None, kw_only=True)
    held_out: bool = field(default=False, kw_only=True)

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return with_development(f"line search {self.metric} {self.search_score:.2f}", self.development_score)


@dataclass
class HolsProgress:
    """Where a run of HOLS stands.

    Attributes
    ----------
    weights : array of float64
        Those that the update under way began with, by feature number.
    records : list of HolsRecord
        The updates that are complete.
    gradient : GradientSum
        Of the update under way, as far as it is.
    direction : array of float64 or None
        What came of the gradient, once it is complete.
    search : State or None
        Of a line search that was stopped and has not gone on yet.
    chosen : array of float64 or None
        The weights that did best on the development set.
    chosen_score : float or None
        Their score.
    """

    weights: NDArray[np.float64]
    records: list[HolsRecord] = field(default_factory=list)
    gradient: GradientSum = field(default_factory=GradientSum)
    direction: NDArray[np.float64] | None = None
    search: State | None = None
    chosen: NDArray[np.float64] | None = None
    chosen_score: float | None = None

    @property
    def learned(self) -> NDArray[np.float64]:
        """The weights chosen by the development set, or the last ones."""
        return self.weights if self.chosen is None else self.chosen

    def record(self, search: LineSearch, line: SparseLine, *, held_out: bool) -> HolsRecord:
        """Give the record of the update under way after the passes of its line search, at least one.

        Parameters
        ----------
        held_out : bool
            See `HolsRecord`.

        Raises
        ------
        TuningError
            All weights are zero.
        """
        if not line.decoder.weights.array.any():
            raise TuningError("all weights are zero after a line search: start from other weights")
        first, last = search.passes_[0], search.passes_[-1]
        assert self.direction is not None
        after = line.decoder.weights.array.copy()
        after[: len(self.weights)] -= self.weights
        return HolsRecord(
            pass_number=len(self.records) + 1,
            metric=last.metric,
            score=first.score,
            pool_score=last.pool_score,
            development_score=None,
            candidates=last.candidates,
            new=last.candidates,
            change=math.sqrt(math.fsum((after * after).tolist())),  # whatever the order of the features
            skipped=self.gradient.skipped,
            seconds=self.gradient.seconds + sum(record.seconds for record in search.passes_),
            sentences=self.gradient.sentences,
            loss=self.gradient.loss,
            features=int(np.count_nonzero(self.direction)),
            step=search.step,
            searches=len(search.passes_),
            search_score=search.score,
            score_interval=first.score_interval,
            search_interval=search.interval,
            held_out=held_out,
        )

    def finish_update(
        self, record: HolsRecord, weights: NDArray[np.float64], *, higher_is_better: bool
    ) -> None:
        """Record an update, choose its weights if they do best so far, and begin the next."""
        self.weights, self.gradient, self.direction, self.search = weights, GradientSum(), None, None
        score, sign = record.development_score, 1 if higher_is_better else -1
        better = score is not None and (self.chosen_score is None or sign * score > sign * self.chosen_score)
        if better:
            self.chosen, self.chosen_score = weights, score
        self.records.append(replace(record, chosen=better or score is None))

    def get_state(self, settings: dict[str, str], weights: Weights, search: State | None) -> State:
        """Give the state, and the settings of the run with it.

        Parameters
        ----------
        search : State or None
            Of the line search under way.
        """
        facts, arrays = self.gradient.get_state()
        state: State = {
            "facts": {
                "settings": settings,
                "records": [asdict(record) for record in self.records],
                "gradient": facts,
                "chosen_score": self.chosen_score,
                "search": None if search is None else search["facts"],
            },
            "arrays": {
                "names": save_lines(name for name, _ in weights),
                "weights": self.weights,
                **arrays,
            },
        }
        if self.direction is not None:
            state["arrays"]["direction"] = self.direction
        if self.chosen is not None:
            state["arrays"]["chosen"] = self.chosen
        if search is not None:
            state["arrays"].update({_SEARCH + name: array for name, array in search["arrays"].items()})
        return state

    def set_state(self, state: State, settings: dict[str, str], weights: Weights) -> None:
        """Go back to a state; the decoder's weights become those that the update under way began with.

        Raises
        ------
        InputError
            It is of a run with other settings, other training data or other features, or incomplete.
        """
        try:
            facts, arrays = state["facts"], state["arrays"]
            check_resumed(facts["settings"], settings)
            check_same_features(arrays["names"], weights)
            if len(arrays["weights"]) > len(weights):
                raise ValueError("the number of names")
            self.records = [load_record(HolsRecord, record) for record in facts["records"]]
            self.gradient.set_state(facts["gradient"], arrays)
            self.weights, self.direction = arrays["weights"], arrays.get("direction")
            self.chosen, self.chosen_score = arrays.get("chosen"), facts["chosen_score"]
            self.search = _search_state(facts["search"], arrays)
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(f"expected the state of HOLS; missing or wrong: {error}") from None
        weights.replace(self.weights)


def _search_state(facts: dict[str, Any] | None, arrays: dict[str, NDArray[Any]]) -> State | None:
    if facts is None:
        return None
    own = {name.removeprefix(_SEARCH): x for name, x in arrays.items() if name.startswith(_SEARCH)}
    return {"facts": facts, "arrays": own}
