"""What tuners may expect of whatever translates: hopefear's decoder, or a real cdec."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.errors import InputError, ParseFailed, ScoreError
from hopefear.base.signatures import Count, Positive
from hopefear.base.texts import expect_several
from hopefear.plugins import Lattice, Segment, SentenceGrammar

from .feature_account import FamilyReport, Fired
from .hypergraph import Hypergraph
from .hypotheses import KBestList
from .lengths import measured
from .plugin_features import FeatureError
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
        """Return the best translation."""

    def best_translations(self, k: Count, *, unique: bool = True) -> KBestList:
        """Return the k best translations with their features."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A sentence on which a decoder failed, and the error."""

    segment: Segment
    error: InputError


@dataclass(frozen=True, slots=True)
class Delta:
    """What a copy of a decoder tells the original.

    Attributes
    ----------
    fired : Fired or None
        The features that plugins fired.
    failures : tuple of Failure
        The sentences that were skipped.
    """

    fired: Fired | None
    failures: tuple[Failure, ...] = ()


class Translator(Protocol):
    """What tuners may expect of whatever translates, such as `Decoder` and `hopefear.cdec.CdecProcess`.

    Attributes
    ----------
    weights : Weights
        The weights; changes count from the next sentence on.
    """

    weights: Weights

    tells_plugins: ClassVar[bool] = False
    """Whether `of_plugins` can tell the features of plugins from those of the model."""

    on_error: Callable[[Segment, InputError], None] | None = None
    """Takes the error of a sentence, which then counts as a sentence without a translation; None if the
    error is raised. A copy of the decoder in another process brings its errors here."""

    _failures: deque[Failure] | None = None

    @abstractmethod
    def translate(
        self,
        source: str | Lattice | Segment,
        grammar: str | SentenceGrammar = "",
        *,
        reference: str | Lattice | None = None,
    ) -> Translation:
        """Translate a sentence or lattice."""

    def of_plugins(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Mark the features that come from plugins.

        Raises
        ------
        InputError
            The translator has no `tells_plugins`.
        """
        raise self._tells_no_plugins()

    def model_features(self, segment: Segment | None = None) -> list[str]:
        """List the features of the model itself, which no plugin fires.

        Parameters
        ----------
        segment : Segment, optional
            Also list the features of its own grammars.

        Raises
        ------
        InputError
            The translator has no `tells_plugins`, or a grammar of the segment cannot be read.
        """
        raise self._tells_no_plugins()

    def _tells_no_plugins(self) -> InputError:
        return InputError(f"a {type(self).__name__} does not tell which features come from plugins")

    def frequent_features(self, sources: Iterable[str | Lattice | Segment], minimum: Positive) -> list[str]:
        """Find the plugins' features that fire in the forests of at least `minimum` of the sentences.

        Raises
        ------
        InputError
            The translator has no `tells_plugins` or gives no forests, or a sentence cannot be translated.
        """
        expect_several("sources", sources)
        count = np.zeros(0, np.int64)
        for source in sources:
            segment = Segment.from_input(source)
            with attempt(self, segment):
                fired = _native.fired_features(self.translate(segment).forest.native)
                if len(self.weights) > len(count):
                    count = np.pad(count, (0, 2 * len(self.weights) - len(count)))
                count[fired[self.of_plugins(fired)]] += 1
        return [self.weights.name(int(feature)) for feature in np.flatnonzero(count >= minimum)]

    @property
    def last_weights(self) -> Weights:
        """The weights by which the edges of forests are scored."""
        return self.weights

    def fired(self) -> Fired:
        """Return all features that plugins fired so far, as far as plugins are known."""
        return Fired({}, {}, {}, 0)

    def feature_report(self) -> list[FamilyReport]:
        """Count the features that each plugin fired, as far as plugins are known."""
        return []

    def collect_failures(self) -> None:
        """Take the errors of sentences from now on, and keep them for `take_failures`."""
        self._failures, self.on_error = deque(), self._keep

    def take_failures(self) -> tuple[Failure, ...]:
        """Return the errors that were kept since the last call."""
        taken = list[Failure]()
        while self._failures:
            taken.append(self._failures.popleft())
        return tuple(taken)

    def delta(self) -> Delta | None:
        """Return what happened since the last call, for `merge` of the original; None if nothing did."""
        failures = self.take_failures()
        return Delta(None, failures) if failures else None

    def merge(self, delta: Delta) -> None:
        """Take what a copy of this decoder tells: `on_error` takes the sentences that the copy skipped."""
        if self.on_error is not None:
            for failure in delta.failures:
                self.on_error(failure.segment, failure.error)

    def _keep(self, segment: Segment, error: InputError) -> None:
        plain = InputError(str(error))  # a subclass may hold what cannot be pickled
        assert self._failures is not None
        self._failures.append(Failure(segment, plain))

    @contextmanager
    def attempting(self, segment: Segment) -> Iterator[None]:
        """Work on a sentence; a `MemoryError` becomes an error of this sentence.

        Raises
        ------
        InputError
            There is not enough memory for the sentence, a score is too large, or the work raised the error.
        ParseFailed
            `on_error` took the error.
        """
        try:
            try:
                yield
            except MemoryError:
                message = f"not enough memory for sentence {segment.number}, which has {measured(segment)[1]}"
                raise InputError(message, path=segment.where) from None
            except (ScoreError, FeatureError) as error:
                if error.path is not None:
                    raise
                raise type(error)(f"sentence {segment.number}: {error}", path=segment.where) from None
        except ParseFailed:
            raise
        except InputError as error:
            if self.on_error is None:
                raise
            self.on_error(segment, error)
            raise ParseFailed(str(error)) from error

    def _factory(self) -> Callable[[], Any]:
        """Return a picklable function that makes a copy."""
        raise InputError(f"a {type(self).__name__} cannot be copied")


@dataclass(slots=True)
class Attempt:
    """Work on one sentence.

    Attributes
    ----------
    failure : ParseFailed or None
        Why the work ended early.
    """

    failure: ParseFailed | None = None


@contextmanager
def attempt(decoder: Translator, segment: Segment) -> Iterator[Attempt]:
    """Work on a sentence, and end the work early if the sentence has no translation.

    Raises
    ------
    InputError
        As `Translator.attempting` does, except ParseFailed.
    """
    work = Attempt()
    try:
        with decoder.attempting(segment):
            yield work
    except ParseFailed as error:
        work.failure = error
