"""Character error rate: edits between the characters of hypothesis and reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear.metrics.base import Metric, PreparedReferences, Statistics, Tokens
from hopefear.metrics.ter import error_rates


@dataclass(frozen=True)
class Cer(Metric):
    """Character edits (insertions, deletions, substitutions) per reference character, in per cent.

    Lower is better. A sentence is its tokens joined by single spaces, which count. Characters are Unicode
    code points, where cdec counts bytes. The statistics are ``[edits, characters]`` of the reference with the
    fewest edits; of two with as few, of the shorter one.
    """

    higher_is_better: ClassVar[bool] = False

    @property
    def size(self) -> int:
        """Give the length of the statistics vector."""
        return 2

    def signature(self) -> str:
        """Say how this was computed."""
        return "CER|case:mixed|tok:none|space:yes"

    def _prepare(self, references: Sequence[Tokens]) -> PreparedReferences:
        return _CerReferences(references)

    def _scores(self, stats: Statistics) -> Statistics:
        return error_rates(stats)


class _CerReferences(PreparedReferences):
    """The references of one sentence as arrays of code points."""

    def __init__(self, references: Sequence[Tokens]) -> None:
        self._references = [_code_points(reference) for reference in references]

    def _stats(self, hypothesis: Tokens) -> Statistics:
        characters = _code_points(hypothesis)
        nearest = min((levenshtein(characters, reference), len(reference)) for reference in self._references)
        return np.array(nearest, dtype=np.float64)


def levenshtein(left: NDArray[np.uint32], right: NDArray[np.uint32]) -> int:
    """The fewest insertions, deletions and substitutions that turn one array into the other."""
    columns = np.arange(len(right) + 1)
    row = columns
    for symbol in left:
        best = row + 1
        np.minimum(best[1:], row[:-1] + (right != symbol), out=best[1:])
        # Steps along the row cost 1 each: with the column taken off, they are a running minimum.
        row = np.minimum.accumulate(best - columns) + columns
    return int(row[-1])


def _code_points(tokens: Tokens) -> NDArray[np.uint32]:
    return np.array([ord(character) for character in " ".join(tokens)], dtype=np.uint32)
