"""CharacTER: translation edit rate with edits of characters (Wang, Peter, Rosendahl & Ney 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hopefear._native import character_edits

from .base import MeanOfSentences, PreparedReferences, References, Statistics, Tokens, check_words

Characters = NDArray[np.uint32]
"""A sentence as code points."""


@dataclass(frozen=True, kw_only=True)
class CharacTer(MeanOfSentences):
    """Mean over sentences of the edits per character of the hypothesis, from 0 to 100; lower is better.

    First words are shifted as long as fewer words differ: each time the longest run of words that stands
    elsewhere in the reference with which the fewest do. A run that has moved costs the mean length of its
    words, and each character that is then inserted, deleted or substituted costs 1 (Wang, Peter, Rosendahl &
    Ney 2016). At most 100,000 orders of a sentence are tried. A sentence is its tokens joined by single
    spaces, which count as characters.

    The statistics are ``[rate, sentences]``, the rate to the nearest reference and at most 1. The scores
    equal those of the authors' program, which takes one reference, and which shifts words that are equal, not
    those that are similar as in the paper. Only an empty hypothesis of an empty reference has rate 0 here and
    1 there.

    Parameters
    ----------
    max_words : int
        The largest number of words in a hypothesis or a reference: all shifts are tried, whose number and
        time grow with the number of words.

    Raises
    ------
    ValueError
        If `max_words` is below 1.
    TooLong
        In comparisons: if a sentence has more words.
    """

    higher_is_better: ClassVar[bool] = False

    max_words: int = 500

    def __post_init__(self) -> None:
        if self.max_words < 1:
            raise ValueError(f"max_words must be at least 1, got {self.max_words}")

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return "CharacTER|case:mixed|tok:none|space:yes"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return _CharacterReferences(references, self.max_words)


class _CharacterReferences(PreparedReferences):
    """The characters of the references of one sentence."""

    def __init__(self, references: Sequence[Tokens], limit: int) -> None:
        self._limit = limit
        for index, reference in enumerate(references):
            check_words(reference, limit, "CharacTer", index)
        self._references = [_characters(reference) for reference in references]

    def compare(self, hypothesis: Tokens) -> Statistics:
        check_words(hypothesis, self._limit, "CharacTer")
        characters = _characters(hypothesis)
        rate = min(_rate(characters, reference) for reference in self._references)
        return np.array([rate, 1.0])


def _characters(tokens: Tokens) -> Characters:
    return np.frombuffer(" ".join(tokens).encode("utf-32-le", "surrogatepass"), dtype="<u4")


def _rate(hypothesis: Characters, reference: Characters) -> float:
    if len(hypothesis) == 0:
        return float(len(reference) > 0)
    return min(1.0, character_edits(hypothesis, reference) / len(hypothesis))
