"""What an online tuner adds to its settings: how it learns from the sentences of a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Hypotheses, ScoredList
from hopefear.metrics import Bleu, Metric

from ..contract import Step
from ..oracles import ForestHopeFear, Oracle, SearchSpace


class UpdateRule(ABC):
    """How an online tuner learns; `update` is all that a rule must define.

    A rule keeps nothing itself. What it learns besides the weights is in its memory, an object that a run
    makes, saves and restores: see `make_memory`.
    """

    STEP_SIZE: ClassVar[str | None] = None
    """The setting that says how far an update goes."""

    EXAMPLE: ClassVar[type | None] = None
    """The class of what `example` returns, where workers send it to each other: its fields declare
    arrays, see `hopefear.base.state`."""

    average: str
    """Which weights are learned: see `OnlineTuner`."""
    metric: Metric | None

    @abstractmethod
    def update(self, batch: Sequence[Any], weights: NDArray[np.float64], memory: Any) -> Step:
        """Return the change that a batch asks for.

        Parameters
        ----------
        batch : sequence
            What `example` has returned of each sentence, at least one.
        weights : array of float64
            By feature number; not to be changed.
        memory
            What `make_memory` has made; free to be changed.
        """

    def make_memory(self) -> Any:
        """Return what a run keeps besides the weights: an object with declared state, or None."""
        return None

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

    def after_update(self, weights: NDArray[np.float64], memory: Any) -> None:  # noqa: B027  may stay empty
        """Set weights that follow from others; called after each update."""

    def settle(self, weights: NDArray[np.float64], memory: Any) -> None:  # noqa: B027  may stay empty
        """Do to the weights what was put off; called when they are asked for, where they are not averaged."""

    def finish(self, learned: NDArray[np.float64], memory: Any) -> None:  # noqa: B027  may stay empty
        """Change what was learned into the weights that others are to have."""

    @property
    def remedy(self) -> str:
        """What to change where weights become infinite, for messages."""
        if self.STEP_SIZE is None:
            return "take smaller steps"
        return f"lower {self.STEP_SIZE} (it is {getattr(self, self.STEP_SIZE)})"
