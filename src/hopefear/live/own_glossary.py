"""The terms that joined a session's glossary."""

from __future__ import annotations

from collections.abc import Sequence

from hopefear.decoder import Segment, SentenceGrammar
from hopefear.decoder.glossary import Glossary
from hopefear.text import TextSystem

from .corrections import Correction
from .events import TermAdded
from .ledger import Ledger


class OwnGlossary:
    """A glossary that follows what is in force in a session."""

    def __init__(self, text: TextSystem | None, ledger: Ledger) -> None:
        self._text, self._ledger = text, ledger
        self.reset()

    def reset(self) -> None:
        """Take in all terms."""
        self._glossary, self._terms = Glossary(self._text), list[tuple[str, str]]()
        self.follow([], [])

    def follow(self, new: Sequence[Correction], gone: Sequence[Correction]) -> None:
        """Do what the ledger has done; corrections change no term."""
        terms = [*self._ledger.terms]
        if terms[: len(self._terms)] != self._terms:  # one is gone
            self._glossary, self._terms = Glossary(self._text), []
        for term in terms[len(self._terms) :]:
            self._glossary.add(*term)
        self._terms = terms

    def check(self, event: TermAdded) -> None:
        """Refuse a term that a glossary cannot have, with an InputError."""
        Glossary(self._text).add(*event.term)

    def translations(self, tokens: tuple[str, ...]) -> list[tuple[tuple[int, int], list[str]]]:
        """List the terms of a sentence, as `Glossary.translations` does."""
        return self._glossary.translations(tokens)

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules of a segment's terms, as `Glossary.grammars` does."""
        return self._glossary.grammars(segment)
