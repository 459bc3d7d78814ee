"""What a line search asks of a pool, wherever its candidates are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Weights
from hopefear.metrics import Metric

from .line_search import Intervals


class Lines(Protocol):
    """Lines through the space of some features' weights, which begin at a place z of this space."""

    z: Floats

    def go_to(self, z: Floats) -> None:
        """Set the place from which lines begin."""

    def move(self, direction: Floats, step: float) -> None:
        """Go a step along a line."""

    def cut(self, direction: Floats, then: Sequence[Floats] = ()) -> Iterable[Intervals]:
        """Cut a line; return its parts, one after the other."""


LinesOf = TypeVar("LinesOf", bound=Lines, covariant=True)


class Pool(Protocol[LinesOf]):
    """Candidates of a corpus, here (`Candidates`, one shard) or in shards elsewhere (`ShardedPool`)."""

    @property
    def metric(self) -> Metric:
        """The metric of the candidates' statistics, `for_corpus`."""

    @property
    def weights(self) -> Weights:
        """The weights that are learned, which number the features."""

    def __len__(self) -> int:
        """Return the number of candidates."""

    def check(self) -> None:
        """Raise TuningError where a feature value is not finite."""

    def corpus_score(self, weights: Floats) -> float:
        """Return the metric's score of the best candidates by weights."""

    @property
    def active(self) -> Ints:
        """The features that fire in some candidate, shape (m,)."""

    def measure(self, features: Ints, weights: Floats) -> tuple[Floats, Floats]:
        """Measure how much features vary within segments, and last the scores by weights."""

    def lines(self, features: Ints, weights: Floats, units: Floats) -> LinesOf:
        """Return the lines through the space of the features' weights, which are ``z * units``."""
