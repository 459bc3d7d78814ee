"""Documents that clients bring: their sentences as words, and the documents with corrections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.text.documents import Document, check_text


@dataclass(frozen=True)
class Received:
    """A document that a client brought; a sentence is a unit of it, without inline codes.

    Attributes
    ----------
    name : str
        The name of the file, without a folder; only for display.
    format : str
        The name of its format.
    content : bytes
        The document as it came.
    sentences : tuple of str
        The sentences, words separated by single blanks.
    """

    name: str
    format: str
    content: bytes
    sentences: tuple[str, ...]

    @classmethod
    def read(
        cls, name: str, content: bytes, format: str | None = None, *, sentences: int | None = None
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

        Raises
        ------
        InputError
            The document is not in the format, has no sentence or too many, or has a sentence that is too long
            or holds what XML cannot.
        """
        document = Document.read(name, content, format)
        texts = tuple(text for _, text in _sentences(document))
        if sentences is not None and len(texts) > sentences:
            raise InputError(f"expected at most {sentences} sentences, got more", path=document.name)
        if not texts:
            raise InputError("expected a document with sentences, got one without")
        for number, text in enumerate(texts, 1):
            check_text(text, where=f"sentence {number}")
        return cls(check_text(document.name[:200]), document.format, content, texts)

    def translated(self, targets: Mapping[int, str], language: str) -> tuple[bytes, str]:
        """Return the document with translations, by the index of the sentence; and its media type."""
        document = Document.read(self.name, self.content, self.format, language=language)
        units = [unit for unit, _ in _sentences(document)]
        written = {units[index]: text for index, text in targets.items()}
        return document.translated(written, language=language), document.media_type


def _sentences(document: Document) -> Iterator[tuple[int, str]]:
    """Iterate over the units with words, and their words."""
    for index, unit in enumerate(document.units):
        words = " ".join(split_words(unit.plain))
        if words:
            yield index, words
