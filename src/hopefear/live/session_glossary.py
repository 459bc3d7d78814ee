"""The terms that joined a session's glossary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopefear.decoder import Context, Segment, SentenceGrammar
from hopefear.decoder.glossary import Glossary
from hopefear.text import TextSystem

from .active_corrections import ActiveCorrections, Effect
from .part import SessionPart


class SessionGlossary(SessionPart):
    """A glossary of the active terms of a session."""

    def __init__(self, text: TextSystem | None, active: ActiveCorrections) -> None:
        self._text, self._active = text, active
        self.reset()

    def reset(self) -> None:
        """Take in all terms."""
        self._glossary, self._terms = Glossary(self._text), list[tuple[str, str]]()
        self._catch_up()

    def apply(self, effect: Effect) -> None:
        """Have the active terms."""
        self._catch_up()

    def add_to(self, context: Context, document: int | None) -> Context:
        """Add the rules of terms."""
        return context.with_grammars(self)

    def _catch_up(self) -> None:
        terms = [*self._active.terms]
        if terms[: len(self._terms)] != self._terms:  # one is gone
            self._glossary, self._terms = Glossary(self._text), []
        for term in terms[len(self._terms) :]:
            self._glossary.add(*term)
        self._terms = terms

    def check(self, terms: Iterable[tuple[str, str]]) -> None:
        """Refuse terms that a glossary cannot have, with an InputError."""
        tried = Glossary(self._text)
        for term in terms:
            tried.add(*term)

    def translations(self, tokens: tuple[str, ...]) -> list[tuple[tuple[int, int], list[str]]]:
        """List the terms of a sentence, as `Glossary.translations` does."""
        return self._glossary.translations(tokens)

    def inflected(self, tokens: tuple[str, ...]) -> list[tuple[tuple[int, int], list[str]]]:
        """List the inflections of terms in a sentence, as `Glossary.inflected` does."""
        return self._glossary.inflected(tokens)

    def keeps(self, source: Sequence[str | int], target: Sequence[str | int]) -> bool:
        """Tell whether a rule keeps to the terms, as `Glossary.keeps` does."""
        return self._glossary.keeps(source, target)

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules of a segment's terms, as `Glossary.grammars` does."""
        return self._glossary.grammars(segment)
