"""Word error rate: edits between the words of hypothesis and reference, without shifts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .base import PreparedReferences, References, Tokens
from .edits import NearestReference, Symbols
from .ter import ErrorRate


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word edits (insertions, deletions, substitutions) per reference word, in per cent; lower is better.

    The statistics are ``[edits, words]`` of the reference with the fewest edits; of several such references,
    of the shortest.
    """

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return "WER|case:mixed|tok:none"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _WerReferences(references)


class _WerReferences(NearestReference):
    """The words of the references of one sentence, numbered."""

    def __init__(self, references: Sequence[Tokens]) -> None:
        words = {word for reference in references for word in reference}
        self._numbers = {word: number for number, word in enumerate(words)}
        super().__init__(references)

    def _symbols(self, tokens: Tokens) -> Symbols:
        # Words that are in no reference match nothing, so they can share one number.
        return np.array([self._numbers.get(token, -1) for token in tokens], dtype=np.int64)
