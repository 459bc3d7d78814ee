"""What translators teach a session, and what it has learned of that."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import islice

from hopefear.base import InputError
from hopefear.base.texts import BLANK, split_words
from hopefear.decoder import Segment
from hopefear.text.documents import check_text
from hopefear.text.folded import folded

from ..corrections import RuleSides
from ..events import (
    Effort,
    Reopened,
    RuleRestored,
    RuleWithdrawn,
    Shown,
    TermAdded,
    TermRemoved,
    TranslatedByHand,
    Withdrawn,
)
from . import models
from .checks import doubts, together
from .errors import Doubted, NotFound
from .open_session import OpenSession
from .system import TooManyWords, best
from .translations import SentenceTranslations
from .work_queue import Task
from .written_rules import MARKS, WrittenRules

_UNMEASURED = 8  # corrections that may wait to be measured


class Learning:
    """The corrections, withdrawn rules and terms of a session."""

    def __init__(
        self, opened: OpenSession, translations: SentenceTranslations, written: WrittenRules
    ) -> None:
        self._system, self._session, self._documents = opened.system, opened.session, opened.documents
        self._translations, self._figures, self._queue = translations, opened.figures, opened.queue
        self._written = written

    def correct(self, number: int, index: int, correction: models.NewCorrection) -> models.Accepted:
        """Accept the correction of a sentence of a document and learn from it."""
        self._queue.run(Task.MEASURE, _UNMEASURED)
        sentence = self._translations.seen(number, index, correction.revision)
        source, target, unit = sentence.source, correction.target, self._documents.unit(number, index)
        segment = self._system.any_segment(source, target, id=f"{number}.{index}", unit=unit)
        complaints = self._system.complaints(source, target, unit)
        if correction.check and target.strip(BLANK) != sentence.correction:
            confirmed = (each.texts() for each in self._session.active.corrections.values())
            wrong = [*complaints, *self._system.emptied(unit, target)]
            wrong += doubts(source, target, complaints, confirmed)
            if wrong:
                raise Doubted("; ".join(together(wrong)))
        try:
            self._system.check_words(segment)
        except TooManyWords as error:
            text = segment.references[0] if segment.written is None else segment.written.references[0]
            if sentence.number in self._session.active.corrections:
                self._session.take(Withdrawn(sentence.number))
            self._session.take(TranslatedByHand((number, index), text))
            accepted = models.Accepted(number=None, note=f"Nothing is learned from it: {error.why}.")
        else:
            if not sentence.is_present:
                self._translations.present(number, index)
            effort = None if correction.effort is None else Effort(**correction.effort.model_dump())
            shown = Shown(
                sentence.shown or "",
                sentence.untouched,
                place=(number, index),
                replaces=sentence.number,
                effort=effort,
            )
            accepted = self._learn(segment, shown)
        accepted.complaints = complaints
        accepted.revision = sentence.revision
        if correction.next is not None:
            with suppress(InputError, NotFound):
                accepted.next = self._translations.show(number, correction.next)
        return accepted

    def teach(self, pair: models.NewPair) -> models.Accepted:
        """Learn from a pair that is in no document."""
        self._queue.run(Task.MEASURE, _UNMEASURED)
        segment = self._system.segment(pair.source, pair.target)
        accepted = self._learn(segment, Shown(best(self._session, segment)))
        accepted.complaints = self._system.complaints(pair.source, pair.target)
        return accepted

    def teach_each(self, pairs: Sequence[models.NewPair]) -> None:
        """Learn from several pairs that are in no document, or from none if one of them is refused."""
        for pair in pairs:
            self._system.segment(pair.source, pair.target)
        for pair in pairs:
            self.teach(pair)

    def _learn(self, segment: Segment, shown: Shown) -> models.Accepted:
        change = self._session.correct(segment, shown)
        note = None if change.error is None else str(change.error)
        return models.Accepted(number=change.correction.number, note=note)

    def complaints(self, number: int) -> list[models.Faulty]:
        """Say which corrections of a document have lost, doubled or made up something of their sentences."""
        document, faulty = self._documents.document(number), list[models.Faulty]()
        for index, sentence in enumerate(document.sentences):
            if sentence.correction is None:
                continue
            wrong = self._system.complaints(sentence.source, sentence.correction, document.unit(index))
            if wrong:
                faulty.append(models.Faulty(index=index, complaints=wrong))
        return faulty

    def withdraw(self, number: int) -> None:
        """Forget the rules and n-grams of a correction, and its change of the weights; the document stays."""
        if number not in self._session.active.corrections:
            raise NotFound("correction")
        self._session.take(Withdrawn(number))

    def reopen(self, number: int, index: int, revision: int) -> models.SentenceInfo:
        """Withdraw the correction of a sentence, which is open again; its text becomes the draft."""
        sentence = self._translations.seen(number, index, revision)
        if sentence.correction is None:
            raise NotFound("correction")
        if sentence.number in self._session.active.corrections:
            self._session.take(Withdrawn(sentence.number))
        draft = "" if sentence.correction == sentence.shown else sentence.correction
        self._session.take(Reopened((number, index), draft))
        return models.SentenceInfo(**sentence.fields())

    def set_rule(self, change: models.RuleChange) -> None:
        """Withdraw a rule that corrections gave, or use it again; nothing happens if it is so already."""
        for text in (change.source, change.target):
            check_text(text)
        event = (RuleWithdrawn if change.withdrawn else RuleRestored)(change.source, change.target)
        is_withdrawn = event.rule in self._session.active.withdrawn
        fits = len(event.rule.source) <= self._system.limits.words
        if not is_withdrawn and not (fits and self._session.gives(event.rule)):
            raise NotFound("rule of a correction")
        if is_withdrawn != change.withdrawn:
            self._session.take(event)

    def set_term(self, change: models.TermChange) -> None:
        """Let a term join the glossary of the session, or leave it; nothing happens if it is so already."""
        source, target = (" ".join(split_words(check_text(text))) for text in (change.source, change.target))
        event = (TermRemoved if change.removed else TermAdded)(source, target)
        if (event.term in self._session.active.terms) == change.removed:
            self._session.take(event)

    def correction(self, number: int) -> models.LearnedCorrection:
        """Return a correction with its links and the rules that are new by it."""
        correction = self._session.active.corrections.get(number)
        if correction is None:
            raise NotFound("correction")
        source, target = correction.texts()
        rules = sorted((pair for pair in self._figures.rules(number) if not self._fell(pair)), key=_rank)
        return models.LearnedCorrection(
            number=number,
            source=source,
            target=target,
            links=list(correction.links),
            places=self._written.places(correction),
            time=correction.time,
            rules=rules,
            written=[self._written.sides(correction, _of_words(pair)) for pair in rules],
            sentence=self._sentence(number),
        )

    def _sentence(self, correction: int) -> models.CorrectedSentence | None:
        """Return which sentence a correction corrects; None if it is in no document."""
        place = self._documents.place(correction)
        if place is None:
            return None
        revision = self._documents.sentence(*place).revision
        return models.CorrectedSentence(document=place[0], index=place[1], revision=revision)

    def latest(self, wanted: str, most: int) -> list[models.LearnedCorrection]:
        """List the latest corrections that have a text in them, or in a rule that is new by them."""
        numbers = filter(partial(self._has, folded(wanted)), reversed(self._session.active.corrections))
        return [self.correction(number) for number in islice(numbers, most)]

    def _has(self, wanted: str, number: int) -> bool:
        """Tell whether a correction has a folded text; rules are without the marks of their tokens."""
        rules = map(" → ".join, self._figures.rules(number))
        text = "\n".join([*self._session.active.corrections[number].texts(), *rules])
        return wanted in folded(MARKS.sub("", text))

    def _fell(self, pair: tuple[str, str]) -> bool:
        """Tell whether a rule is used no more because a smaller one in it was withdrawn."""
        withdrawn, rule = self._session.active.withdrawn, _of_words(pair)
        sides = [split_words(side) for side in pair]
        return (
            rule not in withdrawn
            and any(smaller.is_in(*sides) for smaller in withdrawn)
            and not self._session.gives(rule)
        )


def _of_words(pair: tuple[str, str]) -> RuleSides:
    """Return a rule without nonterminals."""
    return RuleSides(*map(split_words, pair))


def _rank(pair: tuple[str, str]) -> tuple[bool, bool, int, int, int]:
    """Rank the new rules of a correction: short ones first, of these the one of the longest word."""
    source, target = map(folded, pair)
    is_sign = not all(any(map(str.isalpha, side)) for side in (source, target))
    return is_sign, source == target, len(split_words(source)), len(split_words(target)), -len(source)
