"""How far a run of batch training is: all that a stopped run needs to go on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError

from ..contract import (
    Interval,
    State,
    check_resumed,
    check_same_features,
    load_features,
    load_record,
    save_lines,
    with_development,
)
from ..pool import Candidates


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One pass: translate, pool, optimise.

    Attributes
    ----------
    pass_number : int
        From 1.
    metric : str
        The name of the metric whose scores these are, in per cent.
    score : float
        Of the 1-best translations with the weights that the pass began with.
    pool_score : float
        Of the pool's best candidates by the weights that it ended with.
    development_score : float or None
        Of the development set, translated with the weights that it ended with.
    candidates, new : int
        In the pool, and how many of them this pass brought.
    change : float
        Euclidean length of the change of the weights.
    skipped : int
        Segments that no derivation covers.
    seconds : float
        Of processor time, without the development set.
    score_interval, development_interval : (float, float) or None
        Around `score` and `development_score`: see `hopefear.tuners.contract.base.Interval`. None where there
        is no such score, or the record comes from a checkpoint of before there were intervals.
    chosen : bool
        Whether the weights that it ended with are the result, unless a later pass is chosen, too.
    """

    pass_number: int
    metric: str
    score: float
    pool_score: float
    development_score: float | None
    candidates: int
    new: int
    change: float
    skipped: int
    seconds: float
    score_interval: Interval | None = field(default=None, kw_only=True)
    development_interval: Interval | None = field(default=None, kw_only=True)
    chosen: bool = field(default=False, kw_only=True)

    @property
    def note(self) -> str:
        """Say in a few words how well it went, for a progress bar."""
        return with_development(f"pool {self.metric} {self.pool_score:.2f}", self.development_score)


_FREE = {"passes", "patience", "threads", "metric"}
"""Settings that a resumed run need not share; of the metric its signature counts."""

OnBatchPass = Callable[[BatchRecord], None]


@dataclass
class BatchProgress:
    """Where a run of a batch tuner stands after its last complete pass.

    Attributes
    ----------
    pool : Candidates
        All candidates so far; its `weights` are the decoder's.
    weights : array of float64
        After the last pass, by feature number.
    passes : list of BatchRecord
        The passes that are complete.
    converged : bool
        Whether the last pass brought nothing new.
    chosen : array of float64
        The weights that did best on the development set; empty where there is none.
    """

    pool: Candidates
    weights: NDArray[np.float64]
    passes: list[BatchRecord] = field(default_factory=list)
    converged: bool = False
    chosen: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def learned(self) -> NDArray[np.float64]:
        """The weights chosen by the development set, or the last ones."""
        return self.chosen if len(self.chosen) else self.weights

    def finish_pass(self, record: BatchRecord, weights: NDArray[np.float64], converged: bool) -> None:
        """Record a pass, and choose its weights if they do best so far."""
        self.passes.append(record)
        self.weights, self.converged = weights, converged
        since_best = self._passes_since_best()
        if since_best == 0:
            self.chosen = weights
        self.passes[-1] = replace(record, chosen=since_best in (None, 0))

    def stagnant(self, patience: int) -> bool:
        """Whether the last `patience` passes brought no new best score of the development set."""
        since = self._passes_since_best()
        return since is not None and since >= patience

    def _passes_since_best(self) -> int | None:
        sign = 1 if self.pool.metric.higher_is_better else -1
        scores = [sign * r.development_score for r in self.passes if r.development_score is not None]
        return len(scores) - 1 - scores.index(max(scores)) if scores else None

    def get_state(self, settings: dict[str, str]) -> State:
        """Give the state, and the settings of the run with it."""
        return {
            "facts": {
                "settings": settings,
                "passes": [asdict(record) for record in self.passes],
                "converged": self.converged,
            },
            "arrays": {
                "names": save_lines(name for name, _ in self.pool.weights),
                "weights": self.weights,
                "chosen": self.chosen,
                **self.pool.get_arrays(),
            },
        }

    def set_state(self, state: State, settings: dict[str, str]) -> None:
        """Go back to a state, the weights too.

        Raises
        ------
        InputError
            It is of a run with other settings, another corpus or other features, or incomplete.
        """
        try:
            facts, arrays = state["facts"], state["arrays"]
            check_resumed(facts["settings"], settings)
            check_same_features(arrays["names"], self.pool.weights)
            self.passes = [load_record(BatchRecord, record) for record in facts["passes"]]
            self.converged = bool(facts["converged"])
            self.weights, self.chosen = arrays["weights"], arrays["chosen"]
            known = len(load_features(arrays["names"], self.pool.weights))
            if len(self.weights) > known or len(self.chosen) > known:
                raise ValueError("the number of names")
            self.pool.set_arrays(arrays)
        except InputError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(f"expected the state of a batch tuner; missing or wrong: {error}") from None
        self.pool.weights.replace(self.weights)


def shared_settings(tuner: Any, pool: Candidates) -> dict[str, str]:
    """Give the settings that a resumed run must share, as text, since JSON has no infinity."""
    names = [name for name in inspect.signature(type(tuner)).parameters if name not in _FREE]
    selection = pool.weights.selection
    return {
        "tuner": type(tuner).__name__,
        **{name: repr(getattr(tuner, name)) for name in names},
        "metric": pool.metric.signature(),
        "selection": selection.comment() if selection is not None else "",
    }
