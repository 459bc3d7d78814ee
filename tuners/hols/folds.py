"""Training data in folds, each with a decoder not built from it (Flanigan et al. 2013, section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from hopefear.base import InputError
from hopefear.decoder import Segment, Translator

from ..contract import check_references


class Segments(Protocol):
    """Segments that need not be in memory: they can be counted, and gone through again and again."""

    def __len__(self) -> int:
        """Count them."""

    def __iter__(self) -> Iterator[Segment]:
        """Go through them, in the same order each time."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A part of the training data.

    Attributes
    ----------
    decoder : Translator
        Its grammar and language model come from the other folds. All decoders share one `Weights` object:
        ``Decoder(config, weights=decoder.weights)``.
    segments : sequence of Segment, or other `Segments`
        With references.
    """

    decoder: Translator
    segments: Segments


@dataclass(frozen=True)
class DataSplit:
    """Which data is for what."""

    gradient: Sequence[Fold]
    between: Fold
    last: Fold

    def __post_init__(self) -> None:
        if not self.gradient:
            raise ValueError("training must contain at least one fold, got none")
        for number, fold in enumerate(self.all, 1):
            if fold.decoder.weights is not self.last.decoder.weights:
                raise ValueError(
                    f"all folds' decoders must share the weights of the tuned decoder; the decoder of fold "
                    f"{number} has other weights: make it with weights=decoder.weights"
                )
            if not len(fold.segments):
                raise InputError(f"expected segments in fold {number}, got none")
        for fold in (self.between, self.last):
            check_references(list(fold.segments))

    @property
    def all(self) -> list[Fold]:
        """All folds."""
        return [*self.gradient, self.between, self.last]

    def count(self, number: int, parts: int) -> int:
        """Count the segments that `part` goes through."""
        return len(range(number % parts, sum(len(fold.segments) for fold in self.gradient), parts))

    def part(self, number: int, parts: int, skip: int = 0) -> Iterator[tuple[int, Segment]]:
        """Go through every n-th segment for gradients, each with the place of its fold in `gradient`."""
        if not self.count(parts - 1, parts):
            count = self.count(0, 1)
            raise InputError(f"expected at least one segment for each of {parts} parts, got {count}")
        pairs = ((i, segment) for i, fold in enumerate(self.gradient) for segment in fold.segments)
        return islice(pairs, number % parts + skip * parts, None, parts)


def dealt(corpus: Fold, share: float, seed: int, *, held_in: bool) -> DataSplit:
    """Draw a share of a corpus for line searches, at least one segment; gradients are taken over the rest."""
    segments = list(corpus.segments)
    most = len(segments) if held_in else len(segments) - 1
    if not most:
        raise InputError("expected at least two segments, for the gradient and for the line search, got one")
    size = min(max(round(share * len(segments)), 1), most)
    drawn = set(np.random.default_rng(seed).permutation(len(segments))[:size].tolist())
    rest = [segment for i, segment in enumerate(segments) if held_in or i not in drawn]
    search = Fold(corpus.decoder, [segments[i] for i in sorted(drawn)])
    return DataSplit([Fold(corpus.decoder, rest)], search, search)
