"""What happens in a session: an event is a dataclass, of which writing, reading and checking follow."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from sys import intern
from typing import ClassVar

from hopefear.base import InputError
from hopefear.base.stored import parse_json
from hopefear.base.texts import shortened, split_words
from hopefear.base.typed import from_json, refuse_unknown, to_json
from hopefear.decoder import Segment
from hopefear.grammars.symmetrisation import Link

from .corrections import Correction, RuleSides, are_words
from .memory_index import MemoryEntry

_KIND = "event"
_DIGITS = 16  # of the checksum of a line
_SHORT = 100  # words of a sentence whose links are shared


@dataclass(frozen=True)
class Event:
    """Something that happened in a session.

    A subclass is a dataclass of fields of types that msgspec knows. Its ``__post_init__`` refuses,
    with a ValueError, values that do not belong together.
    """

    kinds: ClassVar[dict[str, type[Event]]] = {}
    """The subclasses by name."""

    derived: ClassVar[bool] = False
    """Whether the event follows from those before it, so that it can be made once more if it is lost."""

    def __init_subclass__(cls) -> None:
        """Let the log read the events of a subclass."""
        Event.kinds[cls.__name__] = cls

    def line(self) -> bytes:
        """Return the line of the log, which `parse` reads: a checksum and a JSON object.

        Raises
        ------
        ValueError
            A text is no valid Unicode, or a number is not finite.
        TypeError
            A field has a value that JSON cannot hold.
        """
        fields = {_KIND: type(self).__name__, **to_json(self)}
        text = json.dumps(fields, ensure_ascii=False, allow_nan=False).encode()
        return b"%s %s\n" % (_checksum(text), text)

    @staticmethod
    def parse(line: str) -> Event:
        """Read a line of the log.

        Raises
        ------
        ValueError
            The line is damaged, or not that of an event.
        """
        checksum, _, text = line.partition(" ")
        if _checksum(text.encode()) != checksum.encode():
            raise ValueError("the checksum")
        saved = parse_json(text, finite=True)
        kind = Event.kinds.get(str(saved.pop(_KIND, None))) if isinstance(saved, dict) else None
        if kind is None:
            raise ValueError(f"the kind of the event, one of {', '.join(Event.kinds)}")
        refuse_unknown(kind, saved, kind.__name__)
        event: Event = from_json(kind, saved, kind.__name__)
        return event


def _checksum(text: bytes) -> bytes:
    return sha256(text).hexdigest()[:_DIGITS].encode()


@dataclass(frozen=True)
class Effort:
    """What a translator did for a sentence, as the tool in front of them counted it."""

    keys: int = 0
    clicks: int = 0
    seconds: float = 0.0

    def __add__(self, other: Effort) -> Effort:
        """Return both together."""
        return Effort(self.keys + other.keys, self.clicks + other.clicks, self.seconds + other.seconds)


@dataclass(frozen=True)
class Shown:
    """What a translator had before them.

    Attributes
    ----------
    text : str
        The translation that they saw first.
    untouched : str or None
        What the untouched system says, if it was asked.
    place : (int, int) or None
        The number of the document and the index of the sentence in it.
    expert : str or None
        The expert whose translation it was; see `hopefear.live.experts`.
    replaces : int or None
        The number of the correction that the sentence had; the new one takes its place.
    effort : Effort or None
        What they did, if it was counted.
    """

    text: str
    untouched: str | None = None
    place: tuple[int, int] | None = None
    replaces: int | None = None
    expert: str | None = None
    effort: Effort | None = None


@dataclass(frozen=True)
class Corrected(Event):
    """A correction was accepted.

    Attributes
    ----------
    number : int
        The corrections of a session are numbered from 1.
    time : float
        In seconds since the epoch.
    segment : Segment
        The sentence; its first reference is the correction.
    links : tuple of pairs of int
        Positions of linked words; no links if no rules are learned.
    shown : Shown or None
        What was corrected, if it is known.
    forgets : tuple of int
        The numbers of the corrections that are forgotten now.
    written : (str, str) or None
        The sentence and the correction as they are written, if the words were made of them.
    costs : dict of str to float
        The edits from the translation of each expert to the correction; empty if they are not known.

    Raises
    ------
    InputError
        The segment is a lattice or has no reference, a text cannot hold one of the words, or a position is
        not that of a word.
    """

    number: int
    time: float
    segment: Segment
    links: tuple[Link, ...] = ()
    shown: Shown | None = None
    forgets: tuple[int, ...] = ()
    written: tuple[str, str] | None = None
    costs: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        source, target = sides(self.segment)
        if not all(0 <= f < len(source) and 0 <= e < len(target) for f, e in self.links):
            raise InputError("expected links of words of the sentence", path=self.segment.where)

    def texts(self) -> tuple[str, str]:
        """Return the sentence and the correction as texts."""
        return self.written or (" ".join(self.segment.tokens or ()), self.segment.references[0])

    def correction(self) -> Correction:
        """Return what a session keeps of the correction; words and links are in memory once."""
        words = self.segment.tokens or (), split_words(self.segment.references[0])
        source, target = (tuple(map(intern, map(str, side))) for side in words)
        links, written = _shared(self.links), self.written
        return Correction(source, target, links, written, self.document, number=self.number, time=self.time)

    @property
    def document(self) -> int | None:
        """The number of the document, if it is known."""
        place = None if self.shown is None else self.shown.place
        return None if place is None else place[0]


@dataclass(frozen=True)
class Withdrawn(Event):
    """The rules and n-grams of a correction were withdrawn, and its change of the weights if it is recent."""

    number: int


@dataclass(frozen=True)
class _OfRule:
    """The sides of a rule, as `RuleSides.parse` reads them; else an `InputError` is raised."""

    source: str
    target: str

    def __post_init__(self) -> None:
        RuleSides.parse(self.source, self.target)

    @property
    def rule(self) -> RuleSides:
        """The rule."""
        return RuleSides.parse(self.source, self.target)


@dataclass(frozen=True)
class RuleWithdrawn(_OfRule, Event):
    """A rule that corrections gave, and rules that hold it, are used no more; n-grams and weights stay.

    What the system has without corrections stays. Later corrections do not give the rule either, until it is
    restored, or until all corrections up to the latest one that may have given the rule are forgotten.
    """


@dataclass(frozen=True)
class RuleRestored(_OfRule, Event):
    """A rule that was withdrawn is used again."""


@dataclass(frozen=True)
class _OfTerm:
    """A term and its translation, as they are written; without words an `InputError` is raised."""

    source: str
    target: str

    def __post_init__(self) -> None:
        _check_term(self.term)

    @property
    def term(self) -> tuple[str, str]:
        """The term and its translation."""
        return self.source, self.target

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """The same as the terms of a file are given."""
        return (self.term,)


def _check_term(term: tuple[str, str]) -> None:
    for side in term:
        if not (words := split_words(side)) or not are_words(words):
            raise InputError(f"expected a term and its translation, got {shortened(ascii(side))}")


@dataclass(frozen=True)
class TermAdded(_OfTerm, Event):
    """A term joined the glossary of the session: its translation is a rule of each sentence that has it."""


@dataclass(frozen=True)
class TermRemoved(_OfTerm, Event):
    """A term that had joined the glossary of the session is used no more."""


@dataclass(frozen=True)
class TermsAdded(Event):
    """The terms of a file, each with its translation, joined the glossary of the session."""

    terms: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        for term in self.terms:
            _check_term(term)


@dataclass(frozen=True)
class MemoryAdded(Event):
    """The sentence pairs of a file joined the translation memory of the session.

    Attributes
    ----------
    name : str
        The name of the file; a session has one memory of a name.
    entries : tuple of MemoryEntry
        The pairs.
    """

    name: str
    entries: tuple[MemoryEntry, ...]


@dataclass(frozen=True)
class MemoryRemoved(Event):
    """The pairs of a file left the translation memory of the session."""

    name: str


@dataclass(frozen=True)
class _OfSentence:
    """The number of a document, the index of a sentence in it, and a translation; empty for none."""

    place: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Drafted(_OfSentence, Event):
    """Somebody wrote a translation of a sentence, and has not accepted it."""


@dataclass(frozen=True)
class TranslatedByHand(_OfSentence, Event):
    """A translation of a sentence that the machine refuses was accepted; nothing is learned from it."""


@dataclass(frozen=True)
class Reopened(_OfSentence, Event):
    """A confirmed translation of a sentence was taken back; the text is a draft of it."""


@dataclass(frozen=True)
class Translated(_OfSentence, Event):
    """The machine translated a sentence, which is not corrected."""

    derived = True


@dataclass(frozen=True)
class DocumentRenamed(Event):
    """A document got another name."""

    number: int
    name: str


@dataclass(frozen=True)
class DocumentRemoved(Event):
    """A document was deleted; no other document gets its number, and its corrections stay in force."""

    number: int


@dataclass(frozen=True)
class Measured(Event):
    """A correction was measured against what was shown.

    Attributes
    ----------
    number : int
        The number of the correction.
    untouched : str
        What the untouched system says.
    statistics : tuple of float
        Of the metrics that the reader of the log shows.
    rules : tuple of pairs of str
        Both sides of rules that are new by the correction.
    """

    derived = True

    number: int
    untouched: str
    statistics: tuple[float, ...]
    rules: tuple[tuple[str, str], ...] = ()


def sides(segment: Segment) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of a sentence and of its correction, the first reference."""
    source = segment.expect_tokens()
    if not segment.references:
        raise InputError("expected a reference", path=segment.where)
    target = split_words(segment.references[0])
    if not are_words((*source, *target)):
        raise InputError("expected words in valid Unicode text, without blanks", path=segment.where)
    return source, target


_LINKS: dict[Link, Link] = {}


def _shared(links: Iterable[Link]) -> tuple[Link, ...]:
    """Have each link in memory once, as words are; those of long sentences are few."""
    return tuple(_LINKS.setdefault(link, link) if max(link) < _SHORT else link for link in links)
