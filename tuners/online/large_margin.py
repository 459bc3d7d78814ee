"""Online large-margin training with memorised oracles (Watanabe, Suzuki, Tsukada & Isozaki 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Hypotheses, Segment, Weights
from hopefear.metrics import Bleu, Metric

from ..contract import State, Step, check_finite
from ..oracles import MemorisedOracles, Oracle, OracleMemory
from ..solvers.pairs import RULES, Pairs, update
from .online import OnlineTuner

_SHARED_SETTINGS = (
    "step",
    "C",
    "m",
    "k",
    "nbest",
    "loss_scale",
    "batch_size",
    "decay",
    "seed",
    "shuffle",
    "average",
)


class OnlineLargeMargin(OnlineTuner):
    """Online large-margin training: m oracles against the k best, for each sentence in turn.

    The oracles are the m best translations that any pass has found: O^t ← oracle_m(O^t ∪ C^t), C^t the n
    best by the model, of which the first k are learned from. The loss of a translation e' beside an oracle
    ê is how much the metric of the document of all sentences' first oracles loses when it has e' in place
    of ê. An e' that is as good as ê or better gives no constraint.

    Parameters
    ----------
    step : {"margin", "perceptron", "sgd"}
        What an update is: the least change that keeps the margins (in the paper for one pair, here exact for
        any number of them); α = 1 for each pair in which the model does not prefer ê (Liang et al. 2006);
        α = η L max(0, 1 - margin) (Tillmann & Zhang 2006).
    C : float
        How far an update goes: C of "margin", η of "sgd"; "perceptron" does not ask.
    m : int
        Oracles of a sentence.
    k : int
        Translations by the model. With ``m=1, k=1`` an update is the closed form of the paper.
    nbest : int
        Translations by the model that oracles are looked for among, at least k.
    loss_scale : float
        What the loss is multiplied by: that of the metric, as a number from 0 to 1, times the number of
        sentences in the document, so that a sentence's loss is about the same however many there are.
    passes : int
        Over the corpus; fewer if the development set says so.
    batch_size : int
        Sentences of one update.
    decay : float
        Of the pseudo-document of the 1-best translations, which is reported and no more.
    seed : int
        Of the order of the sentences.
    shuffle : bool
        Whether each pass has an order of its own.
    average : {"last", "all", "none"}
        Learn the average of the weights after each update, of the last pass or of all, or those at the end.
    patience : int
        Stop after so many passes in a row without a new best score of the development set.
    save_every : int
        Updates between two checkpoints, which hold the oracles; 0 to save after each pass only.
    metric : Metric, optional
        What the document is scored by; if not given, BLEU with the closest reference length that counts 0.01
        match for an order without any, so that the first sentences, too, have a loss.

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

    STEP_SIZE: ClassVar[str] = "C"

    def __init__(
        self,
        *,
        step: str = "margin",
        C: float = 0.001,
        m: int = 10,
        k: int = 10,
        nbest: int = 10,
        loss_scale: float = 1.0,
        passes: int = 8,
        batch_size: int = 1,
        decay: float = 0.9,
        seed: int = 0,
        shuffle: bool = True,
        average: str = "all",
        patience: int = 2,
        save_every: int = 500,
        metric: Metric | None = None,
    ) -> None:
        super().__init__()
        self.step = step
        self.C = C
        self.m = m
        self.k = k
        self.nbest = nbest
        self.loss_scale = loss_scale
        self.passes = passes
        self.batch_size = batch_size
        self.decay = decay
        self.seed = seed
        self.shuffle = shuffle
        self.average = average
        self.patience = patience
        self.save_every = save_every
        self.metric = metric
        self._memory = OracleMemory()

    def _start(self, corpus: Sequence[Segment]) -> None:
        ids = set[int | str]()
        for segment in corpus:
            if segment.id in ids:
                raise InputError(
                    "expected a different id for each segment, because the id is the key of its oracles, "
                    f"got {segment.id} twice",
                    path=segment.where,
                )
            ids.add(segment.id)
        self._memory = OracleMemory()

    def _own_state(self, weights: Weights) -> State:
        return self._memory.get_state(weights)

    def _set_own_state(self, state: State, weights: Weights) -> None:
        self._memory.set_state(state, weights)

    def _make_oracle(self) -> Oracle:
        return MemorisedOracles(memory=self._memory, m=self.m, k=self.k, nbest=self.nbest)

    def _make_metric(self) -> Metric:
        return Bleu(smoothing="floor") if self.metric is None else self.metric

    def _settings(self) -> dict[str, Any]:
        return {
            **{name: repr(getattr(self, name)) for name in _SHARED_SETTINGS},
            "oracle": "memorised",
            "metric": self._make_metric().signature(),
        }

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.step not in RULES:
            raise ValueError(f"step must be one of {', '.join(RULES)}, got {self.step!r}")
        for name in ("C", "loss_scale"):
            check_finite(name, getattr(self, name), above=True)

    def _step(self, batch: Sequence[Hypotheses], weights: NDArray[np.float64]) -> Step:
        assert self._run is not None
        metric, sentences = self._run.metric, []
        for found in batch:
            oracles, others = (
                self._memory.quality(found.segment.id, x.statistics, metric) for x in (found.hope, found.best)
            )
            size = self._memory.size(found.segment.id)
            loss = self.loss_scale * size * (oracles[:, None] - others) / 100
            sentences.append((found.hope.translations, found.best.translations, loss))
        for found in batch:
            self._memory.remember(found.segment.id, found.hope)
        return update(Pairs.of(sentences), weights, self.step, self.C)
