"""Soft ramp 3 by stochastic gradient descent (Gimpel 2012; Flanigan, Dyer & Carbonell 2013, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Hypotheses
from hopefear.metrics import Bleu, Metric

from ..contract import array, fact, setting
from ..oracles import ForestRamp, KBestRamp, Oracle, SearchSpace, SoftHypotheses
from ..pool import grounded_metric
from ..solvers import Sparse, summed
from .gradient import GradientTuner


@dataclass(frozen=True, slots=True)
class Slope:
    """The loss of a sentence, and how it falls."""

    features: Ints = array("i8", of_features=True, init=True)
    gradient: Floats = array(init=True)
    loss: float = fact(0.0, init=True)

    def restored(self) -> None:
        """Refuse arrays that contradict each other."""
        if len(self.features) != len(self.gradient):
            raise ValueError("expected a number for each feature")


@dataclass(kw_only=True, eq=False, repr=False)
class SoftRamp(GradientTuner):
    """Soft ramp 3 by SGD or, with another `rule`, by AdaGrad or by dual averaging with L1.

    The loss is that of `hopefear.tuners.oracles.ramp_loss`.

    Parameters
    ----------
    search : {"kbest", "forest"}
        What the loss sums over. In a forest the cost is ``a / |f|`` times the difference of B, BLEU in the
        context of a pseudo-document (equation 8 of Chiang et al. 2008), from B without a translation. This
        cost does not decompose over edges: the cost of an edge is what the edge adds to B of the best
        derivations below it, with unclipped matches (`BleuOracle.rescore`). The sums are exact for these
        costs. The loss may then be below 0.
    cost_scale : float
        a, the factor of the cost.
    k : int
        Length of the k-best list.
    batch_size : int
        Sentences of one update; their losses are added up.
    sentence_metric : Metric, optional
        BLEU of the cost in k-best lists; where `metric` is BLEU, grounded BLEU+1 with smoothed brevity
        penalty if not given, else `metric`.
    metric : Metric, optional
        The metric that is reported; BLEU if not given.
    pop_limit : int
        Candidates scored at a node where a forest gets its costs; 0 for all of them.
    rule, rate, l2, l1, delta
        See `GradientTuner`.
    passes, seed, shuffle, average, patience, decay, save_every
        See `OnlineTuner`; with k-best lists the pseudo-document, and `decay`, do not change what is learned.
    """

    EXAMPLE: ClassVar[type | None] = Slope

    search: str = setting("kbest", choices=("kbest", "forest"))
    cost_scale: float = setting(20.0, above=0, finite=True)
    k: int = setting(1000, least=1)
    sentence_metric: Metric | None = None
    pop_limit: int = setting(0, least=0)
    average: str = "all"
    decay: float = 0.99

    def _check_settings(self) -> None:
        super()._check_settings()
        metric, own = self.make_metric(), self.make_sentence_metric()
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

    def make_sentence_metric(self) -> Metric:
        """Return the metric of the cost in k-best lists."""
        if self.sentence_metric is not None:
            return self.sentence_metric
        return grounded_metric(self.make_metric())

    def make_oracle(self, memory: Any) -> Oracle:
        """Return what computes the loss of a sentence."""
        if self.search == "forest":
            return ForestRamp(self.cost_scale, self.pop_limit)
        return KBestRamp(self.cost_scale, self.k, self.make_sentence_metric())

    def example(self, found: Hypotheses, space: SearchSpace, memory: Any) -> Slope:
        """Return the gradient of the sentence's loss."""
        if not isinstance(found, SoftHypotheses):
            raise TypeError(f"expected SoftHypotheses, got {type(found).__name__}")
        return Slope(found.features, found.gradient, found.ramp)

    def gradient(self, batch: Sequence[Slope], weights: Floats) -> tuple[Sparse, float]:
        """Return the sum of the gradients, and of the losses."""
        summed_up = summed([one.features for one in batch], [one.gradient for one in batch])
        return summed_up, sum(one.loss for one in batch)
