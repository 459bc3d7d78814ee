"""Documents that clients bring: their sentences, and the documents with corrections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.text.documents import DividedUnit, Document, State, Unit, check_text, joined, pieces

from .errors import Doubted
from .models import name_of

Place = tuple[int, int, int]
"""The index of a unit, and where a sentence begins and ends in its source."""

Target = tuple[int, str, bool]
"""The index of a sentence, its translation in the document, and whether nobody has to look at that."""


@dataclass(frozen=True)
class Received:
    """A document that a client brought."""

    name: str
    format: str
    content: bytes
    sentences: tuple[str, ...]
    places: tuple[Place, ...] = ()
    targets: tuple[Target, ...] = ()
    language: str | None = None

    @classmethod
    def read(
        cls,
        name: str,
        content: bytes,
        format: str | None = None,
        *,
        sentences: int | None = None,
        written: bool = False,
        languages: tuple[str | None, str | None] = (None, None),
        check: Callable[[tuple[str, str], Sequence[str]], str | None] | None = None,
    ) -> Received:
        """Read a document; `Doubted` is raised with what a check says of its languages and texts."""
        name = name_of(name, "document")
        if not content:
            raise InputError("expected a document, got an empty file", path=name)
        document = Document.read(name, content, format, language=languages[1], languages=languages)
        words, places, targets = _units_of_words(document), list[Place](), list[Target]()
        texts = [unit.source for unit in words.values()]
        _check_number(document, texts, sentences)
        if check is not None and (doubt := check(document.languages, texts)):
            raise Doubted(doubt)
        for number, text in enumerate(texts, 1):
            check_text(text, where=f"sentence {number}")
        done = {i: document.units[i].state is State.DONE for i in words if _has_target(document.units[i])}
        if written:
            texts = []
            for i in words:
                divided, spans, translated = _divided(document.units[i], languages)
                targets += [(len(texts) + n, text, done[i]) for n, text in enumerate(translated)]
                places += [(i, *span) for span in spans]
                texts += [divided.text(*span) for span in spans]
                _check_number(document, texts, sentences)
        else:
            plain = ((n, _plain(document.units[i]), done[i]) for n, i in enumerate(words) if i in done)
            targets = [target for target in plain if target[1]]
        if not texts:
            raise InputError("expected a document with sentences, got one without")
        for number, text, _ in targets:
            check_text(text, where=f"the translation of sentence {number + 1}")
        if document.format == "tmx" and len(targets) == len(texts):
            message = "expected a document with something to translate, got a translation memory"
            raise InputError(f"{message}, all of which is: give it to the server with --memory", path=name)
        sides = (tuple(texts), tuple(places), tuple(targets))
        return cls(document.name, document.format, content, *sides, languages[1])

    def units(self) -> Callable[[int], Unit]:
        """Return what makes a unit of its own of a sentence, by the index of the sentence."""
        document = Document.read(self.name, self.content, self.format, language=self.language)
        if not self.places:
            return list(_units_of_words(document).values()).__getitem__

        def unit(index: int) -> Unit:
            number, begin, end = self.places[index]
            return DividedUnit(document.units[number]).sentence(begin, end)

        return unit

    def translated(self, targets: Mapping[int, str], language: str) -> tuple[bytes, str]:
        """Return the document with translations, by the index of the sentence; and its media type.

        A unit of which a sentence has no translation stays as it is, and so does one whose translations are
        those that the document has. What somebody has to look at, and nobody has translated, stays marked.
        """
        document = Document.read(self.name, self.content, self.format, language=self.language or language)
        had = {index: (text, done) for index, text, done in self.targets}
        changed = {i for i, text in targets.items() if had.get(i) != (text, True)}
        texts = {i: text for i, (text, _) in had.items()} | dict(targets)
        written, drafts = dict[int, str](), set[int]()
        for unit, indices in self._sentences_of(document).items():
            if changed.isdisjoint(indices) or not all(i in texts for i in indices):
                continue
            sides = [texts[i] for i in indices]
            places = [self.places[i][1:] for i in indices] if self.places else []
            written[unit] = joined(document.units[unit], places, sides) if places else sides[0]
            if any(i not in targets and not had[i][1] for i in indices):
                drafts.add(unit)
        complaints = document.complaints(written)
        drafts |= {complaint.unit for complaint in complaints}
        content = document.translated(written, language=language, drafts=drafts)
        for difference in document.differences(content, complaints, language=language):
            message = f"the translated document differs in more than translations: {difference.reason}"
            raise InputError(message, path=self.name, line=difference.line)
        return content, document.media_type

    def _sentences_of(self, document: Document) -> dict[int, list[int]]:
        """Return the indices of the sentences of each unit, by its index."""
        if not self.places:
            return {unit: [index] for index, unit in enumerate(_units_of_words(document))}
        indices: dict[int, list[int]] = {}
        for index, (unit, _, _) in enumerate(self.places):
            indices.setdefault(unit, []).append(index)
        return indices


def _has_target(unit: Unit) -> bool:
    return unit.target is not None and unit.state is not State.NEW


def _plain(unit: Unit) -> str:
    """Return the words of a unit's translation, without inline codes."""
    parts = pieces(unit.target or "", unit.codes)
    return " ".join(split_words("".join(text for text, code in parts if code is None)))


def _divided(
    unit: Unit, languages: tuple[str | None, str | None]
) -> tuple[DividedUnit, list[tuple[int, int]], list[str]]:
    """Divide a unit: return it, where its sentences stand, and their translations if it has any."""
    divided = DividedUnit(unit, languages[0])
    if not divided.places or not _has_target(unit):
        return divided, divided.places, []
    other = DividedUnit(replace(unit, source=unit.target or ""), languages[1])
    if len(divided.places) == len(other.places):
        return divided, divided.places, [other.text(*span) for span in other.places]
    text = other.text(*other.whole)
    return (divided, [divided.whole], [text]) if text else (divided, divided.places, [])


def _check_number(document: Document, sentences: Sequence[str], most: int | None) -> None:
    if most is not None and len(sentences) > most:
        raise InputError(f"expected at most {most} sentences, got more", path=document.name)


def _units_of_words(document: Document) -> dict[int, Unit]:
    """Return the units with words, by their index: their words, without inline codes."""
    units = {}
    for index, unit in enumerate(document.units):
        words = " ".join(split_words(unit.plain))
        if words:
            units[index] = replace(unit, source=words, codes=())
    return units
