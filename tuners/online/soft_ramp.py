"""Soft ramp 3 by stochastic gradient descent (Gimpel 2012; Flanigan, Dyer & Carbonell 2013, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Hypotheses
from hopefear.metrics import Bleu, Metric

from ..contract import check_at_least, check_finite
from ..oracles import ForestRamp, KBestRamp, Oracle, SoftHypotheses
from ..pool import grounded_metric
from ..solvers import Sparse, summed
from .gradient import GradientTuner

_SHARED_SETTINGS = (
    *("search", "cost_scale", "k", "pop_limit"),
    *("batch_size", "decay", "seed", "shuffle", "average"),
)


class SoftRamp(GradientTuner):
    """Soft ramp 3 SGD; AdaGrad or L1 by dual averaging with another `rule`.

    `hopefear.tuners.oracles.ramp_loss` has the loss.

    Parameters
    ----------
    search : {"kbest", "forest"}
        What the loss sums over. On a forest the cost is a / |f| times what B of equation 8 of Chiang et al.
        2008, BLEU in the context of a pseudo-document, lacks from that of no translation. It does not split
        over edges: an edge has what it adds to B of the best derivations below it, with unclipped matches
        (`BleuOracle.rescore`), and with these costs the sums are exact. The loss may then be below 0.
    cost_scale : float
        a.
    passes : int
        Over the corpus; fewer if the development set says so.
    k : int
        Length of the k-best list.
    rule : {"sgd", "adagrad", "rda"}
        How far an update goes, see `hopefear.tuners.solvers.step_rules`.
    rate : float
        η of the rule.
    l2, l1, delta : float
        Of the rules "sgd", "rda", and both others. An average of weights is never sparse: with `l1`,
        `average` should be "none".
    batch_size : int
        Sentences of one update, the losses of which are added up.
    sentence_metric : Metric, optional
        BLEU of the cost in k-best lists; where `metric` is BLEU, grounded BLEU+1 with smoothed brevity
        penalty if not given, else `metric`.
    metric : Metric, optional
        What is reported; BLEU if not given.
    pop_limit : int
        Candidates scored at a node where a forest gets its costs; all of them where it is 0.
    seed, shuffle, average, patience, decay, save_every
        As in `Mira`; with k-best lists the pseudo-document plays no part in what is learned.

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

    def __init__(
        self,
        *,
        search: str = "kbest",
        cost_scale: float = 20.0,
        passes: int = 8,
        k: int = 1000,
        rule: str = "sgd",
        rate: float = 0.01,
        l2: float = 0.0,
        l1: float = 0.0,
        delta: float = 1e-6,
        batch_size: int = 1,
        sentence_metric: Metric | None = None,
        metric: Metric | None = None,
        pop_limit: int = 0,
        seed: int = 0,
        shuffle: bool = True,
        average: str = "all",
        patience: int = 2,
        decay: float = 0.99,
        save_every: int = 500,
    ) -> None:
        super().__init__()
        self.search = search
        self.cost_scale = cost_scale
        self.passes = passes
        self.k = k
        self.rule = rule
        self.rate = rate
        self.l2 = l2
        self.l1 = l1
        self.delta = delta
        self.batch_size = batch_size
        self.sentence_metric = sentence_metric
        self.metric = metric
        self.pop_limit = pop_limit
        self.seed = seed
        self.shuffle = shuffle
        self.average = average
        self.patience = patience
        self.decay = decay
        self.save_every = save_every

    def _check_settings(self) -> None:
        super()._check_settings()
        check_at_least(self, k=1, pop_limit=0)
        check_finite("cost_scale", self.cost_scale, above=True)
        if self.search not in ("kbest", "forest"):
            raise ValueError(f"search must be 'kbest' or 'forest', got {self.search!r}")
        metric, own = self._make_metric(), self._make_sentence_metric()
        if own.size != metric.size:
            raise ValueError(
                f"sentence_metric must use the statistics of {metric.signature()}, got {own.signature()}"
            )
        if self.search == "forest":
            if not isinstance(metric, Bleu) or metric.order != 4:
                raise ValueError(
                    f"metric must be BLEU of order 4 with search='forest', got {metric.signature()}"
                )
            if self.sentence_metric is not None:
                raise ValueError("sentence_metric is for search='kbest' only")

    def _make_metric(self) -> Metric:
        return Bleu() if self.metric is None else self.metric

    def _make_sentence_metric(self) -> Metric:
        if self.sentence_metric is not None:
            return self.sentence_metric
        return grounded_metric(self._make_metric())

    def _make_oracle(self) -> Oracle:
        if self.search == "forest":
            return ForestRamp(self.cost_scale, self.pop_limit)
        return KBestRamp(self.cost_scale, self.k, self._make_sentence_metric())

    def _settings(self) -> dict[str, Any]:
        shared = (
            "search",
            "cost_scale",
            "k",
            "batch_size",
            "pop_limit",
            "decay",
            "seed",
            "shuffle",
            "average",
        )
        return {
            **{name: repr(getattr(self, name)) for name in shared},
            **self._rule_settings(),
            "metric": self._make_metric().signature(),
            "sentence_metric": self._make_sentence_metric().signature(),
        }

    def _gradient(self, batch: Sequence[Hypotheses], weights: NDArray[np.float64]) -> tuple[Sparse, float]:
        soft = [found for found in batch if isinstance(found, SoftHypotheses)]
        gradient = summed([found.features for found in soft], [found.gradient for found in soft])
        return gradient, sum(found.ramp for found in soft)
