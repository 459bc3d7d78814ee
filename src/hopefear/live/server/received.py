"""Documents that clients bring: their sentences, and the documents with corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.text.documents import DividedUnit, Document, Unit, check_text, joined

Place = tuple[int, int, int]
"""The index of a unit, and where a sentence begins and ends in its source."""


@dataclass(frozen=True)
class Received:
    """A document that a client brought.

    Attributes
    ----------
    name : str
        The name of the file, without a folder; only for display.
    format : str
        The name of its format.
    content : bytes
        The document as it came.
    sentences : tuple of str
        The sentences. Without `places` a sentence is a unit: its words, without inline codes.
    places : tuple of (int, int, int)
        Where the sentences stand: unit, begin and end; in one line, with inline codes.
    """

    name: str
    format: str
    content: bytes
    sentences: tuple[str, ...]
    places: tuple[Place, ...] = ()

    @classmethod
    def read(
        cls,
        name: str,
        content: bytes,
        format: str | None = None,
        *,
        sentences: int | None = None,
        written: bool = False,
        language: str | None = None,
    ) -> Received:
        """Read a document.

        Parameters
        ----------
        name : str
            The name of the file; its ending tells the format if `format` does not.
        format : str, optional
            The name of a format.
        sentences : int, optional
            The most sentences.
        written : bool
            Divide units into sentences as written; else each is the words of a unit.
        language : str, optional
            The code of the source language, for the ends of sentences.

        Raises
        ------
        InputError
            The document is not in the format, has no sentence or too many, or has a sentence that is too long
            or holds what XML cannot.
        """
        document = Document.read(name, content, format)
        words, places = _units_of_words(document), list[Place]()
        texts = [unit.source for unit in words.values()]
        _check_number(document, texts, sentences)
        for number, text in enumerate(texts, 1):
            check_text(text, where=f"sentence {number}")
        if written:
            texts = []
            for i in words:
                divided = DividedUnit(document.units[i], language)
                places += [(i, *place) for place in divided.places]
                texts += [divided.text(*place) for place in divided.places]
                _check_number(document, texts, sentences)
        if not texts:
            raise InputError("expected a document with sentences, got one without")
        return cls(check_text(document.name[:200]), document.format, content, tuple(texts), tuple(places))

    def units(self) -> list[Unit]:
        """Return the sentences as units of their own."""
        document = Document.read(self.name, self.content, self.format)
        if not self.places:
            return list(_units_of_words(document).values())
        found, divided = list[Unit](), dict[int, DividedUnit]()
        for i, begin, end in self.places:
            if i not in divided:
                divided[i] = DividedUnit(document.units[i])
            found.append(divided[i].sentence(begin, end))
        return found

    def translated(self, targets: Mapping[int, str], language: str) -> tuple[bytes, str]:
        """Return the document with translations, by the index of the sentence; and its media type.

        A unit of which a sentence has no translation stays as it is.
        """
        document = Document.read(self.name, self.content, self.format, language=language)
        if self.places:
            of_units: dict[int, list[int]] = {}
            for index, (unit, _, _) in enumerate(self.places):
                of_units.setdefault(unit, []).append(index)
            written = {
                unit: joined(
                    document.units[unit],
                    [self.places[i][1:] for i in indices],
                    [targets[i] for i in indices],
                )
                for unit, indices in of_units.items()
                if all(i in targets for i in indices)
            }
        else:
            units = [*_units_of_words(document)]
            written = {units[index]: text for index, text in targets.items()}
        return document.translated(written, language=language), document.media_type


def _check_number(document: Document, sentences: Sequence[str], most: int | None) -> None:
    if most is not None and len(sentences) > most:
        raise InputError(f"expected at most {most} sentences, got more", path=document.name)


def _units_of_words(document: Document) -> dict[int, Unit]:
    """Return the units with words, by their index: their words, without inline codes."""
    found = {}
    for index, unit in enumerate(document.units):
        words = " ".join(split_words(unit.plain))
        if words:
            found[index] = replace(unit, source=words, codes=())
    return found
