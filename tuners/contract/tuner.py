"""What callers may expect of a tuner, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import Segment, Translation, Translator
from hopefear.metrics import Metric
from hopefear.parallel import Executor

from .base import Record
from .checkpoint import State


class Tuner(Protocol):
    """What callers may expect of a tuner."""

    on_cluster: ClassVar[bool]
    skips: ClassVar[bool]
    learns_online: ClassVar[bool]
    learns_from_lists: ClassVar[bool]
    learns_from_folds: ClassVar[bool]
    learns_in_parallel: ClassVar[bool]

    executor: Executor | None
    weights_: dict[str, float]

    @property
    def passes_(self) -> Sequence[Record]:
        """The passes of the last `fit`."""

    def check(self) -> None:
        """Refuse settings that nothing can be learned with."""

    def can_begin(self, decoder: Translator, corpus: Sequence[Segment]) -> bool:
        """Tell whether the weights of the decoder are such as this tuner needs to begin with."""

    def fit(self, decoder: Translator, corpus: Sequence[Segment], **options: Any) -> Any:
        """Tune the decoder's weights on a corpus; the options are those of `PassTuner.fit`."""

    def get_state(self) -> State:
        """Return what a resumed `fit` goes on from."""


class OnlineLearner(Tuner, Protocol):
    """A tuner with ``learns_online = True``."""

    def partial_fit(self, decoder: Translator, forest: Translation, segment: Segment) -> Any:
        """Learn from one forest and the references of its segment."""

    def live_state(self, decoder: Translator) -> State:
        """Return what `resume` goes on from."""

    def resume(self, decoder: Translator, state: State) -> None:
        """Go on from a `live_state`: the decoder has the weights of then at once."""


class ListLearner(Tuner, Protocol):
    """A tuner with ``learns_from_lists = True``."""

    metric: Metric | None

    @property
    def pool_(self) -> Any:
        """The `Candidates` of the last fit."""

    def fit_candidates(
        self,
        pool: Any,
        weights: NDArray[np.float64] | None = None,
        *,
        on_pass: Callable[[Any], None] | None = None,
    ) -> Any:
        """Tune on a pool of candidates that stays as it is, without a decoder."""


class ParallelLearner(Tuner, Protocol):
    """A tuner with ``learns_in_parallel = True``."""

    workers: int

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""


def learns_online(tuner: Tuner) -> TypeGuard[OnlineLearner]:
    """Tell whether a tuner learns after each sentence."""
    return tuner.learns_online


def learns_from_lists(tuner: Tuner) -> TypeGuard[ListLearner]:
    """Tell whether a tuner can learn from k-best lists, without a decoder."""
    return tuner.learns_from_lists


def learns_in_parallel(tuner: Tuner) -> TypeGuard[ParallelLearner]:
    """Tell whether a tuner has workers that learn at the same time."""
    return tuner.learns_in_parallel
