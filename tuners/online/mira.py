"""Online large-margin training with forest oracles (Chiang, Marton & Resnik 2008, section 2)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Hypotheses
from hopefear.metrics import Bleu, Metric

from ..contract import Step, check_finite
from ..oracles import ForestHopeFear, Oracle, describe
from ..solvers import Constraints, solve
from .online import OnlineTuner

_SHARED_SETTINGS = ("C", "batch_size", "decay", "seed", "shuffle", "average")

_OF_DEFAULTS = {
    "oracle": ("k", "hope_mu", "fear_mu", "oracle_pop_limit"),
    "metric": ("effective_reference_length",),
}
"""Settings that count only where another is not given."""


class Mira(OnlineTuner):
    """MIRA with hope and fear from the forest (Chiang, Marton & Resnik 2008), or from another oracle.

    Parameters
    ----------
    C : float
        Of equation 1: how far an update goes at most.
    passes : int
        Over the corpus; fewer if the development set says so.
    k : int
        Hypotheses by each criterion: the model, hope, fear.
    hope_mu, fear_mu : float
        μ of equation 11.
    batch_size : int
        m: sentences of one update.
    decay : float
        Of the pseudo-document (equations 6 and 7).
    effective_reference_length : str
        Which of several reference lengths counts, see `hopefear.metrics.Bleu`; "shortest" in the paper.
    seed : int
        Of the order of the sentences.
    shuffle : bool
        Whether each pass has an order of its own.
    oracle_pop_limit : int
        Candidates scored at a node while looking for oracles; all of them where it is 0.
    average : {"last", "all", "none"}
        The weights that are learned: the mean over the last pass, over all passes, or those at the end.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    save_every : int
        Updates between two checkpoints; 0 to save after each pass only.
    oracle : Oracle, optional
        What chooses the hypotheses (`hopefear.tuners.oracles.oracles`); `ForestHopeFear` with `k`, `hope_mu`,
        `fear_mu` and `oracle_pop_limit` if not given.
    metric : Metric, optional
        What B of equation 8 measures; BLEU with `effective_reference_length` if not given. A forest is
        searched by BLEU only; other metrics want an oracle such as `KBestLocal`.

    Attributes
    ----------
    weights_ : dict of str to float
        The learned weights by name, without zeros.
    score_per_pass_ : list of float
        The metric's score of the development set after each pass, or, without one, that of the corpus as it
        was translated while the weights changed.
    passes_ : list of PassRecord
        The passes of the last `fit`.
    """

    CORPUS_SETTINGS: ClassVar[dict[str, Any]] = {
        "batch_size": 10,
        "C": 0.05,
        "average": "all",
        "decay": 0.99,
    }
    """What ``hopefear tune`` starts from: on the dev sets of tanaka, both directions and several seeds,
    better and steadier than the paper's settings, which are the defaults."""

    STEP_SIZE: ClassVar[str] = "C"

    def __init__(
        self,
        *,
        C: float = 0.01,
        passes: int = 8,
        k: int = 10,
        hope_mu: float = 0.5,
        fear_mu: float = math.inf,
        batch_size: int = 1,
        decay: float = 0.9,
        effective_reference_length: Any = "shortest",
        seed: int = 0,
        shuffle: bool = True,
        oracle_pop_limit: int = 0,
        average: str = "last",
        patience: int = 2,
        save_every: int = 500,
        oracle: Oracle | None = None,
        metric: Metric | None = None,
    ) -> None:
        super().__init__()
        self.C = C
        self.passes = passes
        self.k = k
        self.hope_mu = hope_mu
        self.fear_mu = fear_mu
        self.batch_size = batch_size
        self.decay = decay
        self.effective_reference_length = effective_reference_length
        self.seed = seed
        self.shuffle = shuffle
        self.oracle_pop_limit = oracle_pop_limit
        self.average = average
        self.patience = patience
        self.save_every = save_every
        self.oracle = oracle
        self.metric = metric

    def _make_oracle(self) -> Oracle:
        if self.oracle is not None:
            return self.oracle
        return ForestHopeFear(
            k=self.k, hope_mu=self.hope_mu, fear_mu=self.fear_mu, pop_limit=self.oracle_pop_limit
        )

    def _make_metric(self) -> Metric:
        if self.metric is not None:
            return self.metric
        return Bleu(effective_reference_length=self.effective_reference_length)

    def _settings(self) -> dict[str, Any]:
        # As text, since JSON has no infinity.
        return {
            **{name: repr(getattr(self, name)) for name in _SHARED_SETTINGS},
            "oracle": describe(self._make_oracle()),
            "metric": self._make_metric().signature(),
        }

    def _check_settings(self) -> None:
        super()._check_settings()
        check_finite("C", self.C, above=True)
        parameters = inspect.signature(Mira).parameters
        for given, names in _OF_DEFAULTS.items():
            for name in names:
                if getattr(self, given) is not None and getattr(self, name) != parameters[name].default:
                    raise ValueError(f"{name} is for the default {given} only: set it in the given {given}")

    def _step(self, batch: Sequence[Hypotheses], weights: NDArray[np.float64]) -> Step:
        solution = solve([Constraints.of(found) for found in batch], weights, self.C)
        return Step(solution.features, solution.change, solution.hinge, solution.steps)
