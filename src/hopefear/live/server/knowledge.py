"""Memories and glossaries that translators bring to a session, and what all that it has says about a text."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import TypeVar

from hopefear.base import InputError
from hopefear.grammars.extractor import POST_EDIT_SUPPORT
from hopefear.text.folded import folded
from hopefear.text.memory import read_glossary
from hopefear.text.tokens import join

from ..events import MemoryAdded, MemoryRemoved, TermsAdded
from ..memory_files import aligned_entries, read_pairs
from ..session_text import SharedText
from . import models
from .documents import Sentence
from .errors import NotFound
from .open_session import OpenSession

Result = TypeVar("Result")

_WORD = re.compile(r"\w+")


class Knowledge:
    """The memories and glossaries of a session, and the search in them, its documents and its corrections."""

    def __init__(self, opened: OpenSession) -> None:
        self._system, self._session, self._documents = opened.system, opened.session, opened.documents

    def reading_memory(self, name: str, content: bytes) -> Callable[[], MemoryAdded]:
        """Return what reads and aligns the pairs of a memory, in any thread."""
        decoder = self._system.decoder
        if not decoder.remembers:
            raise InputError("expected a server that learns rules (--adapt rules) or has a --memory")
        name = models.name_of(name)
        text = self._session.text or SharedText.empty(features=[POST_EDIT_SUPPORT])

        def read(path: Path) -> MemoryAdded:
            pairs = read_pairs(path, decoder.text_system)
            most = self._system.limits.sentences
            if len(pairs) > most:
                raise InputError(f"expected at most {most} sentence pairs, got {len(pairs)}", path=path)
            entries = tuple(aligned_entries(pairs, decoder.text_system, text))
            return MemoryAdded(name, entries)

        return lambda: _reading(name, content, read)

    def add_memory(self, added: MemoryAdded) -> models.MemoryInfo:
        """Let the pairs of a memory join, in place of those of an earlier one of the same name."""
        if added.name in self._session.active.memories:
            self._session.take(MemoryRemoved(added.name))
        self._session.take(added)
        return models.MemoryInfo(name=added.name, pairs=len(added.entries))

    def remove_memory(self, name: str) -> None:
        """Let the pairs of a memory leave the session."""
        if name not in self._session.active.memories:
            raise NotFound("memory")
        self._session.take(MemoryRemoved(name))

    def add_glossary(self, name: str, content: bytes) -> models.AddedTerms:
        """Let the terms of a glossary join that of the session, but for those that it has."""
        name, text = models.name_of(name), self._system.decoder.text_system
        languages = None if text is None else text.languages
        terms = _reading(name, content, lambda path: list(read_glossary(path, languages)))
        pairs = dict.fromkeys((term.source, term.target) for term in terms)
        new = tuple(pair for pair in pairs if pair not in self._session.active.terms)
        if new:
            self._session.take(TermsAdded(new))
        return models.AddedTerms(added=len(new), known=len(pairs) - len(new))

    def terms(self, wanted: str, most: int) -> list[tuple[str, str]]:
        """List the latest terms of the session that have a text in them."""
        text, latest = folded(wanted), reversed(self._session.active.terms)
        return [*islice((term for term in latest if text in folded("\n".join(term))), most)]

    def concordance(self, wanted: str, most: int) -> Callable[[], list[models.ConcordanceLine]]:
        """Return what lists sentences that have a text, with their translations, in any thread.

        Confirmed sentences come first, then what memories have, then the parallel text of the system, then
        sentences that nobody has confirmed.
        """
        text = folded(wanted)
        sentences = [
            (document, index, sentence)
            for document in self._documents
            for index, sentence in enumerate(document.sentences)
        ]
        others = [
            correction.texts()
            for number, correction in reversed(self._session.active.corrections.items())
            if self._documents.place(number) is None
        ]
        memories = self._session.memory.files

        def of_documents(confirmed: bool) -> Iterator[models.ConcordanceLine]:
            for document, index, sentence in sentences:
                if (sentence.target is not None) == confirmed:
                    place = (document.number, index)
                    yield models.ConcordanceLine(
                        source=sentence.source,
                        target=_translation(sentence),
                        origin=document.name,
                        place=place,
                    )

        def of_all() -> Iterator[models.ConcordanceLine]:
            yield from of_documents(True)
            for source, target in others:
                yield models.ConcordanceLine(source=source, target=target, origin="a correction")
            for index in memories:
                for source, target in index.texts():
                    yield models.ConcordanceLine(source=source, target=target, origin="a memory")
            for source, target in self._of_system(text):
                yield models.ConcordanceLine(source=source, target=target, origin="the system's text")
            yield from of_documents(False)

        def has(line: models.ConcordanceLine) -> bool:
            return text in folded(line.source) or text in folded(line.target)

        return lambda: [*islice(filter(has, of_all()), most)]

    def _of_system(self, text: str) -> Iterator[tuple[str, str]]:
        """Iterate over the pairs of the system's parallel text that have all words of a folded text."""
        shared, written = self._system.decoder.text, self._system.decoder.text_system
        words = _WORD.findall(text)
        for sides in () if shared is None else shared.pairs():
            if not any(all(word in folded(" ".join(side)) for word in words) for side in sides):
                continue
            if written is None:
                source, target = map(" ".join, sides)
            else:
                languages = written.source, written.target
                both = (one.casing.written(side, ()) for one, side in zip(languages, sides, strict=True))
                source, target = map(join, both)
            yield source, target


def _translation(sentence: Sentence) -> str:
    return sentence.target or sentence.draft or sentence.shown or ""


def _reading(name: str, content: bytes, read: Callable[[Path], Result]) -> Result:
    """Read a file that a client brought; errors have the name that it has there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file" + "".join(PurePath(name).suffixes[-2:])[-20:])
        path.write_bytes(content)
        try:
            return read(path)
        except InputError as error:
            raise InputError(str(error).replace(os.fspath(path), name)) from None
