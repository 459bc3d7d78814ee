"""The length of a sentence or lattice, and its limit."""

from __future__ import annotations

import warnings

from hopefear.base.errors import InputError
from hopefear.base.texts import split_words
from hopefear.plugins import Segment

MAX_WORDS = 20_000
"""The default limit of the words of a sentence; such a sentence takes about 1 GB."""

LEARNED_MAX_WORDS = 100
"""The default limit of the words of a sentence of a parallel text that weights are learned from."""

TEXT_MAX_WORDS = 1000
"""The default limit of the words of a sentence that is aligned or annotated, or whose rules are extracted."""

SCORED_MAX_WORDS = 2000
"""The default limit of the words of a sentence that is scored: some metrics compare all pairs of words."""


class LongSentences:
    """What has more words than a limit, and is left out and counted."""

    def __init__(self, limit: int) -> None:
        self.limit, self._left_out = limit, 0

    def leave_out(self, *lengths: int) -> bool:
        """Tell whether to leave out what has sentences of these lengths; count it if so."""
        too_long = max(lengths) > self.limit
        self._left_out += too_long
        return too_long

    def warn(self) -> None:
        """Say how many were left out, if any, as a `UserWarning`."""
        if self._left_out:
            what = "1 sentence that has" if self._left_out == 1 else f"{self._left_out} sentences that have"
            message = f"left out {what} more than {self.limit} words (the limit of --max-words)"
            warnings.warn(message, stacklevel=3)


def measured(segment: Segment) -> tuple[int, str]:
    """Count the words of a sentence, or the edges or positions of a lattice, also with the unit as text."""
    if segment.lattice is None:
        return segment.length, f"{segment.length} word{'' if segment.length == 1 else 's'}"
    edges = sum(map(len, segment.lattice))
    if edges < segment.length:
        return segment.length, f"{segment.length} positions"
    return edges, f"{edges} edge{'' if edges == 1 else 's'}"


def check_length(segment: Segment, limit: int) -> None:
    """Refuse a sentence of more words, or a lattice of more edges or positions, than the limit."""
    number, text = measured(segment)
    if number > limit:
        unit = split_words(text)[1]
        raise InputError(
            f"expected a {'sentence' if segment.lattice is None else 'lattice'} of at most {limit} {unit} "
            f"(the limit of --max-words), got {text}",
            path=segment.where,
        )
