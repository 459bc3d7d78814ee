"""What one translation may use beside what its decoder has loaded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from hopefear import _native
from hopefear.plugins import Segment, SentenceGrammar

from .weights import Weights


class GrammarSource(Protocol):
    """What gives rules for a segment."""

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules as grammars."""


class ExtraScorer(NamedTuple):
    """A scorer that takes part where its feature has a weight, maybe in place of one of the decoder."""

    feature: str
    scorer: _native.StatefulScorer
    replaces: _native.StatefulScorer | None = None


@dataclass(frozen=True)
class Context:
    """What a translation may use beside what its decoder has loaded; by default nothing.

    Attributes
    ----------
    weights : Weights or None
        Weights of the decoder's features; None for the decoder's own.
    grammars : tuple of GrammarSource
        Sources of rules for each segment.
    scorers : tuple of ExtraScorer
        Scorers of the first rescoring pass.
    """

    weights: Weights | None = None
    grammars: tuple[GrammarSource, ...] = ()
    scorers: tuple[ExtraScorer, ...] = ()

    def with_grammars(self, *sources: GrammarSource) -> Context:
        """Return a context with more sources of rules."""
        return replace(self, grammars=(*self.grammars, *sources))

    def with_scorers(self, *scorers: ExtraScorer) -> Context:
        """Return a context with more scorers."""
        return replace(self, scorers=(*self.scorers, *scorers))


NO_CONTEXT = Context()
"""The context of a translation that uses what the decoder has loaded, and nothing else."""
