"""What callers may expect of a tuner, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Flag, auto
from typing import Any, ClassVar, Protocol, TypeGuard

from hopefear.base.arrays import Floats
from hopefear.decoder import Segment, Translation, Translator
from hopefear.metrics import Metric
from hopefear.parallel import Executor

from .base import Record
from .checkpoint import State


class Can(Flag):
    """What a tuner can do besides learning from a corpus in one process."""

    LEARN_ONLINE = auto()
    """Learn from one sentence after the other: it is an `OnlineLearner`."""
    LEARN_FROM_LISTS = auto()
    """Learn from k-best lists without a decoder: it is a `ListLearner`."""
    LEARN_FROM_FOLDS = auto()
    """Learn from training folds, each with a decoder of its own, as `Hols` does."""
    LEARN_IN_PARALLEL = auto()
    """Learn by several workers: it is a `ParallelLearner`."""
    USE_CLUSTER = auto()
    """Work with any executor."""


class AnyTuner(Protocol):
    """Whatever learns from a corpus."""

    can: ClassVar[Can]

    @property
    def weights_(self) -> dict[str, float]:
        """The learned weights by name, without zeros."""

    @property
    def passes_(self) -> Sequence[Record]:
        """The passes of the last `fit`."""

    def fit(self, decoder: Translator, corpus: Sequence[Segment], **options: Any) -> Any:
        """Tune the decoder's weights on a corpus; the options are those of `PassTuner.fit`."""


class Tuner(AnyTuner, Protocol):
    """What callers may expect of a tuner."""

    executor: Executor | None

    def check(self) -> None:
        """Refuse settings that nothing can be learned with."""

    def can_begin(self, decoder: Translator, corpus: Sequence[Segment]) -> bool:
        """Tell whether the weights of the decoder are such as this tuner needs to begin with."""

    def get_state(self) -> State:
        """Return what a resumed `fit` goes on from."""


class OnlineLearner(Tuner, Protocol):
    """A tuner that can learn online."""

    def partial_fit(self, decoder: Translator, forest: Translation, segment: Segment) -> Any:
        """Learn from one forest and the references of its segment."""

    def live_state(self, decoder: Translator) -> State:
        """Return what `resume` goes on from."""

    def resume(self, decoder: Translator, state: State) -> None:
        """Go on from a `live_state`: the decoder has the weights of then at once."""


class ListLearner(Tuner, Protocol):
    """A tuner that can learn from k-best lists."""

    metric: Metric | None

    @property
    def pool_(self) -> Any:
        """The `Candidates` of the last fit."""

    def fit_candidates(
        self,
        pool: Any,
        weights: Floats | None = None,
        *,
        on_pass: Callable[[Any], None] | None = None,
    ) -> Any:
        """Tune on a pool of candidates that stays as it is, without a decoder."""


class ParallelLearner(Tuner, Protocol):
    """A tuner that can learn in parallel."""

    workers: int

    @property
    def restarts_(self) -> int:
        """How often a worker died and was made again in the last `fit`."""


def can(tuner: AnyTuner | type, what: Can) -> bool:
    """Tell whether a tuner, or those of a class, can do something; one of others may not say so."""
    return what in getattr(tuner, "can", Can(0))


def learns_online(tuner: Tuner) -> TypeGuard[OnlineLearner]:
    """Tell whether a tuner learns after each sentence."""
    return can(tuner, Can.LEARN_ONLINE)


def learns_from_lists(tuner: Tuner) -> TypeGuard[ListLearner]:
    """Tell whether a tuner can learn from k-best lists, without a decoder."""
    return can(tuner, Can.LEARN_FROM_LISTS)


def learns_in_parallel(tuner: Tuner) -> TypeGuard[ParallelLearner]:
    """Tell whether a tuner has workers that learn at the same time."""
    return can(tuner, Can.LEARN_IN_PARALLEL)
