"""The documents of a session: files in and out, and the corrections of their sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopefear.base import InputError
from hopefear.base.files import written_whole
from hopefear.base.stored import parse_json
from hopefear.base.typed import from_json, to_json
from hopefear.text.documents import Unit

from ..events import Corrected, Event
from .errors import NotFound
from .models import DocumentInfo, DocumentText, SentenceInfo
from .received import Received
from .system import Limits

_FILE = "document-{}.json"


@dataclass(slots=True)
class Sentence:
    """A sentence of a document.

    Attributes
    ----------
    source : str
        The sentence.
    target : str or None
        The correction; None before there is one.
    revision : int
        How often it was corrected.
    number : int or None
        The number of the latest correction in the session.
    shown, untouched : str or None
        The latest translation before the first correction, and that of the untouched system.
    """

    source: str
    target: str | None = None
    revision: int = 0
    number: int | None = None
    shown: str | None = None
    untouched: str | None = None


@dataclass(slots=True)
class OpenDocument:
    """A document of a session."""

    number: int
    name: str
    format: str
    path: Path
    sentences: list[Sentence]
    _units: list[Unit] | None = None

    @classmethod
    def of(cls, number: int, path: Path, document: Received) -> OpenDocument:
        """Open a document without corrections."""
        sentences = [Sentence(text) for text in document.sentences]
        return cls(number, document.name, document.format, path, sentences)

    def unit(self, index: int) -> Unit:
        """Return a sentence as a unit of its own; the document is read again for the first of them.

        Raises
        ------
        InputError
            The document is damaged.
        """
        if self._units is None:
            self._units = _read(self.path).units()
        return self._units[index]

    def info(self) -> DocumentInfo:
        """Return what is known of the document, without its sentences."""
        return DocumentInfo(
            number=self.number,
            name=self.name,
            format=self.format,
            sentences=len(self.sentences),
            corrected=sum(one.target is not None for one in self.sentences),
        )

    def text(self) -> DocumentText:
        """Return the same with its sentences."""
        text = [
            SentenceInfo(source=one.source, target=one.target, revision=one.revision)
            for one in self.sentences
        ]
        return DocumentText(**dict(self.info()), text=text)


def _read(path: Path) -> Received:
    """Read a document as it came.

    Raises
    ------
    InputError
        The file is damaged.
    """
    try:
        document: Received = from_json(Received, parse_json(path.read_text("utf-8")), "the document")
    except ValueError as error:
        raise InputError(f"expected a document of a session: {error}", path=path) from None
    return document


class Documents:
    """The documents of a session, each in a file of its folder; what was corrected is read from the events.

    Parameters
    ----------
    folder : Path
        The folder of the session.
    limits : Limits
        What clients can ask for.
    """

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder, self._limits = folder, limits
        self._corrected: dict[int, tuple[int, int]] = {}  # sentences, by the number of their corrections
        paths = {int(path.stem.partition("-")[2]): path for path in folder.glob(_FILE.format("*"))}
        self._documents = {
            number: OpenDocument.of(number, path, _read(path)) for number, path in sorted(paths.items())
        }

    def __iter__(self) -> Iterator[OpenDocument]:
        """Iterate over the documents, the oldest first."""
        return iter(self._documents.values())

    def read(self, event: Event) -> None:
        """Take in an event.

        Raises
        ------
        NotFound
            It is the correction of a sentence that does not exist.
        """
        if isinstance(event, Corrected) and event.shown is not None and event.shown.place is not None:
            sentence = self.sentence(*event.shown.place)
            self._corrected[event.number] = event.shown.place
            sentence.target, sentence.number = event.texts()[1], event.number
            sentence.revision += 1
            sentence.shown = event.shown.text

    def add(self, document: Received) -> OpenDocument:
        """Add a document.

        Raises
        ------
        InputError
            There are too many documents.
        OSError
            The document cannot be written.
        """
        if len(self._documents) >= self._limits.documents:
            raise InputError(f"expected at most {self._limits.documents} documents in a session")
        number = max(self._documents, default=0) + 1
        path = self._folder / _FILE.format(number)
        with written_whole(path) as temporary:
            temporary.write_text(json.dumps(to_json(document)), "utf-8")
        self._documents[number] = OpenDocument.of(number, path, document)
        return self._documents[number]

    def document(self, number: int) -> OpenDocument:
        """Return a document; `NotFound` is raised if there is none of this number."""
        if number not in self._documents:
            raise NotFound("document")
        return self._documents[number]

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

    def place(self, correction: int) -> tuple[int, int] | None:
        """Return the document and the sentence that a correction corrects; None if it is in no document."""
        return self._corrected.get(correction)

    def unit_of(self, correction: int) -> Unit | None:
        """Return the sentence that a correction corrects; None if it is in no document."""
        place = self.place(correction)
        return None if place is None else self.unit(*place)

    def export(self, number: int, language: str) -> tuple[str, str, bytes]:
        """Return a document with its translations into a language, after its name and its media type."""
        opened = self.document(number)
        document = _read(opened.path)
        targets = {i: one.target for i, one in enumerate(opened.sentences) if one.target is not None}
        content, media_type = document.translated(targets, language)
        return document.name, media_type, content

    def pairs(self) -> list[tuple[str, str]]:
        """List the sentences that were corrected, with their corrections."""
        return [(one.source, one.target) for each in self for one in each.sentences if one.target is not None]
