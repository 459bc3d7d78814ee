"""What tuners may expect of whatever translates: hopefear's decoder, or a real cdec."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear.base.errors import InputError
from hopefear.plugins import Lattice, Segment, SentenceGrammar

from .attempts import Delta
from .feature_account import FamilyReport
from .hypergraph import Hypergraph
from .hypotheses import KBestList
from .weights import Weights


class Translation(Protocol):
    """The translations of a sentence: a forest, or a k-best list alone."""

    @property
    def source_length(self) -> int:
        """Number of positions of the input."""

    @property
    def weights(self) -> Weights:
        """The weights of the translator."""

    @property
    def forest(self) -> Hypergraph:
        """The forest; an `InputError` if there is only a list."""

    def viterbi(self) -> str:
        """Give the best translation."""

    def best_translations(self, k: int, *, unique: bool = True) -> KBestList:
        """Give the k best translations with their features."""


class Translator(Protocol):
    """What tuners may expect of whatever translates, such as `Decoder` and `hopefear.cdec.CdecProcess`.

    Attributes
    ----------
    tells_plugins : bool
        Whether `of_plugins` can tell the features of plugins from those of the model.
    weights : Weights
        The weights; changes count from the next sentence on.
    on_error : callable or None
        Takes the error of a sentence, which then counts as a sentence without a translation; None if the
        error is raised.
    """

    tells_plugins: ClassVar[bool]

    weights: Weights
    on_error: Callable[[Segment, InputError], None] | None

    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
    ) -> Translation:
        """Translate a sentence or lattice."""

    def attempting(self, segment: Segment) -> AbstractContextManager[None]:
        """Work on a sentence; an error goes to `on_error`, then a `ParseFailed` is raised."""

    def of_plugins(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Mark the features that come from plugins; an `InputError` without `tells_plugins`."""

    def feature_report(self) -> list[FamilyReport]:
        """Count the features that each plugin fired."""

    def collect_failures(self) -> None:
        """Keep the errors of sentences from now on, for `delta`."""

    def delta(self) -> Delta | None:
        """Give what happened since the last call, for `merge` of the original; None if nothing did."""

    def merge(self, delta: Delta) -> None:
        """Take what a copy tells."""

    def _factory(self) -> Callable[[], Any]:
        """Give a picklable function that makes a copy; an `InputError` if there can be no copy."""
