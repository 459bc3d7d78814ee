"""One session as the server has it: its files, its documents, and what clients ask of it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from hopefear.base import InputError
from hopefear.text.documents import Unit, tmx

from ..events import Corrected, DocumentRemoved, DocumentRenamed, Event
from ..stored_session import StoredSession
from ..unknown_words import unknown_words
from . import models
from .figures import measure
from .knowledge import Knowledge
from .learning import Learning
from .open_session import OpenSession
from .phrases import nbest, staying_words
from .suggestions import Suggestions
from .system import TranslationSystem, tried
from .translations import SentenceTranslations
from .work_queue import Task
from .written_rules import WrittenRules

_STATE = "state"
_SAVE_EVERY, _SAVE_SHARE = 25, 1 / 40
"""The state is saved after so many corrections, or after this share of those it has, if that is more."""

_SHOWN_WEIGHTS, _SHOWN_CORRECTIONS, _SHOWN_TERMS = 12, 30, 100


@dataclass(frozen=True, slots=True)
class Said:
    """The best different translations of a sentence; none if it has too many words, or no derivation."""

    texts: list[str] = field(default_factory=list)
    words: int = 0
    unknown: int = 0


class SessionService:
    """What clients ask of a session, and the queue of its background work."""

    def __init__(self, system: TranslationSystem, folder: Path, about: models.SessionInfo) -> None:
        opened = OpenSession.of(system, folder)
        self._system, self.session, self.about = system, opened.session, about
        self.documents, self._figures, self.queue = opened.documents, opened.figures, opened.queue
        self.translations = SentenceTranslations(opened)
        written = WrittenRules(opened)
        self.suggestions = Suggestions(opened, self.translations, written)
        self.learning = Learning(opened, self.translations, written)
        self.knowledge = Knowledge(opened)
        state = folder / _STATE
        self._stored = StoredSession(self.session, state, resume=state.exists())
        self._saved = self.session.active.accepted
        try:
            self.documents.check()
            self.session.readers.append(self._plan)
            for number in self._figures.unmeasured:
                self._plan_measure(number)
            self.queue.run(Task.MEASURE)
        except BaseException:
            self._stored.close()
            raise

    def close(self) -> None:
        """Save the state and close the files."""
        with self._stored:
            self.translations.keep()
            self._save()

    def _plan(self, event: Event) -> None:
        """Put into the queue what follows from an event."""
        if isinstance(event, Corrected):
            if event.number in self._figures.unmeasured:
                self._plan_measure(event.number)
            active = self.session.active
            if active.accepted - self._saved >= max(_SAVE_EVERY, _SAVE_SHARE * len(active.corrections)):
                self.queue.add(Task.SAVE, self._save)

    def _plan_measure(self, number: int) -> None:
        self.queue.add(Task.MEASURE, partial(self._measure, number), str(number))

    def _measure(self, number: int) -> None:
        unit = self.documents.unit_of(number)
        self.session.take(measure(self._figures.unmeasured[number], self.session, self._system, unit))

    def _save(self) -> None:
        self._stored.save()
        self._saved = self.session.active.accepted

    def rename(self, number: int, name: str) -> models.DocumentInfo:
        """Give a document another name."""
        document = self.documents.document(number)
        self.session.take(DocumentRenamed(number, models.name_of(name)))
        return document.info()

    def remove(self, number: int) -> None:
        """Delete a document; what its corrections have taught stays."""
        self.documents.document(number)
        self.translations.keep()
        self.queue.run(Task.MEASURE)  # for this the sentences are needed
        self.session.take(DocumentRemoved(number))

    def translate(self, source: str, size: int) -> models.Translations:
        """Translate a text that is in no document: n-best list, alignment, features."""
        segment = self._system.segment(source)
        forest, problem = tried(lambda: self.session.translate(segment))
        if forest is None:
            return models.Translations(nbest=[], places=[], unknown=[], problem=problem)
        return models.Translations(
            nbest=nbest(forest, size),
            places=self._system.places(source),
            unknown=unknown_words(forest, staying_words(segment, forest)),
            problem=None,
        )

    def says(self, source: str, unit: Unit, size: int) -> Said:
        """Translate a sentence of a document that the session does not have."""
        try:
            segment = self._system.segment(source, unit=unit)
            forest, _ = tried(lambda: self.session.translate(segment))
        except InputError:
            return Said()
        if forest is None:
            return Said()
        texts = [forest.restored(each).text for each in forest.derivations(size, unique=True)]
        unknown = unknown_words(forest, staying_words(segment, forest))
        return Said(texts, len(self._system.places(source, unit=unit)), len(unknown))

    def state(self) -> models.SessionState:
        """Return what a page shows beside the document."""
        active = self.session.active
        moved = self.session.moved_weights(_SHOWN_WEIGHTS)
        return models.SessionState(
            **dict(self.about),
            accepted=active.accepted,
            kept=len(active.corrections),
            seconds_a_sentence=self._figures.seconds_a_sentence(),
            points=self._figures.points(),
            weights=[models.Moved(name=name, before=then, now=now) for name, then, now in moved],
            corrections=self.learning.latest("", _SHOWN_CORRECTIONS),
            withdrawn=[rule.texts() for rule in active.withdrawn],
            terms=self.knowledge.terms("", _SHOWN_TERMS),
            term_count=len(active.terms),
            memories=[models.MemoryInfo(name=name, pairs=pairs) for name, pairs in active.memories.items()],
            documents=[document.info() for document in self.documents],
        )

    def report(self) -> Callable[[], models.SessionReport]:
        """Return what reports on the work of the session so far."""
        self.queue.run(Task.MEASURE)
        return self._figures.report(self.about, {each.number: each.name for each in self.documents})

    def memory(self) -> bytes:
        """Return the corrections of all documents, and the others that are not forgotten, as TMX."""
        times = {each.texts(): each.time for each in self.session.active.corrections.values()}
        corrected = self.documents.pairs()
        in_documents = set(corrected)
        corrected += [pair for pair in times if pair not in in_documents]
        return tmx(corrected, self._system.languages, times)

    def weights(self) -> str:
        """Return the present weights in cdec's format."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weights"
            self.session.weights.write(path)
            return path.read_text("utf-8")
