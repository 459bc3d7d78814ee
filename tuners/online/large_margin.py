"""Online large-margin training with memorised oracles (Watanabe, Suzuki, Tsukada & Isozaki 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hopefear.base import InputError
from hopefear.base.arrays import Floats
from hopefear.decoder import Hypotheses
from hopefear.metrics import Bleu, Metric, PseudoDocument

from ..contract import Step, Training, setting
from ..oracles import MemorisedOracles, Oracle, OracleMemory, SearchSpace
from ..solvers import PAIR_UPDATES, Pairs, pair_update
from .online import OnlineTuner


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineLargeMargin(OnlineTuner):
    """Online large-margin training: m oracles against the k best, for each sentence in turn.

    The oracles are the m best translations that any pass has found: O^t ← oracle_m(O^t ∪ C^t), C^t the n
    best by the model, of which the first k are learned from. The loss of a translation e' beside an oracle
    ê is how much the metric of the document of all sentences' first oracles loses when it has e' in place
    of ê. An e' that is as good as ê or better gives no constraint.

    Parameters
    ----------
    step : {"margin", "perceptron", "sgd"}
        The update: the smallest change that satisfies all margins (in the paper for one pair, here exact for
        any number of pairs); α = 1 for each pair in which the model does not prefer ê (Liang et al. 2006);
        α = η L max(0, 1 - margin) (Tillmann & Zhang 2006).
    C : float
        How far an update goes: C of "margin", η of "sgd"; "perceptron" does not use it.
    m : int
        Oracles of a sentence.
    k : int
        Translations by the model. With ``m=1, k=1`` an update is the closed form of the paper.
    nbest : int
        Translations by the model from which oracles are chosen, at least k.
    loss_scale : float
        Factor of the loss. The loss is that of the metric, from 0 to 1, times the number of sentences in the
        document, so that a sentence's loss does not depend on how many sentences there are.
    decay : float
        Of the pseudo-document of the 1-best translations, which is only reported.
    metric : Metric, optional
        The metric of the document; if not given, BLEU with the closest reference length that counts 0.01
        match for an n-gram order without any match, so that the first sentences also have a loss.
    passes, batch_size, seed, shuffle, average, patience, save_every
        See `OnlineTuner`; checkpoints hold the oracles.
    """

    STEP_SIZE: ClassVar[str | None] = "C"

    step: str = setting("margin", choices=PAIR_UPDATES)
    C: float = setting(0.001, above=0, finite=True)
    m: int = setting(10, least=1)
    k: int = setting(10, least=1)
    nbest: int = 10
    loss_scale: float = setting(1.0, above=0, finite=True)
    average: str = "all"

    def init(self) -> OracleMemory:
        """Return the memory of oracles."""
        return OracleMemory()

    def make_oracle(self, memory: OracleMemory) -> Oracle:
        """Return the oracle of the paper."""
        return MemorisedOracles(memory=memory, m=self.m, k=self.k, nbest=self.nbest)

    def make_metric(self) -> Metric:
        """Return the metric of the document."""
        return Bleu(smoothing="floor") if self.metric is None else self.metric

    def example(self, found: Hypotheses, space: SearchSpace, memory: Any) -> tuple[Hypotheses, Metric]:
        """Return the hypotheses, and the metric of the document."""
        return found, space.document.metric

    def update(
        self, batch: Sequence[tuple[Hypotheses, Metric]], weights: Floats, memory: OracleMemory
    ) -> Step:
        """Return the change by pairs of oracles and other translations; remember the oracles."""
        sentences = []
        for found, metric in batch:
            oracles, others = (
                memory.quality(found.segment.id, x.statistics, metric) for x in (found.hope, found.best)
            )
            size = memory.size(found.segment.id)
            loss = self.loss_scale * size * (oracles[:, None] - others) / 100
            sentences.append((found.hope.translations, found.best.translations, loss))
        for found, _ in batch:
            memory.remember(found.segment.id, found.hope)
        return pair_update(Pairs.of(sentences), weights, self.step, self.C)

    def begin(self, training: Training, document: PseudoDocument, memory: OracleMemory) -> None:
        """Refuse segments that share an id."""
        ids = set[int | str]()
        for segment in training.corpus:
            if segment.id in ids:
                raise InputError(
                    "expected a different id for each segment, because the id is the key of its oracles, "
                    f"got {segment.id} twice",
                    path=segment.where,
                )
            ids.add(segment.id)

    def _check_settings(self) -> None:
        super()._check_settings()
        if not self.nbest >= self.k:
            raise ValueError(f"nbest must be at least {self.k}, got {self.nbest}")
