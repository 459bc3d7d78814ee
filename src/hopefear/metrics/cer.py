"""Character error rate: edits between the characters of hypothesis and reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .base import PreparedReferences, References, Tokens
from .edits import NearestReference, Symbols
from .ter import ErrorRate


@dataclass(frozen=True)
class Cer(ErrorRate):
    """Character edits (insertions, deletions, substitutions) per reference character, in per cent.

    Lower is better. A sentence is its tokens joined by single spaces, which count as characters. Characters
    are Unicode code points, where cdec counts bytes. The statistics are ``[edits, characters]`` of the
    reference with the fewest edits; of several such references, of the shortest.
    """

    of_words = False

    def signature(self) -> str:
        """Describe the metric and its settings."""
        return "CER|case:mixed|tok:none|space:yes"

    def compile(self, references: References) -> PreparedReferences:
        """Compile the references of one sentence."""
        return CerReferences(references)


class CerReferences(NearestReference):
    """The characters of the references of one sentence."""

    def _symbols(self, tokens: Tokens) -> Symbols:
        return np.array([ord(character) for character in " ".join(tokens)], dtype=np.int64)
