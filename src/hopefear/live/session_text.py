"""The parallel text of a system, and the texts of sessions, to which their corrections are added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from threading import RLock
from weakref import WeakSet

from hopefear import _native
from hopefear.decoder import Context, Segment, SentenceGrammar
from hopefear.grammars.bitext import Bitext
from hopefear.grammars.extractor import POST_EDIT_SUPPORT, Exclusion, GrammarExtractor
from hopefear.grammars.grammar_files import sentence
from hopefear.grammars.symmetrisation import Link
from hopefear.grammars.written_text import of_whole_pieces
from hopefear.plugins.sentence_grammar import RuleText

from .active_corrections import ActiveCorrections, Effect
from .aligner import LinkCounts, align_pair
from .corrections import Correction, RuleSides
from .part import SessionPart

_FEW = 100
"""Corrections of no session that may stay in a text."""

_AT_ONCE = 200
"""Pairs that are read before a correction may come."""


class SharedText:
    """The parallel text of a system, to which the corrections of several sessions are added."""

    def __init__(self, extractor: GrammarExtractor, counts: _native.GrammarCounts | None = None) -> None:
        self.extractor, self.counts = extractor, counts
        self.begin = self._own = len(extractor.bitext)
        self.lock = RLock()  # between an addition, or an extraction, and the pairs that it leaves out
        self._sessions: WeakSet[SessionText] = WeakSet()

    def enter(self, text: SessionText) -> None:
        """Let a session's text be one of those that keep corrections."""
        self._sessions.add(text)

    def add(self, source: Sequence[str], target: Sequence[str], links: Sequence[Link]) -> None:
        """Let a pair be in the texts of all sessions, before the first of them is made."""
        self.extractor.add(source, target, links)
        self.begin += 1

    def pairs(self, most: int | None = None) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Iterate over the words of the system's own pairs, in any thread, also while corrections come.

        If there are more pairs than wanted, they are of all parts of the text.
        """
        bitext, step = self.extractor.bitext, 1 if most is None else max(1, -(-self._own // most))
        indices = range(0, self._own, step)
        for begin in range(0, len(indices), _AT_ONCE):
            with self.lock:
                part = [(bitext.source(i), bitext.target(i)) for i in indices[begin : begin + _AT_ONCE]]
            yield from part

    def tidy(self) -> None:
        """Remove all corrections and add those of sessions again, if most of them are of no session."""
        used = sum(map(len, self._sessions))
        if len(self.extractor.bitext) - self.begin > 2 * used + _FEW:
            self.extractor.cut(self.begin)
            for text in self._sessions:
                text.add_again()

    def align(
        self, source: Sequence[str], target: Sequence[str], exclude: Exclusion | None = None
    ) -> list[Link]:
        """Find the links of a sentence pair."""
        counts: list[LinkCounts] = [partial(self.extractor.link_counts, exclude=exclude)]
        if (of_rules := self.counts) is not None:
            counts.append(lambda source, target: of_rules.counts(list(source), list(target)))
        return align_pair(source, target, counts)

    @classmethod
    def empty(cls, counts: _native.GrammarCounts | None = None, **settings: object) -> SharedText:
        """Make a text of corrections only; the settings are those of the `GrammarExtractor`."""
        bitext = Bitext.from_pairs([])
        extractor = GrammarExtractor(bitext, corrections_from=0, **settings)  # type: ignore[arg-type]
        return cls(extractor, counts)


class SessionText(SessionPart):
    """A text and the corrections of one session, without those of other sessions."""

    def __init__(self, shared: SharedText, active: ActiveCorrections) -> None:
        self.shared, self._active = shared, active
        with shared.lock:
            self.reset()
            shared.enter(self)

    def __len__(self) -> int:
        return len(self._indexes)

    def apply(self, effect: Effect) -> None:
        """Add what is new; rules and counts are then as if what is gone had never been there."""
        with self.shared.lock:
            for correction in effect.new:
                self._add(correction)
            for correction in effect.gone:
                if correction.links:
                    _, index = self._indexes.pop(correction.number)
                    self.shared.extractor.exclude(self._excluded, index)
                    self.words -= Counter({*correction.source})
            if effect.new or effect.gone:
                self.shared.tidy()
            if self._active.withdrawn.keys() != {*self._withdrawn}:
                self._withdraw(self._active.withdrawn)

    def reset(self) -> None:
        """Have the active corrections, and nothing else."""
        with self.shared.lock:
            self._begin(self._active.corrections.values(), self._active.withdrawn)

    def add_again(self) -> None:
        """Add the corrections to a text from which all were removed."""
        self._begin([correction for correction, _ in self._indexes.values()], self._withdrawn)

    def add_to(self, context: Context, document: int | None) -> Context:
        """Add the rules of the text."""
        return context.with_grammars(self)

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules of a segment as a grammar, with the counts of the decoder's grammars."""
        learned = self.grammar(sentence(segment))
        counts = self.shared.counts
        return [learned if counts is None else SentenceGrammar(counts.added_to(learned.native))]

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Link]:
        """Find the links of a correction."""
        with self.shared.lock:
            return self.shared.align(source, target, self.exclude)

    @property
    def exclude(self) -> Exclusion:
        """The sentence pairs of the text that are not the session's."""
        self._exclude_others(len(self.shared.extractor.bitext))
        return self._excluded

    def grammar(self, tokens: tuple[str, ...]) -> SentenceGrammar:
        """Extract the rules of a sentence."""
        with self.shared.lock:
            return self.shared.extractor.grammar(tokens, exclude=self.exclude)

    def corrected_rules(self, tokens: tuple[str, ...]) -> Iterator[RuleText]:
        """Iterate over the rules of a sentence that corrections gave."""
        return self.grammar(tokens).having(POST_EDIT_SUPPORT)

    def _begin(self, corrections: Iterable[Correction], withdrawn: Iterable[RuleSides]) -> None:
        """Add corrections to a text that has none of the session."""
        self.words = Counter[str]()
        self._indexes: dict[int, tuple[Correction, int]] = {}  # in the text, by the correction's number
        self._excluded = self.shared.extractor.growing_exclusion()
        self._seen = self.shared.begin  # pairs of the text that are the session's, or are excluded
        self._withdraw(withdrawn)
        for correction in corrections:
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
        self._indexes[correction.number] = correction, len(extractor.bitext) - 1
        self._exclude_others(len(extractor.bitext) - 1)
        self._seen += 1

    def _withdraw(self, rules: Iterable[RuleSides]) -> None:
        """Use the withdrawn rules no more where corrections give them, and all others."""
        self._withdrawn = tuple(rules)
        sides = ((rule.source, rule.target) for rule in self._withdrawn)
        self.shared.extractor.withdraw(self._excluded, sides)

    def _exclude_others(self, end: int) -> None:
        """Leave out what other sessions have added since the last call."""
        for index in range(self._seen, end):
            self.shared.extractor.exclude(self._excluded, index)
        self._seen = end
