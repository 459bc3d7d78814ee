"""What happens with a sentence on which the decoder fails."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hopefear.base.errors import InputError, ParseFailed
from hopefear.plugins import Segment

from .feature_account import Fired

MAX_WORDS = 20_000
"""The default limit of the words of a sentence; such a sentence takes about 1 GB."""


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


class Attempts:
    """A decoder, as far as its errors on a sentence are concerned."""

    on_error: Callable[[Segment, InputError], None] | None = None
    """Takes the error of a sentence, which then counts as a sentence without a translation; None if the
    error is raised. A copy of the decoder in another process brings its errors here."""

    _failures: deque[Failure] | None = None

    def collect_failures(self) -> None:
        """Take the errors of sentences from now on, and keep them for `take_failures`."""
        self._failures, self.on_error = deque(), self._keep

    def take_failures(self) -> tuple[Failure, ...]:
        """Give the errors that were kept since the last call."""
        taken = list[Failure]()
        while self._failures:
            taken.append(self._failures.popleft())
        return tuple(taken)

    def delta(self) -> Delta | None:
        """Give what happened since the last call, for `merge` of the original; None if nothing did."""
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
            There is not enough memory for the sentence, or the work raised the error.
        ParseFailed
            `on_error` took the error.
        """
        try:
            try:
                yield
            except MemoryError:
                message = f"not enough memory for segment {segment.id}, which has {measured(segment)[1]}"
                raise InputError(message, path=segment.where) from None
        except ParseFailed:
            raise
        except InputError as error:
            if self.on_error is None:
                raise
            self.on_error(segment, error)
            raise ParseFailed(str(error)) from error


def measured(segment: Segment) -> tuple[int, str]:
    """Count the words of a sentence or the edges of a lattice, also with the unit as text."""
    if segment.lattice is None:
        return segment.length, f"{segment.length} word{'' if segment.length == 1 else 's'}"
    edges = sum(map(len, segment.lattice))
    return edges, f"{edges} edge{'' if edges == 1 else 's'}"


def check_length(segment: Segment, limit: int) -> None:
    """Refuse a sentence of more words, or a lattice of more edges, than the limit.

    Raises
    ------
    InputError
        The input has too many words or edges.
    """
    number, text = measured(segment)
    if number > limit:
        unit = "words" if segment.lattice is None else "edges"
        raise InputError(
            f"expected a {'sentence' if segment.lattice is None else 'lattice'} of at most {limit} {unit} "
            f"(the limit of --max-words), got {text}",
            path=segment.where,
        )
