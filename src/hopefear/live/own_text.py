"""The parallel text of a system, and the texts of sessions, to which their corrections are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import SentenceGrammar
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import POST_EDIT_SUPPORT, Exclusion, GrammarExtractor
from hopefear.grammars.symmetrisation import Link
from hopefear.grammars.written_text import of_whole_pieces
from hopefear.plugins.sentence_grammar import RuleText

from .corrections import Correction
from .ledger import Ledger

_FEW = 100
"""Corrections of no session that may stay in a text."""


class SharedText:
    """The parallel text of a system, to which the corrections of several sessions are added."""

    def __init__(self, extractor: GrammarExtractor) -> None:
        self.extractor = extractor
        self.begin = len(extractor.bitext)
        self._users: WeakSet[OwnText] = WeakSet()

    def enter(self, user: OwnText) -> None:
        """Let a session's text be one of those that keep corrections."""
        self._users.add(user)

    def add(self, source: Sequence[str], target: Sequence[str], links: Sequence[Link]) -> None:
        """Let a pair be in the texts of all sessions, before the first of them is made."""
        self.extractor.add(source, target, links)
        self.begin += 1

    def tidy(self) -> None:
        """Begin the corrections anew, if most of them are in no session's text any more."""
        used = sum(map(len, self._users))
        if len(self.extractor.bitext) - self.begin > 2 * used + _FEW:
            self.extractor.cut(self.begin)
            for user in self._users:
                user.reset()

    @classmethod
    def empty(cls, **settings: object) -> SharedText:
        """Make a text of corrections only; the settings are those of the `GrammarExtractor`."""
        bitext = Bitext.from_pairs([])
        return cls(GrammarExtractor(bitext, corrections_from=0, **settings))  # type: ignore[arg-type]


class OwnText:
    """A text and the corrections of one session, without those of other sessions."""

    def __init__(self, shared: SharedText, ledger: Ledger) -> None:
        self.shared, self._ledger = shared, ledger
        self.reset()
        shared.enter(self)

    def __len__(self) -> int:
        return len(self._places)

    def follow(self, new: Sequence[Correction], gone: Sequence[Correction]) -> None:
        """Do what the ledger has done: rules and counts are as if what is gone had never been there."""
        for correction in new:
            self._add(correction)
        for correction in gone:
            if correction.links:
                self.shared.extractor.exclude(self._excluded, self._places.pop(correction.number))
                self.words -= Counter({*correction.source})
        if new or gone:
            self.shared.tidy()
        if self._ledger.withdrawn.keys() != self._withdrawn:
            self._withdraw()

    def reset(self) -> None:
        """Add all corrections to a text that has none."""
        self.words = Counter[str]()
        self._places: dict[int, int] = {}  # index in the text, by the number of the correction
        self._excluded = self.shared.extractor.growing_exclusion()
        self._seen = self.shared.begin  # pairs of the text that are the session's, or are excluded
        self._withdraw()
        for correction in self._ledger.corrections.values():
            self._add(correction)

    def _add(self, correction: Correction) -> None:
        if not correction.links:
            return
        extractor = self.shared.extractor
        source, links = correction.source, correction.links
        if correction.written is not None:
            source, links = of_whole_pieces(source, correction.target, links)
        extractor.add(source, correction.target, links)
        self.words.update({*correction.source})
        self._places[correction.number] = len(extractor.bitext) - 1
        self._exclude_others(len(extractor.bitext) - 1)
        self._seen += 1

    def _withdraw(self) -> None:
        """Use the withdrawn rules no more where corrections give them, and all others."""
        self._withdrawn = set(self._ledger.withdrawn)
        sides = ((rule.source, rule.target) for rule in self._ledger.withdrawn)
        self.shared.extractor.withdraw(self._excluded, sides)

    @property
    def exclude(self) -> Exclusion:
        """The sentence pairs of the text that are not the session's."""
        self._exclude_others(len(self.shared.extractor.bitext))
        return self._excluded

    def _exclude_others(self, end: int) -> None:
        """Leave out what other sessions have added since the last call."""
        for place in range(self._seen, end):
            self.shared.extractor.exclude(self._excluded, place)
        self._seen = end

    def link_counts(
        self, source: Sequence[str], target: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Count links as `GrammarExtractor.link_counts` does."""
        return self.shared.extractor.link_counts(source, target, exclude=self.exclude)

    def grammar(self, tokens: tuple[str, ...]) -> SentenceGrammar:
        """Extract the rules of a sentence."""
        return self.shared.extractor.grammar(tokens, exclude=self.exclude)

    def corrected_rules(self, tokens: tuple[str, ...]) -> Iterator[RuleText]:
        """Iterate over the rules of a sentence that corrections gave."""
        return self.grammar(tokens).having(POST_EDIT_SUPPORT)
