"""What a translator may choose from for a sentence: alternatives, matches, terms; and why words changed."""

from __future__ import annotations

from collections.abc import Sequence

from hopefear.decoder import Segment
from hopefear.text.full_match import WrittenPair, full_match

from ..memory_index import MemoryEntry
from ..unknown_words import foreign_words, is_name
from . import models
from .open_session import OpenSession
from .phrases import alternatives
from .reasons import reasons
from .system import pieces, tried
from .translations import SentenceTranslations
from .written_rules import WrittenRules

_SHOWN_MATCHES, _LOOKED_AT = 3, 12
"""Matches of the memory that are shown, and that are looked at: several may have the same translation."""

_SLACK = 1e-6


class Suggestions:
    """What the session has beside the translation of a sentence."""

    def __init__(
        self, opened: OpenSession, translations: SentenceTranslations, written: WrittenRules
    ) -> None:
        self._system, self._session = opened.system, opened.session
        self._documents, self._translations = opened.documents, translations
        self._written = written

    def alternatives(
        self, number: int, index: int, span: tuple[int, int], most: int
    ) -> list[models.PhraseAlternative]:
        """List other translations of source words: of the expert that is shown, then of all rules."""
        answered, _ = tried(lambda: self._translations.answer(number, index))
        if answered is None:
            return []
        _, answer = answered
        listed = alternatives(answer.shown, span, most)
        if answer.learning.native is answer.shown.native:  # it has all
            return listed
        texts = {each.text for each in listed}
        answer.learning.reweight()
        others = (each for each in alternatives(answer.learning, span, most) if each.text not in texts)
        listed += [each.model_copy(update={"score": None}) for each in others]
        answer.forest.reweight()  # the two may share edges
        return listed[:most]

    def reasons(self, number: int, index: int, span: tuple[int, int]) -> list[models.ChangeReason]:
        """List why target words of a sentence are not those of the untouched system."""
        answered, _ = tried(lambda: self._translations.answer(number, index))
        if answered is None:
            return []
        listed = reasons(self._session, *answered, span, number, self._written)
        for each in listed:
            each.place = None if each.number is None else self._documents.place(each.number)
        return listed

    def matches(self, number: int, index: int) -> models.Matches:
        """Return what memory and glossaries have for a sentence, and its words that no rule writes."""
        sentence, unit = self._documents.sentence(number, index), self._documents.unit(number, index)
        segment = self._system.any_segment(sentence.source, unit=unit)
        places = self._system.places(sentence.source, unit=unit)
        matches = dict[str, models.Match]()
        for entry, alike, is_corrected in self._session.memory.nearest(
            segment.tokens or (), _LOOKED_AT, number
        ):
            match = self._match(sentence.source, segment, entry, alike, is_corrected)
            matches.setdefault(match.target, match)
        terms = [
            models.FoundTerm(place=(places[begin][0], places[end - 1][1]), targets=targets)
            for (begin, end), targets in self._session.terms(segment).items()
        ]
        closest = sorted(matches.values(), key=lambda match: -match.percent)
        return models.Matches(
            memory=closest[:_SHOWN_MATCHES], terms=terms, foreign=self._foreign(number, index, places)
        )

    def _foreign(self, number: int, index: int, places: Sequence[tuple[int, int]]) -> list[int]:
        """List the words of a sentence that a translation has only where nobody translated them."""
        answered, _ = tried(lambda: self._translations.answer(number, index))
        if answered is None:
            return []
        segment, answer = answered
        listed = foreign_words(answer.learning, segment.tokens or (), pieces(segment))
        source = self._documents.sentence(number, index).source
        if source.isupper():
            return listed
        return [position for position in listed if not is_name(source[slice(*places[position])])]

    def _match(
        self, text: str, segment: Segment, entry: MemoryEntry, alike: float, is_corrected: bool
    ) -> models.Match:
        """Describe an entry; with the same words, its translation gets the pieces of the sentence."""
        source, target = entry.texts()
        percent = int(100 * alike + _SLACK)
        if percent == 100 and source != text:
            percent = 99
            text_system, written = self._system.decoder.text_system, segment.written
            if written is not None and text_system is not None:
                match = full_match(
                    WrittenPair(entry.source, entry.target, entry.links, (source, target)), written
                )
                target = (match or text_system.restore(entry.target, entry.links, written)).text
        return models.Match(source=source, target=target, percent=percent, corrected=is_corrected)
