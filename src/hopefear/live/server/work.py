"""One session of a translator: what clients ask of it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from hopefear.base import InputError, ParseFailed
from hopefear.base.texts import split_words
from hopefear.decoder import Segment
from hopefear.decoder.views import derivation_svg, derivation_tree
from hopefear.text import Restored
from hopefear.text.documents import Unit, check_text, tmx
from hopefear.text.tokens import JOINED, SPACED

from ..corrections import RuleSides
from ..events import (
    DocumentRemoved,
    DocumentRenamed,
    Drafted,
    Effort,
    RuleRestored,
    RuleWithdrawn,
    Shown,
    TermAdded,
    TermRemoved,
    Translated,
    TranslatedByHand,
    Withdrawn,
)
from ..memory_index import Entry
from ..session import Answer
from ..stored_session import StoredSession
from ..unknown_words import unknown_words, words_with_rules
from . import models
from .documents import Documents, Sentence, name_of
from .errors import Conflict, NotFound
from .figures import Figures, measure
from .reasons import reasons
from .system import System, TooManyWords, best, pieces
from .translations import alternatives, nbest, phrases

_STATE = "state"
_SAVE_EVERY, _SAVE_SHARE = 25, 1 / 40
"""The state is saved after so many corrections, or after this share of those it has, if that is more."""

_UNMEASURED = 8  # corrections that may wait to be measured
_SHOWN_MATCHES, _LOOKED_AT = 3, 12
"""Matches of the memory that are shown, and that are looked at: several may have the same translation."""

_SLACK = 1e-6
_SHOWN_WEIGHTS, _SHOWN_CORRECTIONS = 12, 30
_MARKS = re.compile(f"[{JOINED}{SPACED}]")


@dataclass(frozen=True, slots=True)
class Said:
    """The best different translations of a sentence; none if it has too many words, or no derivation."""

    texts: list[str] = field(default_factory=list)
    words: int = 0
    unknown: int = 0


class Work:
    """One session: its documents, and what it has learned."""

    def __init__(self, system: System, folder: Path, about: models.SessionInfo) -> None:
        self._system, self.about = system, about
        self.documents, self._figures = Documents(folder, system.limits), Figures()
        self._ahead: tuple[int, int] | None = None  # the sentence behind the one that was shown last
        self._prepared: Segment | None = None  # that sentence, when the text's rules for it are known
        self._unsaid: dict[tuple[int, int], str] = {}  # translations that no event tells of yet
        self.session = system.new_session()
        self.session.readers += [self.documents.read, self._figures.read]
        state = folder / _STATE
        self._stored = StoredSession(self.session, state, resume=state.exists())
        self._saved = self.session.ledger.accepted
        try:
            self.documents.check()
            self._catch_up(0)
        except BaseException:
            self._stored.close()
            raise

    def close(self) -> None:
        """Save the state and close the files."""
        with self._stored:
            self._say()
            self._save()

    def memory(self) -> bytes:
        """Return the corrections of all documents, and the others that are not forgotten, as TMX."""
        pairs = self.documents.pairs()
        known = set(pairs)
        kept = self.session.ledger.corrections.values()
        others = (one.texts() for one in kept)
        pairs += [pair for pair in dict.fromkeys(others) if pair not in known]
        return tmx(pairs, self._system.languages)

    def rename(self, number: int, name: str) -> models.DocumentInfo:
        """Give a document another name."""
        document = self.documents.document(number)
        self.session.take(DocumentRenamed(number, name_of(name)))
        return document.info()

    def remove(self, number: int) -> None:
        """Delete a document; what its corrections have taught stays."""
        self.documents.document(number)
        self._say()
        self._catch_up(0)  # for this the sentences are needed
        self.session.take(DocumentRemoved(number))

    def show(self, number: int, index: int) -> models.Shown:
        """Translate a sentence of a document, and return what a page shows; it is kept when nobody waits."""
        sentence = self.documents.sentence(number, index)
        before = sentence.shown
        shown = self._show(number, index)
        if sentence.target is None and shown.text not in ("", before):
            self._unsaid[number, index] = shown.text
        return shown

    def _say(self) -> None:
        """Keep over a restart what the machine said of sentences that are not corrected."""
        unsaid, self._unsaid = self._unsaid, {}
        for place, text in unsaid.items():
            if self.documents.sentence(*place).target is None:
                with suppress(OSError):  # nothing depends on it
                    self.session.take(Translated(place, text))

    def _show(self, number: int, index: int) -> models.Shown:
        sentence, unit = self.documents.sentence(number, index), self.documents.unit(number, index)
        self._ahead = number, index + 1
        shown, parts, unknown, problem = Restored(""), list[models.Phrase](), list[int](), None
        expert: str | None = None
        confidence = list[float]()
        try:
            segment = self._segment(number, index)
            answer = self.session.answer(segment, number)
            forest, expert = answer.shown, answer.expert
            if answer.untouched is not None:
                sentence.untouched = answer.untouched
            tree, shown = derivation_tree(forest), forest.restored()
            stay = {*pieces(segment), *words_with_rules(forest)}
            parts, unknown = phrases(tree, shown, stay), unknown_words(forest, stay)
            confidence = forest.word_confidence()
        except TooManyWords as error:
            problem = error.why
        except ParseFailed as error:
            problem = str(error)
        if sentence.target is None:  # else it counts what was shown before its first correction
            sentence.shown = shown.text
        sentence.is_present = True
        places = self._system.places(sentence.source, unit=unit)
        kept = self._system.kept(unit)
        return models.Shown(
            document=number,
            index=index,
            source=[sentence.source[begin:end] for begin, end in places],
            line=sentence.source,
            places=places,
            kept=list(kept),
            kept_as=list(kept.values()),
            kept_whole=[form == re.escape(sentence.source[slice(*at)]) for at, form in kept.items()],
            text=shown.text,
            words=list(shown.places),
            complaints=list(shown.complaints),
            confidence=confidence,
            phrases=parts,
            unknown=unknown,
            problem=problem,
            state=sentence.state,
            target=sentence.target,
            draft=sentence.draft,
            revision=sentence.revision,
            number=sentence.number,
            untouched=sentence.untouched,
            expert=expert,
        )

    def draft(self, number: int, index: int, given: models.Draft) -> models.SentenceInfo:
        """Keep a translation that is not accepted yet; that of the machine is none."""
        sentence = self._seen(number, index, given.revision)
        text = check_text(given.text).strip()
        if text in (sentence.target, sentence.shown):
            text = ""
        if text != (sentence.draft or ""):
            self.session.take(Drafted((number, index), text))
        return models.SentenceInfo(**sentence.known())

    def _seen(self, number: int, index: int, revision: int) -> Sentence:
        """Return a sentence; a `Conflict` is raised unless somebody has seen its present revision."""
        sentence = self.documents.sentence(number, index)
        if revision != sentence.revision:
            raise Conflict(f"expected revision {sentence.revision} of the sentence, got {revision}")
        return sentence

    def compare(self, number: int, index: int) -> models.Untouched:
        """Return what the untouched system says of a sentence."""
        sentence = self.documents.sentence(number, index)
        if sentence.untouched is None:
            unit = self.documents.unit(number, index)
            sentence.untouched = self._system.says(sentence.source, unit=unit)
        return models.Untouched(text=sentence.untouched)

    def alternatives(
        self, number: int, index: int, span: tuple[int, int], most: int
    ) -> list[models.Alternative]:
        """List other translations of source words: of the expert that is shown, then of all rules."""
        try:
            answer = self._answer(number, index)
        except (ParseFailed, TooManyWords):
            return []
        found = alternatives(answer.shown, span, most)
        if answer.learning.native is answer.shown.native:  # it has all
            return found
        known = {one.text for one in found}
        answer.learning.reweight()
        others = (one for one in alternatives(answer.learning, span, most) if one.text not in known)
        found += [models.Alternative(text=one.text, score=None) for one in others]
        answer.forest.reweight()  # the two may share edges
        return found[:most]

    def reasons(self, number: int, index: int, span: tuple[int, int]) -> list[models.Reason]:
        """List why target words of a sentence are not those of the untouched system."""
        try:
            answer = self._answer(number, index)
        except (ParseFailed, TooManyWords):
            return []
        found = reasons(self.session, self._segment(number, index), answer, span)
        for one in found:
            one.place = None if one.number is None else self.documents.place(one.number)
        return found

    def matches(self, number: int, index: int) -> models.Matches:
        """Return what the memory and the glossaries have for a sentence."""
        sentence, unit = self.documents.sentence(number, index), self.documents.unit(number, index)
        segment = self._system.any_segment(sentence.source, unit=unit)
        places = self._system.places(sentence.source, unit=unit)
        self.session.memory.document = number
        found = dict[str, models.Match]()
        for entry, alike, is_own in self.session.memory.nearest(segment.tokens or (), _LOOKED_AT):
            one = self._match(sentence.source, segment, entry, alike, is_own)
            found.setdefault(one.target, one)
        terms = [
            models.FoundTerm(place=(places[begin][0], places[end - 1][1]), targets=targets)
            for (begin, end), targets in self.session.terms(segment).items()
        ]
        closest = sorted(found.values(), key=lambda one: -one.percent)
        return models.Matches(memory=closest[:_SHOWN_MATCHES], terms=terms)

    def _match(self, text: str, segment: Segment, entry: Entry, alike: float, is_own: bool) -> models.Match:
        """Describe an entry; with the same words, its translation gets the pieces of the sentence."""
        source, target = entry.texts()
        percent = int(100 * alike + _SLACK)
        if percent == 100 and source != text:
            percent = 99
            text_system = self._system.decoder.text_system
            if segment.written is not None and text_system is not None:
                target = text_system.restore(entry.target, entry.links, segment.written).text
        return models.Match(source=source, target=target, percent=percent, corrected=is_own)

    def complete(
        self, number: int, index: int, typed: models.Typed, gives_way: Callable[[], bool]
    ) -> models.Completion:
        """Complete what somebody has typed as the translation of a sentence; without one, nothing follows."""
        text = check_text(typed.text)
        nothing = models.Completion(rest="", words=[])
        if typed.revision not in (None, self.documents.sentence(number, index).revision):
            return nothing
        try:
            forest = self._answer(number, index).forest
        except (ParseFailed, TooManyWords):
            return nothing
        begun = forest.completer().after(text, only_best=not typed.words, is_unwanted=gives_way)
        found = begun.next_words(typed.words) if typed.words else []
        words = [models.FollowingWord(word=one.word, probability=one.probability) for one in found]
        return models.Completion(rest=begun.forest.written()[len(text) :], words=words)

    def drawing(self, number: int, index: int) -> str:
        """Draw the derivation of a sentence as SVG."""
        return derivation_svg(derivation_tree(self._answer(number, index).shown))

    def translate(self, source: str, size: int) -> models.Translations:
        """Translate a text that is in no document: n-best list, alignment, features."""
        segment = self._system.segment(source)
        try:
            forest = self.session.translate(segment)
        except ParseFailed as error:
            return models.Translations(nbest=[], places=[], unknown=[], problem=str(error))
        return models.Translations(
            nbest=nbest(forest, size),
            places=self._system.places(source),
            unknown=unknown_words(forest, {*pieces(segment), *words_with_rules(forest)}),
            problem=None,
        )

    def says(self, source: str, unit: Unit, size: int) -> Said:
        """Translate a sentence of a document that the session does not have."""
        try:
            segment = self._system.segment(source, unit=unit)
            forest = self.session.translate(segment)
        except (InputError, ParseFailed):
            return Said()
        texts = [forest.restored(each).text for each in forest.derivations(size, unique=True)]
        places = self._system.places(source, unit=unit)
        unknown = unknown_words(forest, {*pieces(segment), *words_with_rules(forest)})
        return Said(texts, len(places), len(unknown))

    def correct(self, number: int, index: int, given: models.Correction) -> models.Accepted:
        """Accept the correction of a sentence of a document and learn from it."""
        self._catch_up()
        sentence = self._seen(number, index, given.revision)
        unit = self.documents.unit(number, index)
        segment = self._system.any_segment(sentence.source, given.target, id=f"{number}.{index}", unit=unit)
        try:
            self._system.check_words(segment)
        except TooManyWords as error:
            text = segment.references[0] if segment.written is None else segment.written.references[0]
            if sentence.number in self.session.ledger.corrections:
                self.session.take(Withdrawn(sentence.number))
            self.session.take(TranslatedByHand((number, index), text))
            accepted = models.Accepted(number=None, note=f"Nothing is learned from it: {error.why}.")
        else:
            if not sentence.is_present:
                self._show(number, index)
            shown = Shown(
                sentence.shown or "",
                sentence.untouched,
                place=(number, index),
                replaces=sentence.number,
                effort=None if given.effort is None else Effort(**given.effort.model_dump()),
            )
            accepted = self._learn(segment, shown)
        accepted.complaints = self._system.complaints(sentence.source, given.target, unit)
        accepted.revision = sentence.revision
        if given.next is not None:
            with suppress(InputError, NotFound):
                accepted.next = self.show(number, given.next)
        return accepted

    def complaints(self, number: int) -> list[models.Faulty]:
        """Say which corrections of a document have lost, doubled or made up something of their sentences."""
        document, found = self.documents.document(number), list[models.Faulty]()
        for index, one in enumerate(document.sentences):
            if one.target is None or not one.revision:
                continue
            wrong = self._system.complaints(one.source, one.target, document.unit(index))
            if wrong:
                found.append(models.Faulty(index=index, complaints=wrong))
        return found

    def teach(self, given: models.Pair) -> models.Accepted:
        """Learn from a pair that is in no document."""
        self._catch_up()
        segment = self._system.segment(given.source, given.target)
        accepted = self._learn(segment, Shown(best(self.session, segment)))
        accepted.complaints = self._system.complaints(given.source, given.target)
        return accepted

    def teach_each(self, given: Sequence[models.Pair]) -> None:
        """Learn from several pairs that are in no document, or from none if one of them is refused."""
        for one in given:
            self._system.segment(one.source, one.target)
        for one in given:
            self.teach(one)

    def _learn(self, segment: Segment, shown: Shown) -> models.Accepted:
        change = self.session.correct(segment, shown)
        note = None if change.error is None else str(change.error)
        return models.Accepted(number=change.correction.number, note=note)

    def withdraw(self, number: int) -> None:
        """Forget the rules and n-grams of a correction, and its change of the weights; the document stays."""
        if number not in self.session.ledger.corrections:
            raise NotFound("correction")
        self.session.take(Withdrawn(number))

    def set_rule(self, given: models.Rule) -> None:
        """Withdraw a rule that corrections gave, or use it again; nothing happens if it is so already."""
        for text in (given.source, given.target):
            check_text(text)
        event = (RuleWithdrawn if given.withdrawn else RuleRestored)(given.source, given.target)
        is_withdrawn = event.rule in self.session.ledger.withdrawn
        fits = len(event.rule.source) <= self._system.limits.words
        if not is_withdrawn and not (fits and self.session.gives(event.rule)):
            raise NotFound("rule of a correction")
        if is_withdrawn != given.withdrawn:
            self.session.take(event)

    def set_term(self, given: models.Term) -> None:
        """Let a term join the glossary of the session, or leave it; nothing happens if it is so already."""
        source, target = (" ".join(split_words(check_text(text))) for text in (given.source, given.target))
        event = (TermRemoved if given.removed else TermAdded)(source, target)
        if (event.term in self.session.ledger.terms) == given.removed:
            self.session.take(event)

    def _answer(self, number: int, index: int) -> Answer:
        return self.session.answer(self._segment(number, index), number)

    def _segment(self, number: int, index: int) -> Segment:
        source = self.documents.sentence(number, index).source
        return self._system.segment(source, unit=self.documents.unit(number, index))

    def _catch_up(self, waiting: int = _UNMEASURED) -> None:
        """Measure corrections until no more than so many wait."""
        while len(self._figures.unmeasured) > waiting:
            self.settle()

    def settle(self) -> bool:
        """Do one thing that nobody waits for; tell whether there was one.

        What the machine said is kept, the prepared sentence is foreseen, a correction is measured, or the
        state is saved.
        """
        ledger, unmeasured = self.session.ledger, self._figures.unmeasured
        if self._unsaid:
            self._say()
        elif self._prepared is not None:
            self.session.foresee(self._prepared)
            self._prepared = None
        elif unmeasured:
            event = next(iter(unmeasured.values()))
            unit = self.documents.unit_of(event.number)
            self.session.take(measure(event, self.session, self._system, unit))
        elif ledger.accepted - self._saved >= max(_SAVE_EVERY, _SAVE_SHARE * len(ledger.corrections)):
            self._save()
        else:
            return False
        return True

    def preparing(self) -> Callable[[], None] | None:
        """Return what prepares the sentence behind the one that is shown, in any thread; None if nothing."""
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            return None
        try:
            self._prepared = self._segment(*ahead)
        except (NotFound, InputError):  # it is the last one, or too long
            return None
        return partial(self.session.prepare, self._prepared)

    def _save(self) -> None:
        self._stored.save()
        self._saved = self.session.ledger.accepted

    def state(self) -> models.State:
        """Return what a page shows beside the document."""
        ledger = self.session.ledger
        moved = self.session.moved_weights(_SHOWN_WEIGHTS)
        return models.State(
            **dict(self.about),
            accepted=ledger.accepted,
            kept=len(ledger.corrections),
            seconds_a_sentence=self._figures.seconds_a_sentence(),
            points=self._figures.points(),
            weights=[models.Moved(name=name, before=then, now=now) for name, then, now in moved],
            corrections=self.corrections("", _SHOWN_CORRECTIONS),
            withdrawn=[rule.texts() for rule in ledger.withdrawn],
            terms=list(ledger.terms),
            documents=[one.info() for one in self.documents],
        )

    def correction(self, number: int) -> models.Learned:
        """Return a correction with its links and the rules that are new by it."""
        found = self.session.ledger.corrections.get(number)
        if found is None:
            raise NotFound("correction")
        source, target = found.texts()
        unit = self.documents.unit_of(number)
        places = (self._system.places(source, unit=unit), self._system.places(source, target, unit=unit))
        return models.Learned(
            number=number,
            source=source,
            target=target,
            links=list(found.links),
            places=places,
            time=found.time,
            rules=[pair for pair in self._figures.rules(number) if not self._fell(pair)],
        )

    def corrections(self, wanted: str, most: int) -> list[models.Learned]:
        """List the latest corrections that have a text in them, or in a rule that is new by them."""
        known = reversed(self.session.ledger.corrections)
        return [self.correction(number) for number in islice(filter(partial(self._has, wanted), known), most)]

    def _has(self, wanted: str, number: int) -> bool:
        """Tell whether a correction has a text, in any case; rules are without the marks of their tokens."""
        rules = map(" → ".join, self._figures.rules(number))
        text = "\n".join([*self.session.ledger.corrections[number].texts(), *rules])
        return wanted.casefold() in _MARKS.sub("", text).casefold()

    def report(self) -> Callable[[], models.Report]:
        """Return what reports on the work of the session so far."""
        self._catch_up(0)
        return self._figures.report(self.about, {one.number: one.name for one in self.documents})

    def _fell(self, pair: tuple[str, str]) -> bool:
        """Tell whether a rule is used no more because a smaller one in it was withdrawn."""
        withdrawn, sides = self.session.ledger.withdrawn, [split_words(side) for side in pair]
        rule = RuleSides(*sides)  # of words alone
        return (
            rule not in withdrawn
            and any(one.is_in(*sides) for one in withdrawn)
            and not self.session.gives(rule)
        )

    def weights(self) -> str:
        """Return the present weights in cdec's format."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weights"
            self.session.write_weights(path)
            return path.read_text("utf-8")
