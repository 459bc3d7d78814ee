"""Character error rate: edits between the characters of hypothesis and reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .base import Metric, PreparedReferences, Statistics, Tokens
from .edits import NearestReference, Symbols
from .ter import error_rates


@dataclass(frozen=True)
class Cer(Metric):
    """Character edits (insertions, deletions, substitutions) per reference character, in per cent.

    Lower is better. A sentence is its tokens joined by single spaces, which count as characters. Characters
    are Unicode code points, where cdec counts bytes. The statistics are ``[edits, characters]`` of the
    reference with the fewest edits; of several such references, of the shortest.
    """

    higher_is_better: ClassVar[bool] = False

    @property
    def size(self) -> int:
        """Return the length of the statistics vector."""
        return 2

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return "CER|case:mixed|tok:none|space:yes"

    def _prepare(self, references: Sequence[Tokens]) -> PreparedReferences:
        return _CerReferences(references)

    def _scores(self, stats: Statistics) -> Statistics:
        return error_rates(stats)


class _CerReferences(NearestReference):
    """The characters of the references of one sentence."""

    def _symbols(self, tokens: Tokens) -> Symbols:
        return np.array([ord(character) for character in " ".join(tokens)], dtype=np.int64)
