"""The documents of a session: files in and out, and the corrections of their sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any

from pydantic_core import to_json as to_json_bytes

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.typed import from_json, to_json
from hopefear.text.documents import Unit

from ..events import (
    Corrected,
    DocumentRemoved,
    DocumentRenamed,
    Drafted,
    Event,
    Reopened,
    Shown,
    Translated,
    TranslatedByHand,
)
from .errors import NotFound
from .models import ChangedSentence, Changes, DocumentInfo, SentenceState
from .received import Received
from .system import ServerLimits

_FILE = "document-{}.json"


@dataclass(slots=True)
class Sentence:
    """A sentence of a document.

    Attributes
    ----------
    source : str
        The sentence.
    target : str or None
        The correction, or the translation that the document has; None before there is one.
    draft : str or None
        A translation that nobody has accepted yet.
    is_repeated : bool
        Whether the same sentence stands before it in the document.
    revision : int
        How often it was corrected.
    number : int or None
        The number of the latest correction in the session, if it was learned.
    shown, untouched : str or None
        The latest translation before the first correction, and that of the untouched system.
    is_present : bool
        Whether this process made the latest translation, so that the session knows what all experts say.
    """

    source: str
    target: str | None = None
    draft: str | None = None
    is_repeated: bool = False
    revision: int = 0
    number: int | None = None
    shown: str | None = None
    untouched: str | None = None
    is_present: bool = False

    @property
    def state(self) -> SentenceState:
        """How far the translation is."""
        if self.target is not None:
            return SentenceState.CONFIRMED
        if self.draft is not None:
            return SentenceState.EDITED
        if self.is_repeated:
            return SentenceState.REPEATED
        return SentenceState.NEW if not self.shown else SentenceState.MACHINE

    @property
    def correction(self) -> str | None:
        """The translation that was accepted here; None if there is none, or only one that came along."""
        return self.target if self.revision else None

    def fields(self) -> dict[str, Any]:
        """Return what a list of sentences shows, the fields of a `SentenceInfo`."""
        return {
            "source": self.source,
            "state": self.state,
            "target": self.target,
            "draft": self.draft,
            "machine": self.shown if self.target is None else None,
            "revision": self.revision,
        }


@dataclass
class SessionDocument:
    """A document of a session; `corrected` of its sentences are confirmed."""

    number: int
    name: str
    format: str
    path: Path
    sentences: list[Sentence]
    corrected: int = 0
    changed: dict[int, int] = field(default_factory=dict)  # sentences: after which event, the latest last

    @classmethod
    def of(cls, number: int, path: Path, document: Received) -> SessionDocument:
        """Open a document without corrections."""
        sentences, before = list[Sentence](), set[str]()
        for text in document.sentences:
            sentences.append(Sentence(text, is_repeated=text in before))
            before.add(text)
        for index, text, done in document.targets:
            if done:
                sentences[index].target = text
            else:
                sentences[index].draft = text
        corrected = sum(sentence.target is not None for sentence in sentences)
        return cls(number, document.name, document.format, path, sentences, corrected)

    @cached_property
    def unit(self) -> Callable[[int], Unit]:
        """Makes a unit of its own of a sentence; at first the document is read, which may take seconds."""
        return _read(self.path).units()

    def info(self) -> DocumentInfo:
        """Return what is known of the document, without its sentences."""
        return DocumentInfo(
            number=self.number,
            name=self.name,
            format=self.format,
            sentences=len(self.sentences),
            corrected=self.corrected,
        )

    def text(self, events: int) -> bytes:
        """Return the same with its sentences after so many events, a `DocumentText` as JSON."""
        sentences = [sentence.fields() for sentence in self.sentences]
        return to_json_bytes({**dict(self.info()), "events": events, "text": sentences})

    def changes(self, events: int) -> list[ChangedSentence]:
        """List the sentences that have changed since the session had so many events."""
        latest = takewhile(lambda index: self.changed[index] > events, reversed(self.changed))
        return [ChangedSentence(index=index, **self.sentences[index].fields()) for index in latest]

    def accept(self, index: int, target: str, number: int | None) -> None:
        """Take in a correction of a sentence, and its number if it was learned."""
        sentence = self.sentences[index]
        self.corrected += sentence.target is None
        sentence.target, sentence.number = target, number
        sentence.revision += 1
        sentence.draft, sentence.is_present = None, False

    def reopen(self, index: int, draft: str | None) -> None:
        """Take back the translation of a confirmed sentence; a draft of it stays."""
        sentence = self.sentences[index]
        self.corrected -= sentence.target is not None
        sentence.target, sentence.number, sentence.draft = None, None, draft
        sentence.revision += 1


def export_name(name: str, languages: tuple[str, str]) -> str:
    """Return the name of a document's translation: ``manual.po`` becomes ``manual.es.po``."""
    target, path = languages[1], PurePath(name)
    codes = {f".{code.lower()}" for code in languages}
    if target == "und":
        return name
    if path.suffix.lower() in codes:
        return path.with_suffix(f".{target}").name
    stem = PurePath(path.stem)
    if stem.suffix.lower() in codes:
        stem = stem.with_suffix("")
    return f"{stem}.{target}{'.po' if path.suffix == '.pot' else path.suffix}"


def _read(path: Path) -> Received:
    """Read a document as it came."""
    try:
        document: Received = from_json(Received, parse_json(path.read_text("utf-8")), "the document")
    except FileNotFoundError:  # it was deleted meanwhile
        raise NotFound("document") from None
    except ValueError as error:
        raise InputError(f"expected a document of a session: {error}", path=path) from None
    return document


class Documents:
    """The documents of a session, each in a file of its folder; corrections are read from the events."""

    def __init__(self, folder: Path, limits: ServerLimits) -> None:
        self._folder, self._limits = folder, limits
        self._corrected: dict[int, tuple[int, int]] = {}  # sentences, by the number of their corrections
        paths = {int(path.stem.partition("-")[2]): path for path in folder.glob(_FILE.format("*"))}
        self._documents = {
            number: SessionDocument.of(number, path, _read(path)) for number, path in sorted(paths.items())
        }
        self._last = max(self._documents, default=0)  # the latest number
        self._missing: set[int] = set()  # documents of events that are neither there nor removed
        self.events = 0

    def __iter__(self) -> Iterator[SessionDocument]:
        """Iterate over the documents, the oldest first."""
        return iter(self._documents.values())

    def read(self, event: Event) -> None:
        """Take in an event."""
        self.events += 1
        match event:
            case Corrected(shown=Shown(place=(number, index)) as shown) if self._has(number):
                self._changed(number, index).shown = shown.text
                self._corrected[event.number] = number, index
                self.document(number).accept(index, event.texts()[1], event.number)
            case TranslatedByHand(place=(number, index)) if self._has(number):
                self._changed(number, index)
                self.document(number).accept(index, event.text, None)
            case Reopened(place=(number, index)) if self._has(number):
                self._changed(number, index)
                self.document(number).reopen(index, event.text or None)
            case Translated(place=(number, index)) if self._has(number):
                self._changed(number, index).shown = event.text
            case Drafted(place=(number, index)) if self._has(number):
                self._changed(number, index).draft = event.text or None
            case DocumentRenamed() if self._has(event.number):
                self._documents[event.number].name = event.name
            case DocumentRemoved():
                self._remove(event.number)

    def _changed(self, number: int, index: int) -> Sentence:
        """Return a sentence, and note that it changes now."""
        sentence, changed = self.sentence(number, index), self.document(number).changed
        changed.pop(index, None)
        changed[index] = self.events
        return sentence

    def _has(self, number: int) -> bool:
        """Tell whether a document is there; an event that removes it may follow if it is not."""
        if number not in self._documents:
            self._missing.add(number)
        return number in self._documents

    def _remove(self, number: int) -> None:
        self._missing.discard(number)
        self._last = max(self._last, number)
        self._corrected = {
            correction: place for correction, place in self._corrected.items() if place[0] != number
        }
        opened = self._documents.pop(number, None)
        if opened is not None:
            with suppress(OSError):  # else it is deleted when the session is opened again
                opened.path.unlink(missing_ok=True)

    def check(self) -> None:
        """Refuse a session whose events are of a missing document, with an `InputError`."""
        if self._missing:
            raise InputError(
                f"expected document {min(self._missing)} of the session, but there is none", path=self._folder
            )

    def add(self, document: Received) -> SessionDocument:
        """Add a document."""
        if len(self._documents) >= self._limits.documents:
            raise InputError(f"expected at most {self._limits.documents} documents in a session")
        number = self._last + 1
        path = self._folder / _FILE.format(number)
        with written_whole(path) as temporary:
            temporary.write_text(json.dumps(to_json(document)), "utf-8")
        self._last = number
        self._documents[number] = SessionDocument.of(number, path, document)
        return self._documents[number]

    def document(self, number: int) -> SessionDocument:
        """Return a document; `NotFound` is raised if there is none of this number."""
        if number not in self._documents:
            raise NotFound("document")
        return self._documents[number]

    def text(self, number: int) -> bytes:
        """Return a document with its sentences as JSON; errors as in `document`."""
        return self.document(number).text(self.events)

    def changes(self, number: int, after: int) -> Changes:
        """Return what has changed in a document after so many events; errors as in `document`."""
        return Changes(events=self.events, sentences=self.document(number).changes(after))

    def sentence(self, number: int, index: int) -> Sentence:
        """Return a sentence of a document, sentences numbered from 0; errors as in `document`."""
        sentences = self.document(number).sentences
        if not 0 <= index < len(sentences):
            raise NotFound("sentence")
        return sentences[index]

    def unit(self, number: int, index: int) -> Unit:
        """Return a sentence of a document as a unit of its own; errors as in `document`."""
        self.sentence(number, index)
        return self.document(number).unit(index)

    def reading(self, number: int) -> Callable[[], object]:
        """Return what reads a document for its first sentence, in any thread; else that sentence waits."""
        opened = self.document(number)
        return lambda: opened.unit

    def place(self, correction: int) -> tuple[int, int] | None:
        """Return the document and the sentence that a correction corrects; None if it is in no document."""
        return self._corrected.get(correction)

    def unit_of(self, correction: int) -> Unit | None:
        """Return the sentence that a correction corrects; None if it is in no document."""
        place = self.place(correction)
        return None if place is None else self.unit(*place)

    def exporting(self, number: int, languages: tuple[str, str]) -> Callable[[], tuple[str, str, bytes]]:
        """Return what writes a document with its present translations, in any thread."""
        opened = self.document(number)
        name, path = export_name(opened.name, languages), opened.path
        corrections = enumerate(sentence.correction for sentence in opened.sentences)
        targets = {index: text for index, text in corrections if text is not None}

        def export() -> tuple[str, str, bytes]:
            content, media_type = _read(path).translated(targets, languages[1])
            return name, media_type, content

        return export

    def pairs(self) -> list[tuple[str, str]]:
        """List the sentences that were corrected, with their corrections."""
        sentences = (sentence for document in self for sentence in document.sentences)
        return [(each.source, each.correction) for each in sentences if each.correction is not None]
