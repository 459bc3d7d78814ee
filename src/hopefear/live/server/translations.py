"""The sentences of a session's documents as they are translated now, completed, and drafted."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from hopefear.base import InputError
from hopefear.base.texts import BLANK
from hopefear.decoder import Segment
from hopefear.decoder.views import derivation_svg, derivation_tree
from hopefear.text import Restored
from hopefear.text.documents import check_text

from ..events import Drafted, Translated
from ..expert_search import ExpertAnswer
from ..unknown_words import unknown_words
from . import models
from .documents import Sentence
from .errors import Conflict, NotFound
from .open_session import OpenSession
from .phrases import phrases, staying_words
from .system import tried
from .work_queue import Rest, Task


class SentenceTranslations:
    """What the session says of the sentences of its documents."""

    def __init__(self, opened: OpenSession) -> None:
        self._system, self._session = opened.system, opened.session
        self._documents, self._queue = opened.documents, opened.queue
        self._unsaid: dict[tuple[int, int], str] = {}  # translations that no event tells of yet

    def segment(self, number: int, index: int) -> Segment:
        """Return a sentence as a segment; a `TooManyWords` is raised for a long one."""
        source = self._documents.sentence(number, index).source
        return self._system.segment(source, unit=self._documents.unit(number, index))

    def answer(self, number: int, index: int) -> tuple[Segment, ExpertAnswer]:
        """Translate a sentence with all experts; errors as in `segment` and `LiveSession.answer`."""
        segment = self.segment(number, index)
        return segment, self._session.answer(segment, number)

    def show(self, number: int, index: int) -> models.ShownSentence:
        """Translate a sentence, and return what a page shows; it is kept when nobody waits."""
        sentence = self._documents.sentence(number, index)
        before = sentence.shown
        shown = self.present(number, index)
        if sentence.target is None and shown.text not in ("", before):
            self._unsaid[number, index] = shown.text
            self._queue.add(Task.KEEP, self.keep)
        return shown

    def skim(self, number: int, index: int) -> str:
        """Translate a sentence that nobody opens, and keep the text; empty if there is none."""
        sentence = self._documents.sentence(number, index)
        if sentence.target is None and sentence.shown is None:
            text, _ = tried(lambda: self._session.skim(self.segment(number, index), number))
            sentence.shown = text or ""
            if text:
                self._unsaid[number, index] = text
                self._queue.add(Task.KEEP, self.keep)
        return sentence.shown or ""

    def keep(self) -> None:
        """Keep over a restart what the machine said of sentences that are not corrected."""
        unsaid, self._unsaid = self._unsaid, {}
        for place, text in unsaid.items():
            if self._documents.sentence(*place).target is None:
                with suppress(OSError):  # nothing depends on it
                    self._session.take(Translated(place, text))

    def present(self, number: int, index: int) -> models.ShownSentence:
        """Translate a sentence, and return what a page shows."""
        sentence, unit = self._documents.sentence(number, index), self._documents.unit(number, index)
        self._queue.add(Task.PREPARE, partial(self._prepare, number, index + 1))
        shown, parts, unknown = Restored(""), list[models.Phrase](), list[int]()
        confidence, expert = list[float](), None
        answered, problem = tried(lambda: self.answer(number, index))
        if answered is not None:
            segment, answer = answered
            forest, expert = answer.shown, answer.expert
            if answer.untouched is not None:
                sentence.untouched = answer.untouched
            shown, stay = forest.restored(), staying_words(segment, forest)
            parts = phrases(derivation_tree(forest), shown, stay)
            unknown, confidence = unknown_words(forest, stay), forest.word_confidence()
        if sentence.target is None:  # else it counts what was shown before its first correction
            sentence.shown = shown.text
        sentence.is_present = True
        places = self._system.places(sentence.source, unit=unit)
        kept = self._system.kept(unit)
        return models.ShownSentence(
            document=number,
            index=index,
            source=[sentence.source[begin:end] for begin, end in places],
            line=sentence.source,
            context=unit.context,
            notes=unit.notes,
            status=unit.status,
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

    def _prepare(self, number: int, index: int) -> Rest | None:
        """Return what finds the rules for a sentence, if it is there; its untouched translation follows."""
        try:
            segment = self.segment(number, index)
        except (NotFound, InputError):  # behind the last one, or too long
            return None
        self._queue.add(Task.FORESEE, partial(self._session.foresee, segment))
        return partial(self._session.prepare, segment)

    def seen(self, number: int, index: int, revision: int) -> Sentence:
        """Return a sentence; a `Conflict` is raised unless somebody has seen its present revision."""
        sentence = self._documents.sentence(number, index)
        if revision != sentence.revision:
            raise Conflict(f"expected revision {sentence.revision} of the sentence, got {revision}")
        return sentence

    def draft(self, number: int, index: int, draft: models.Draft) -> models.SentenceInfo:
        """Keep a translation that is not accepted yet; that of the machine is none."""
        sentence = self.seen(number, index, draft.revision)
        text = check_text(draft.text).strip(BLANK)
        if text in (sentence.target, sentence.shown):
            text = ""
        if text != (sentence.draft or ""):
            self._session.take(Drafted((number, index), text))
        return models.SentenceInfo(**sentence.fields())

    def compare(self, number: int, index: int) -> models.Untouched:
        """Return what the untouched system says of a sentence."""
        sentence = self._documents.sentence(number, index)
        if sentence.untouched is None:
            unit = self._documents.unit(number, index)
            sentence.untouched = self._system.says(sentence.source, unit=unit)
        return models.Untouched(text=sentence.untouched)

    def complete(
        self, number: int, index: int, typed: models.Typed, gives_way: Callable[[], bool]
    ) -> models.Completion:
        """Complete what somebody has typed as the translation of a sentence; without one, nothing follows."""
        text = check_text(typed.text)
        nothing = models.Completion(rest="", words=[])
        if typed.revision not in (None, self._documents.sentence(number, index).revision):
            return nothing
        answered, _ = tried(lambda: self.answer(number, index))
        if answered is None:
            return nothing
        begun = answered[1].forest.completer().after(text, only_best=not typed.words, is_unwanted=gives_way)
        following = begun.next_words(typed.words) if typed.words else []
        words = [models.FollowingWord(word=each.word, probability=each.probability) for each in following]
        return models.Completion(rest=begun.forest.written()[len(text) :], words=words)

    def drawing(self, number: int, index: int) -> str:
        """Draw the derivation of a sentence as SVG."""
        return derivation_svg(derivation_tree(self.answer(number, index)[1].shown))
