"""What an online algorithm is: settings, the memory that it begins with, and one update by a batch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hopefear.base.arrays import Floats
from hopefear.decoder import Hypotheses, ScoredList
from hopefear.metrics import Bleu, Metric, PseudoDocument

from ..contract import ByFamily, PassRecord, PassTuner, Step, Training, setting
from ..oracles import ForestHopeFear, Oracle, SearchSpace
from .run import OnlineRun


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineAlgorithm(PassTuner[OnlineRun, PassRecord], ByFamily):
    """Settings, `init` and `update`, which is all that an algorithm must define.

    An algorithm keeps nothing itself. What it learns besides the weights is in its memory, an object that
    `init` makes, and that the loop (`OnlineLoop`) owns, saves and restores.
    """

    STEP_SIZE: ClassVar[str | None] = None
    """The setting that says how far an update goes."""

    EXAMPLE: ClassVar[type | None] = None
    """The class of what `example` returns, where workers send it to each other: its fields declare
    arrays, see `hopefear.base.state`."""

    passes: int = setting(8, least=1, shared=False)
    starts: int = setting(1, least=1)
    batch_size: int = setting(1, least=1)
    decay: float = setting(0.9, least=0, most=1)
    seed: int = setting(0, least=0)
    shuffle: bool = True
    average: str = setting("last", choices=("last", "all", "none"))
    patience: int | None = setting(2, least=1, shared=False)
    save_every: int = setting(500, least=0, shared=False)
    metric: Metric | None = None

    @abstractmethod
    def update(self, batch: Sequence[Any], weights: Floats, memory: Any) -> Step:
        """Return the change that a batch asks for.

        Parameters
        ----------
        batch : sequence
            What `example` has returned of each sentence, at least one.
        weights : array of float64
            By feature number; not to be changed.
        memory
            What `init` has made; free to be changed.

        An `update` with a fourth parameter, `rates`, is also given a function that returns the learning rates
        of features by family, 0 for those that are fixed; None without families. Changes of other tuners are
        multiplied by these rates.
        """

    def init(self) -> Any:
        """Return what is kept besides the weights: an object with declared state, or None."""
        return None

    def begin(self, training: Training, document: PseudoDocument, memory: Any) -> None:
        """Set weights, document and memory for the first pass; a run that is resumed has them already."""

    def make_oracle(self, memory: Any) -> Oracle:
        """Return what chooses the hypotheses of a sentence."""
        return ForestHopeFear()

    def make_metric(self) -> Metric:
        """Return the metric of the pseudo-document: BLEU if no metric is given."""
        return Bleu() if self.metric is None else self.metric

    def example(self, found: Hypotheses, space: SearchSpace, memory: Any) -> Any:
        """Return what `update` is to have of a sentence.

        Parameters
        ----------
        found : Hypotheses
            What the oracle has chosen.
        space : SearchSpace
            What it has chosen from; the document of the space is another one after the sentence.
        """
        return found

    @property
    def keeps_forests(self) -> bool:
        """Whether examples have forests, which no checkpoint can hold: see `searchable`."""
        return False

    def searchable(self, example: Any, space: SearchSpace) -> Any:
        """Return an example that comes out of a checkpoint, with the forest that its sentence had."""
        return example

    def joining(self, found: Hypotheses) -> ScoredList | None:
        """Return whose first translation joins the pseudo-document; None for the 1-best translation."""
        return None

    def after_update(self, weights: Floats, memory: Any) -> None:
        """Set weights that follow from others; called after each update."""

    def settle(self, weights: Floats, memory: Any) -> None:
        """Do to the weights what was put off; called when they are asked for, where they are not averaged."""

    def finish(self, learned: Floats, memory: Any) -> None:
        """Change what was learned into the weights that others are to have."""

    def order(self, number: int, sentences: int, start: int = 0) -> list[int]:
        """Return the order of the sentences in a pass; of several first passes, `start` are done."""
        rng = np.random.default_rng(
            [self.seed, number, start] if number == 1 and start else [self.seed, number]
        )
        return list(map(int, rng.permutation(sentences) if self.shuffle else range(sentences)))

    @property
    def remedy(self) -> str:
        """What to change where weights become infinite, for messages."""
        if self.STEP_SIZE is None:
            return "take smaller steps"
        return f"lower {self.STEP_SIZE} (it is {getattr(self, self.STEP_SIZE)})"
