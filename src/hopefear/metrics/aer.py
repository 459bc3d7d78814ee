"""Alignment error rate (Och & Ney 2003)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from .base import PreparedReferences, References, Statistics, Tokens, WrongSentence
from .ter import ErrorRate

_LINK = re.compile(r"(\d{1,9})([-?])(\d{1,9})")

Link = tuple[int, int]


@dataclass(frozen=True)
class Aer(ErrorRate):
    """Alignment error rate of word alignments, in per cent; lower is better.

    A sentence is its links, such as ``0-0 1-2``. Of the reference, ``1-2`` is a sure link and ``1?2`` a
    possible one; a hypothesis has links of one kind, written either way. With the links A of the hypothesis,
    the sure links S and all links P of the reference (Och & Ney 2003)::

        AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    The statistics are ``[|A| + |S| - |A ∩ S| - |A ∩ P|, |A| + |S|]``. Without possible links, AER is 1 - F1,
    as in cdec.

    Raises
    ------
    WrongSentence
        In comparisons: a sentence is not of links, or there is more than one reference.
    """

    of_words = False

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return "AER|links:sure-possible"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        if len(references) > 1:
            raise WrongSentence(f"expected one reference alignment, got {len(references)}", reference=1)
        return _AerReference(references[0])


class _AerReference(PreparedReferences):
    """The links of a reference."""

    def __init__(self, reference: Tokens) -> None:
        self._sure, self._possible = _links(reference, reference=0)

    def compare(self, hypothesis: Tokens) -> Statistics:
        _, links = _links(hypothesis)
        total = len(links) + len(self._sure)
        right = len(links & self._sure) + len(links & self._possible)
        return np.array([total - right, total], dtype=np.float64)


def _links(tokens: Tokens, *, reference: int | None = None) -> tuple[set[Link], set[Link]]:
    """Return the sure links, and all links."""
    sure, every = set(), set()
    for token in tokens:
        match = _LINK.fullmatch(token)
        if match is None:
            raise WrongSentence(f"expected links such as 0-0 1?2, got {token[:80]!r}", reference=reference)
        link = int(match[1]), int(match[3])
        every.add(link)
        if match[2] == "-":
            sure.add(link)
    return sure, every
