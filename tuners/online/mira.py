"""Online large-margin training with forest oracles (Chiang, Marton & Resnik 2008, section 2)."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from hopefear.base.arrays import Floats
from hopefear.decoder import Hypotheses, ScoredList
from hopefear.metrics import Bleu, Metric, PseudoDocument

from ..contract import Step, Training, excluded, setting
from ..oracles import ForestHopeFear, Oracle, SearchSpace
from ..solvers import Constraints, Rates, Rescaled, StepLength, solve, within_trust_region
from .online import OnlineTuner
from .scale import match_scales

M = TypeVar("M", bound="Mira")

PAPER: dict[str, Any] = {
    "batch_size": 1,
    "C": 0.01,
    "rate": 0.0,
    "trust_region": math.inf,
    "document": "best",
    "warm_up": 0,
    "average": "last",
    "decay": 0.9,
    "effective_reference_length": "shortest",
}
"""The settings of `Mira.paper`."""

TEXT: dict[str, Any] = {**PAPER, "batch_size": 10, "C": 0.001, "average": "all", "decay": 0.99}
"""The settings of `Mira.text`."""


@dataclass(kw_only=True, eq=False, repr=False)
class Mira(OnlineTuner):
    """MIRA with hope and fear from the forest (Chiang, Marton & Resnik 2008), or from another oracle.

    `Mira()` is what ``hopefear tune`` does: better and steadier than the paper (docs/use/tuners.md). Two
    presets change settings: `Mira.paper()` has those of the paper, with which live learning begins, and
    `Mira.text()` those of ``hopefear train``. Command lines and plans name them so, too: ``Mira.paper``.

    Parameters
    ----------
    C : float
        C of equation 1: how far an update goes at most.
    rate : float
        C of an update is `rate` times a measured step, see `hopefear.tuners.solvers.StepLength`, and at most
        `C`; 0, as in the paper, for the same C in all updates.
    trust_region : float
        By how much an update may change the differences of scores between e* and the other hypotheses of its
        batch, as a multiple of what these differences are, see `hopefear.tuners.solvers.within_trust_region`;
        infinity, as in the paper, for no bound.
    document : {"best", "hope"}
        What joins the pseudo-document: the 1-best translation, as in the paper; or the oracle translation e*.
        The losses of "hope" do not depend on how well the model translates at present.
    warm_up : int
        `fit` looks at so many sentences of the corpus first: they make up the first pseudo-document, and the
        initial weights are multiplied so that scores vary as much within a sentence as B; 0, as in the
        paper, for none.
    k : int
        Hypotheses by each criterion: the model, hope, fear.
    hope_mu, fear_mu : float
        μ of equation 11.
    effective_reference_length : str
        Which of several reference lengths counts, see `hopefear.metrics.Bleu`; "shortest" in the paper.
    oracle_pop_limit : int
        Candidates scored at a node while the forest is searched for hope and fear; 0 for all of them.
    oracle : Oracle, optional
        Chooses the hypotheses (`hopefear.tuners.oracles.oracles`); `ForestHopeFear` with `k`, `hope_mu`,
        `fear_mu` and `oracle_pop_limit` if not given.
    metric : Metric, optional
        The metric of B (equation 8); BLEU with `effective_reference_length` if not given. A forest is
        searched by BLEU only; other metrics need an oracle such as `KBestLocal`.
    passes, batch_size, decay, seed, shuffle, average, patience, save_every, families
        See `OnlineTuner`; m of the paper is `batch_size`. Where a family is fixed, `warm_up` multiplies no
        weights.
    """

    PRESETS: ClassVar[tuple[str, ...]] = ("paper", "text")
    STEP_SIZE: ClassVar[str | None] = "C"
    EXAMPLE: ClassVar[type | None] = Constraints

    batch_size: int = 10
    C: float = setting(1e6, above=0, finite=True)
    rate: float = setting(30.0, least=0, finite=True)
    trust_region: float = setting(1.0, above=0)
    document: str = setting("hope", choices=("best", "hope"))
    warm_up: int = setting(50, least=0)
    average: str = "all"
    decay: float = 0.99
    k: int = setting(10, least=1, unless="oracle")
    hope_mu: float = setting(0.5, unless="oracle")
    fear_mu: float = setting(math.inf, unless="oracle")
    effective_reference_length: Any = setting("closest", unless="metric")
    oracle_pop_limit: int = setting(0, unless="oracle")
    oracle: Oracle | None = None

    @classmethod
    def paper(cls: type[M], **settings: Any) -> M:
        """Return the tuner with the settings of the paper, but for those given; live learning starts so."""
        return cls._with(PAPER, settings)

    @classmethod
    def text(cls: type[M], **settings: Any) -> M:
        """Return the tuner with short steps, for many sparse features learned on a parallel text."""
        return cls._with(TEXT, settings)

    def init(self) -> Any:
        """Return the measured length of steps."""
        return StepLength(self.rate, self.C)

    def make_oracle(self, memory: Any) -> Oracle:
        """Return the oracle that is given, or `ForestHopeFear`."""
        if self.oracle is not None:
            return self.oracle
        return ForestHopeFear(
            k=self.k, hope_mu=self.hope_mu, fear_mu=self.fear_mu, pop_limit=self.oracle_pop_limit
        )

    def make_metric(self) -> Metric:
        """Return the metric that is given, or BLEU."""
        if self.metric is not None:
            return self.metric
        return Bleu(effective_reference_length=self.effective_reference_length)

    def joining(self, found: Hypotheses) -> ScoredList | None:
        """Return the oracle translation, or None for the 1-best translation."""
        return found.hope if self.document == "hope" else None

    def example(self, found: Hypotheses, space: SearchSpace, memory: Any) -> Constraints:
        """Return the hypotheses of all roles, with their losses."""
        return Constraints.of(found)

    def update(self, batch: Sequence[Any], weights: Floats, memory: Any, rates: Rates | None = None) -> Step:
        """Return the change that minimises equation 1, or a part of it within the trust region."""
        if rates is None:
            solution = solve(batch, weights, memory.of(batch, weights))
        else:
            scaled = Rescaled.of(batch, weights, rates)
            solution = scaled.solve(memory.of(scaled.batch, scaled.weights))
        step = Step(solution.features, solution.change, solution.hinge, solution.steps)
        return within_trust_region(step, batch, weights, self.trust_region)

    def begin(self, training: Training, document: PseudoDocument, memory: Any) -> None:
        """Match the scales of scores and losses, and fill the document with what was translated for it."""
        if self.warm_up and not training.resumed:
            corpus = training.corpus
            spread = corpus[:: -(-len(corpus) // self.warm_up)]  # whatever the seed
            executor, note = training.executor, training.hooks.bar.note
            hopes = self.document == "hope"
            scales = not any(each.fixed for each in self.by_family().values())
            match_scales(
                training.decoder, spread, document, hopes=hopes, scales=scales, executor=executor, note=note
            )

    @classmethod
    def _with(cls: type[M], preset: dict[str, Any], settings: dict[str, Any]) -> M:
        """Return the tuner with a preset, but for other settings, and for what has no meaning beside them."""
        without = {name for name, other in excluded(cls).items() if settings.get(other) is not None}
        known = inspect.signature(cls).parameters.keys() - without
        return cls(**{name: value for name, value in preset.items() if name in known} | settings)
