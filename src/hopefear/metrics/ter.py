"""Translation edit rate (Snover, Dorr, Schwartz, Micciulla & Makhoul 2006), by sacrebleu's edit search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear._native import shifted_edits

from .base import Metric, PreparedReferences, References, Statistics, Tokens, check_words


class ErrorRate(Metric):
    """Errors per reference token in per cent; the statistics are ``[errors, reference length]``.

    If the references are empty, the rate is 100 for any errors, as in sacrebleu.
    """

    higher_is_better: ClassVar[bool] = False

    size = 2

    def formula(self, stats: Statistics) -> Statistics:
        """Score sums of statistics."""
        errors, length = stats[..., 0], stats[..., 1]
        rates: Statistics = np.array(np.sign(errors))
        np.divide(errors, length, out=rates, where=length > 0)
        return 100 * rates


@dataclass(frozen=True, kw_only=True)
class Ter(ErrorRate):
    """Edits (insertions, deletions, substitutions, shifts) per reference token, in per cent; lower is better.

    The statistics are ``[fewest edits to a reference, average reference length]``. The scores equal
    sacrebleu's TER with ``case_sensitive=True`` and no other option: tokens are compared unchanged.

    Parameters
    ----------
    max_words : int
        The largest number of words in a hypothesis or a reference. The search tries up to 1000 shifts, each
        in time that grows with the number of words, and its memory grows with the square of this number.

    Raises
    ------
    ValueError
        If `max_words` is below 1.
    TooLong
        In comparisons: if a sentence has more words.
    """

    max_words: int = 2000

    def __post_init__(self) -> None:
        if self.max_words < 1:
            raise ValueError(f"max_words must be at least 1, got {self.max_words}")

    def signature(self) -> str:
        """Describe the metric and its settings."""
        import sacrebleu

        return f"TER|case:mixed|tok:none|norm:no|punct:yes|asian:no|sacrebleu:{sacrebleu.__version__}"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _TerReferences(references, self.max_words)


class _TerReferences(PreparedReferences):
    """The references of one sentence; each word is a number, and all that they do not have are one."""

    def __init__(self, references: Sequence[Tokens], limit: int) -> None:
        self._limit = limit
        for index, reference in enumerate(references):
            check_words(reference, limit, "Ter", index)
        self._numbers: dict[str, int] = {}
        for word in chain.from_iterable(references):
            self._numbers.setdefault(word, len(self._numbers))
        self._references = [self._numbered(reference) for reference in references]
        self._average_length = sum(map(len, self._references)) / len(self._references)

    def _numbered(self, tokens: Tokens) -> NDArray[np.uint32]:
        other = len(self._numbers)
        return np.array([self._numbers.get(word, other) for word in tokens], dtype=np.uint32)

    def compare(self, hypothesis: Tokens) -> Statistics:
        check_words(hypothesis, self._limit, "Ter")
        words = self._numbered(hypothesis)
        edits = min(shifted_edits(words, reference) for reference in self._references)
        return np.array([edits, self._average_length], dtype=np.float64)
