"""A translation as a reader sees it: its text, where its words stand, and which of them to doubt."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from ..hypergraph import Derivation, Hypergraph

DOUBT = 0.5
"""A word is doubtful if an editor keeps it with a smaller probability."""


class ShownTranslation(NamedTuple):
    """A translation as a reader sees it."""

    text: str
    score: float
    words: Sequence[tuple[int, int]]
    confidence: Sequence[float]
    alignment: Sequence[tuple[int, int]]
    complaints: Sequence[str]

    @classmethod
    def of(cls, forest: Hypergraph, derivation: Derivation | None = None) -> ShownTranslation:
        """Show a derivation, the best if none is given."""
        derivation = forest.best() if derivation is None else derivation
        shown = forest.restored(derivation)
        return cls(
            text=shown.text,
            score=forest.score(derivation),
            words=shown.places,
            confidence=forest.word_confidence(derivation),
            alignment=forest.links(derivation),
            complaints=shown.complaints,
        )

    def record(self) -> dict[str, Any]:
        """Return the translation as JSON can hold it."""
        return {**self._asdict(), "confidence": [round(value, 4) for value in self.confidence]}

    def doubts(self) -> list[tuple[str, float]]:
        """List the doubtful words with their confidence."""
        return [
            (self.text[begin:end], confidence)
            for (begin, end), confidence in zip(self.words, self.confidence, strict=True)
            if confidence < DOUBT
        ]

    def _repr_html_(self) -> str:
        """Return the text, each word shaded the more, the more doubtful it is."""
        parts, done = [], 0
        for (begin, end), confidence in sorted(zip(self.words, self.confidence, strict=True)):
            if done <= begin < end:
                parts += [escape(self.text[done:begin]), _shaded(self.text[begin:end], confidence)]
                done = end
        return "".join([*parts, escape(self.text[done:])])


def _shaded(word: str, confidence: float) -> str:
    tip = f"An editor keeps it with probability {confidence:.2f}."
    shade = max(0.0, DOUBT - confidence) / DOUBT
    colour = f' style="background: rgba(var(--doubt, 230, 120, 0), {shade:.2f})"' if shade else ""
    return f'<span title="{tip}"{colour}>{escape(word)}</span>'
