"""What the sessions of a server share: the decoder, the untouched system, and what clients can ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from hopefear.base import InputError, ParseFailed
from hopefear.base.texts import BLANK, join_words, split_lines, split_words, word_places
from hopefear.decoder import Consensus, Segment
from hopefear.text import TextSystem
from hopefear.text.documents import Unit, UnitText, check_text, complaints_about, emptied
from hopefear.text.documents import pieces as pieces_of
from hopefear.tuners.contract import OnlineLearner

from ..adapting_decoder import AdaptingDecoder
from ..corrections import Forget
from ..experts import UNTOUCHED
from ..session import LiveSession
from .languages import CommonWords, language_doubt
from .received import Received

Result = TypeVar("Result")

_LOOKED_AT, _COUNTED = 200, 20_000
"""The most sentences of a document whose words are counted, and of the system's text."""


@dataclass(frozen=True)
class ServerLimits:
    """What clients can ask for."""

    words: int = 200
    sentences: int = 100_000
    documents: int = 100
    sessions: int = 200


class TooManyWords(InputError):
    """A text is longer than those that are translated and learned."""

    def __init__(self, name: str, words: int, most: int) -> None:
        super().__init__(f"expected a {name} of 1 to {most} words, got {words}")
        self.why = f"the {name} has {words} words, more than {most}"


class TranslationSystem:
    """The translation system of all sessions."""

    def __init__(
        self,
        decoder: AdaptingDecoder,
        make_tuner: Callable[[], OnlineLearner],
        *,
        expert: str | None = None,
        forget: Forget | None = None,
        consensus: Consensus | None = None,
        limits: ServerLimits | None = None,
        languages: tuple[str, str] = ("und", "und"),
    ) -> None:
        self.decoder, self._make_tuner, self._forget = decoder, make_tuner, forget
        self._expert, self._consensus = expert, consensus
        self.limits, self.languages = limits or ServerLimits(), languages
        self._units = None if decoder.text_system is None else UnitText(decoder.text_system)
        self.untouched = LiveSession(decoder, make_tuner(), expert=UNTOUCHED, consensus=consensus)

    def new_session(self) -> LiveSession:
        """Make a session with a tuner of its own."""
        return LiveSession(
            self.decoder,
            self._make_tuner(),
            forget=self._forget,
            expert=self._expert,
            consensus=self._consensus,
        )

    def segment(
        self, source: str, target: str | None = None, *, id: str = "", unit: Unit | None = None
    ) -> Segment:
        """Make a segment from texts of a client; it is only words, whatever the text looks like.

        With a system of text as written, a correction has line breaks only if the source has some.
        """
        segment = self.any_segment(source, target, id=id, unit=unit)
        self.check_words(segment)
        return segment

    def check_words(self, segment: Segment) -> None:
        """Refuse a segment with too many words, with a `TooManyWords`."""
        sides = [segment.tokens or (), *map(split_words, segment.references)]
        for side, name in zip(sides, ("source", "translation"), strict=False):
            if len(side) > self.limits.words:
                raise TooManyWords(name, len(side), self.limits.words)

    def any_segment(
        self, source: str, target: str | None = None, *, id: str = "", unit: Unit | None = None
    ) -> Segment:
        """Make a segment as `segment` does, of any number of words."""
        sides = [check_text(source)] if target is None else [check_text(source), check_text(target)]
        words = [split_words(text) for text in sides]
        made = Segment(words[0], id=id, references=tuple(" ".join(text) for text in words[1:]))
        text = self._text(unit)
        if text is not None:
            references = tuple(side.strip(BLANK) for side in sides[1:])
            if not _has_lines(source):
                references = tuple(join_words(split_lines(reference)) for reference in references)
            made = text.prepare(replace(made, text=source.strip(BLANK), references=references))
            words = [made.tokens or (), *map(split_words, made.references)]
        for side, name in zip(words, ("source", "translation"), strict=False):
            if not side:
                raise InputError(f"expected a {name} of 1 to {self.limits.words} words, got 0")
        return made

    def document(
        self, name: str, content: bytes, format: str | None = None, *, check: bool = False
    ) -> Received:
        """Read a document that a client brought; errors as in `Received.read`."""
        return Received.read(
            name,
            content,
            format,
            sentences=self.limits.sentences,
            written=self.written,
            check=self._language_doubt if check else None,
            languages=self._codes,
        )

    @property
    def _codes(self) -> tuple[str, str | None]:
        return self.source_language, None if self.languages[1] == "und" else self.languages[1]

    def _language_doubt(self, named: tuple[str, str], texts: Sequence[str]) -> str | None:
        """Say why a document may be of other languages than the system; None if nothing tells."""
        doubt = language_doubt(named, texts, self._codes)
        if doubt is None and self._common_words is not None:
            written = self.decoder.text_system
            first = texts[:_LOOKED_AT]
            words = map(split_words, first) if written is None else (written.reads(text)[0] for text in first)
            doubt = self._common_words.doubt(words)
        return doubt

    @cached_property
    def _common_words(self) -> CommonWords | None:
        """The common words of the source side of the system's text; None without one."""
        text = self.decoder.text
        return None if text is None else CommonWords.of(source for source, _ in text.pairs(_COUNTED))

    @property
    def written(self) -> bool:
        """Whether texts are as people write them, not words separated by blanks."""
        return self.decoder.text_system is not None

    @property
    def source_language(self) -> str:
        """The code of the source language."""
        return self.languages[0] if self.decoder.text_system is None else self.decoder.text_system.source.code

    def _text(self, unit: Unit | None) -> TextSystem | None:
        """Return what the system knows about text as written: of a unit, with what its profile keeps."""
        return self.decoder.text_system if self._units is None or unit is None else self._units.of(unit)

    def places(
        self, source: str, target: str | None = None, *, unit: Unit | None = None
    ) -> list[tuple[int, int]]:
        """Return begin and end of each word of a sentence, or of its translation, in the text."""
        text = self._text(unit)
        if text is None:
            return list(word_places(source if target is None else target))
        _, written = text.reads(source)
        return list(written.places if target is None else text.read_target(target, written).places)

    def kept(self, unit: Unit) -> dict[tuple[int, int], str]:
        """Return where a sentence has what its translation must keep: tags, placeholders, code.

        For each there is a regular expression of what the translation may have in its place.
        """
        text = self._text(unit)
        if text is None:
            return {}
        source, at = unit.source, 0
        patterns = {(each.begin, each.end): each.pattern(source) for each in text.profile.kept(source)}
        for part, code in pieces_of(source, unit.codes):
            if code is not None:
                patterns[at, at + len(part)] = re.escape(part)
            at += len(part)
        # Of those that overlap, the longer one; pieces of a profile and codes are mostly the same.
        kept, reached = dict[tuple[int, int], str](), 0
        for begin, end in sorted(patterns, key=lambda span: (span[0], -span[1])):
            if begin >= reached:
                kept[begin, end], reached = patterns[begin, end], end
        return kept

    def complaints(self, source: str, target: str, unit: Unit | None = None) -> list[str]:
        """Say what of a sentence its translation has lost, doubled or made up."""
        text = self._text(unit)
        if text is None:
            return []
        if unit is None:
            return text.complaints_about(source, target)
        return complaints_about(unit, target, text.profile)

    def emptied(self, unit: Unit, target: str) -> list[str]:
        """Say which links and other pairs of marks hold words in a sentence, and none in its translation."""
        text = self._text(unit)
        if text is None:
            return []
        return [f"the translation has nothing in {pair}" for pair in emptied(unit, target, text.profile)]

    def compared(self, text: str) -> str:
        """Return the words of a translation as metrics compare them."""
        text_system = self.decoder.text_system
        return text if text_system is None else text_system.compared(text)

    def says(self, source: str, *, unit: Unit | None = None) -> str:
        """Return the translation by the untouched system; empty if there is none."""
        try:
            return best(self.untouched, self.segment(source, unit=unit))
        except InputError:
            return ""

    def known_rules(self, segment: Segment) -> set[tuple[str, str]]:
        """Return the rules without nonterminals that the untouched system has for a sentence."""
        forest, _ = tried(lambda: self.untouched.parse(segment))
        if forest is None:
            return set()
        leaves = np.diff(forest.edges.tail_indptr) == 0
        rules = map(forest.native.rule, np.unique(forest.native.edge_local_rule[leaves]).tolist())
        return {(" ".join(source), " ".join(target)) for _, source, target, *_ in rules}


def tried(translate: Callable[[], Result]) -> tuple[Result | None, str | None]:
    """Return what a translation gives; without one, None and why there is none."""
    try:
        return translate(), None
    except TooManyWords as error:
        return None, error.why
    except ParseFailed as error:
        return None, str(error)


def best(session: LiveSession, segment: Segment) -> str:
    """Return the best translation of a segment by a session; empty if there is none."""
    forest, _ = tried(lambda: session.translate(segment))
    return "" if forest is None else forest.written()


def pieces(segment: Segment) -> Mapping[int, str]:
    """Return the pieces of a segment that are not to be translated, by the position of their token."""
    return {} if segment.written is None else segment.written.contents


def _has_lines(text: str) -> bool:
    return len(split_lines(text.strip(BLANK))) > 1
