"""Parallel text, and the rules that are extracted from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from hopefear.decoder.lengths import MAX_WORDS, TEXT_MAX_WORDS

from ..command import option

LEFT_OUT = option(
    "The most words of a sentence; a longer one is left out, and counted.",
    "--max-words",
    default=MAX_WORDS,
    min=1,
)
"""The option ``--max-words`` of commands that read a text once, in a time that grows with its length."""


class Symmetrisation(str, Enum):
    """A method to combine the alignments of the two directions."""

    grow_diag_final_and = "grow-diag-final-and"
    intersection = "intersection"
    union = "union"


@dataclass(frozen=True, kw_only=True)
class ParallelText:
    """The options that name a parallel text."""

    source: Path = option("Source sentences, one per line; plain or gz.", "-s")
    target: Path = option("Translations of the source sentences, one per line; plain or gz.", "-t")
    max_words: int = option(
        "The most words of a sentence that is aligned, on each side, or that rules are extracted for; "
        "a longer one is left out, and counted.",
        default=TEXT_MAX_WORDS,
        min=1,
    )


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """The options that limit the rules."""

    top: int | None = option(
        "Keep only this number of rules per source side, the most frequent.", default=None, min=1, shown="all"
    )
    feature: list[str] = option(
        "A feature of the rules; may repeat.", metavar="NAME", default=(), shown="the seven features of cdec"
    )
    max_symbols: int = option("Most symbols of a source side.", default=5, min=1, max=255)
    max_nonterminals: int = option("Most nonterminals of a rule.", default=2, min=0, max=3)
    max_span: int = option("Most words of a phrase, on each side.", default=15, min=1, max=255)
    min_gap: int = option("Fewest source words of a nonterminal.", default=1, min=1, max=255)
    samples: int = option("Most occurrences of a source side that are sampled.", default=300, min=1)
    loose: bool = option("Phrases may begin and end with words without links.", default=False)

    def settings(self) -> dict[str, Any]:
        """Return the settings of an extractor."""
        from hopefear.grammars.extractor import CDEC_FEATURES

        return {
            "max_symbols": self.max_symbols,
            "max_nonterminals": self.max_nonterminals,
            "max_span": self.max_span,
            "min_gap": self.min_gap,
            "tight": not self.loose,
            "samples": self.samples,
            "features": self.feature or CDEC_FEATURES,
            "top": self.top,
        }
