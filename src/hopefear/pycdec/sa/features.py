"""cdec's features of extracted rules, as functions of a `FeatureContext`.

`GrammarExtractor` computes cdec's seven itself; these are for `feature`, and to build others on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from hopefear.pycdec.sa.rules import FeatureContext

MAXSCORE = 99.0
"""The score of a probability of 0."""


class LexicalTable(Protocol):
    """What gives lexical probabilities: `BiLex`, or `online.Bilex`."""

    def get_score(self, fword: str, eword: str, col: int, /) -> float | None:
        """Return p(e|f) for 0, p(f|e) for 1; None for words never linked."""


def _score(probability: float) -> float:
    return -math.log10(probability) if probability > 0 else MAXSCORE


def EgivenF(ctx: FeatureContext) -> float:
    """-log10 of the rule's share of the extractions for its source side."""
    return _score(ctx.paircount / ctx.fcount)


def CountEF(ctx: FeatureContext) -> float:
    """log10(1 + extractions of the rule)."""
    return math.log10(1 + ctx.paircount)


def SampleCountF(ctx: FeatureContext) -> float:
    """log10(1 + samples)."""
    return math.log10(1 + ctx.fsample_count)


def EgivenFCoherent(ctx: FeatureContext) -> float:
    """-log10 of extractions of the rule for each sample."""
    return _score(ctx.paircount / ctx.fsample_count)


def CoherenceProb(ctx: FeatureContext) -> float:
    """-log10 of extractions for the source side for each sample."""
    return _score(ctx.fcount / ctx.fsample_count)


def MaxLexEgivenF(ttable: LexicalTable) -> Callable[[FeatureContext], float]:
    """Make the feature Σ_e -log10 max_f p(e|f), over the words of the rule; f may be ``NULL``."""

    def MaxLexEgivenF(ctx: FeatureContext) -> float:
        words = [*ctx.fphrase.words, "NULL"]
        return sum(_score(max(ttable.get_score(f, e, 0) or 0.0 for f in words)) for e in ctx.ephrase.words)

    return MaxLexEgivenF


def MaxLexFgivenE(ttable: LexicalTable) -> Callable[[FeatureContext], float]:
    """Make the feature Σ_f -log10 max_e p(f|e), over the words of the rule; e may be ``NULL``."""

    def MaxLexFgivenE(ctx: FeatureContext) -> float:
        words = [*ctx.ephrase.words, "NULL"]
        return sum(_score(max(ttable.get_score(f, e, 1) or 0.0 for e in words)) for f in ctx.fphrase.words)

    return MaxLexFgivenE


def IsSingletonF(ctx: FeatureContext) -> bool:
    """Whether the source side was extracted once."""
    return ctx.fcount == 1


def IsSingletonFE(ctx: FeatureContext) -> bool:
    """Whether the rule was extracted once."""
    return ctx.paircount == 1


def IsNotSingletonF(ctx: FeatureContext) -> bool:
    """Whether the source side was extracted more than once."""
    return ctx.fcount > 1


def IsNotSingletonFE(ctx: FeatureContext) -> bool:
    """Whether the rule was extracted more than once."""
    return ctx.paircount > 1


def IsFEGreaterThanZero(ctx: FeatureContext) -> bool:
    """Whether the rule was extracted at all."""
    return ctx.paircount > 0
