"""Requests and responses; the OpenAPI description is made from these classes."""

from __future__ import annotations

import re
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from hopefear.base import InputError
from hopefear.base.texts import split_words
from hopefear.text.documents import LONGEST, check_text

Text = Annotated[str, Field(max_length=LONGEST)]
Span = tuple[int, int]
"""Begin and end in a text, in characters."""

Spans = list[Span]
Name = Annotated[str, Field(max_length=300)]
_TURNED = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""What turns the direction of writing, so that ``a(U+202E)txt.exe`` is shown as ``aexe.txt``."""


def name_of(text: str, default: str = "") -> str:
    """Return the name of a session or of a file as it is kept, in one line."""
    name = check_text(" ".join(split_words(text)), where="the name") or default
    if turned := _TURNED.search(name):
        raise InputError(f"expected a name in its direction of writing, got U+{ord(turned[0]):04X}")
    if not any(c.isprintable() and c != " " for c in name):
        raise InputError("expected a name")
    return name


class Token(BaseModel):
    """The token of the server."""

    token: Name


class NewSession(BaseModel):
    """The name of a new session."""

    name: Name = ""


class NewName(BaseModel):
    """The new name of a session or a document."""

    name: Name


class Source(BaseModel):
    """A text to translate, as people write it or as words separated by blanks; see `SystemInfo`."""

    source: Text
    nbest: int = Field(default=1, ge=1, le=1000, description="The number of translations to return.")


class NewPair(BaseModel):
    """A source text and its correct translation."""

    source: Text
    target: Text


class CountedEffort(BaseModel):
    """The work of a translator on a sentence since its last correction."""

    keys: int = Field(default=0, ge=0, le=10**9, description="Keys pressed in the text.")
    clicks: int = Field(default=0, ge=0, le=10**9, description="Clicks and taps.")
    seconds: float = Field(default=0, ge=0, le=10**9, description="Time with the sentence, without pauses.")


class SentenceState(Enum):
    """The progress of a sentence; where several states apply, the last one counts."""

    NEW = "new"
    """Nobody has translated it, not even the machine."""
    MACHINE = "machine"
    """The machine has translated it."""
    REPEATED = "repeated"
    """The same sentence occurs earlier in the document."""
    EDITED = "edited"
    """Somebody has translated it, but nobody has confirmed it; or the document marks it as unfinished."""
    CONFIRMED = "confirmed"
    """A translation was confirmed here, or came with the document."""


class Draft(BaseModel):
    """A translation that is not confirmed yet; an empty one deletes the draft."""

    text: Text
    revision: int = Field(description="The revision of the sentence that the translator has seen.")


class NewCorrection(BaseModel):
    """The correct translation of a sentence of a document."""

    target: Text
    revision: int = Field(description="The revision of the sentence that the translator has seen.")
    next: int | None = Field(default=None, description="The sentence to translate next.")
    check: bool = Field(
        default=False,
        description="Refuse a translation without a tag, a number or the sign at the end, with 412.",
    )
    effort: CountedEffort | None = None


class RuleChange(BaseModel):
    """A rule learned from corrections, and whether to withdraw it."""

    source: Text = Field(description="Words, and nonterminals such as [X,1].")
    target: Text
    withdrawn: bool


class TermChange(BaseModel):
    """A term and its translation in the glossary of the session."""

    source: Text
    target: Text
    removed: bool = Field(default=False, description="Whether to remove the term from the glossary.")


class SessionInfo(BaseModel):
    """A session."""

    id: str
    name: str
    created: float = Field(description="Seconds since the epoch.")
    problem: str | None = Field(
        default=None, description="The damaged file and its fault, if the session cannot be opened."
    )


class SystemInfo(BaseModel):
    """The translation system of this server."""

    version: str
    system: str
    tuner: str
    adapts: list[str] = Field(description="What learns besides the weights: rules, lm.")
    languages: tuple[str, str]
    written: bool = Field(description="Texts are as people write them, else words separated by blanks.")
    words: int = Field(description="The maximum number of words of a sentence.")
    states: list[SentenceState] = Field(default=list(SentenceState), description="All states of sentences.")


class Candidate(BaseModel):
    """A translation of an n-best list."""

    text: str
    places: Spans = Field(description="Of the target words in the text.")
    complaints: list[str] = Field(description="What of the source could not be kept, such as a tag.")
    score: float
    features: dict[str, float]
    alignment: list[tuple[int, int]] = Field(description="Links of source and target words, from 0.")


class Translations(BaseModel):
    """The best translations of a text."""

    nbest: list[Candidate]
    places: Spans = Field(description="Of the source words in the text.")
    unknown: list[int] = Field(description="Positions of source words that no rule translates.")
    problem: str | None = Field(description="The reason, if there is no translation.")


class Phrase(BaseModel):
    """Adjacent target words from one rule."""

    text: str
    place: Span = Field(description="In the translation.")
    source: tuple[int, int] = Field(description="Source positions [begin, end) of the rule.")
    target: tuple[int, int] = Field(description="Target positions [begin, end) of the rule.")
    unknown: bool = Field(description="Whether no rule translates the word.")
    learned: bool = Field(description="Whether the rule was learned from a correction.")


class ShownSentence(BaseModel):
    """A sentence of a document with its current translation."""

    document: int
    index: int
    source: list[str]
    line: str = Field(description="The sentence.")
    context: str = Field(
        description="What the document calls the unit of the sentence, such as a message's context."
    )
    notes: str = Field(description="Comments of the document on the unit.")
    status: str = Field(description="The document's name of the state of the unit, such as signed-off.")
    places: Spans = Field(description="Of the source words in the sentence.")
    kept: Spans = Field(description="Positions of tags, placeholders and code that must be kept.")
    kept_as: list[str] = Field(
        description="For each of them, a regular expression of the forms that a translation may have."
    )
    kept_whole: list[bool] = Field(description="Whether only the same text is allowed.")
    text: str
    words: Spans = Field(description="Of the target words in the text.")
    complaints: list[str] = Field(description="What of the source could not be kept, such as a tag.")
    confidence: list[float] = Field(
        description="The probability, from 0 to 1, that an editor keeps each target word."
    )
    phrases: list[Phrase]
    unknown: list[int] = Field(description="Positions of source words that no rule translates.")
    problem: str | None = Field(description="The reason, if there is no translation.")
    state: SentenceState
    target: str | None = Field(description="The correction, or the translation that the document has.")
    draft: str | None = Field(description="A translation that nobody has accepted yet.")
    revision: int = Field(description="How often the sentence was corrected.")
    number: int | None = Field(description="The number of its correction.")
    untouched: str | None = Field(description="What the untouched system says, if that is known.")
    expert: str | None = Field(description="The expert that made the translation; None if there is none.")


class Skimmed(BaseModel):
    """The translation of a sentence that nobody has opened; empty if there is none."""

    text: str


class Untouched(BaseModel):
    """The translation of the untouched system."""

    text: str


class PhraseAlternative(BaseModel):
    """Another translation of some source words."""

    text: str
    before: str = Field(description="What stands between it and the word before it; a blank, or nothing.")
    after: str = Field(description="What stands between it and the word behind it.")
    score: float | None = Field(
        description="Of the best translation that contains it; None if the shown expert has none."
    )


class ChangeReason(BaseModel):
    """Why some words differ from the translation of the untouched system."""

    kind: Literal["term", "memory", "rule", "words", "weight"]
    source: str = Field(
        default="", description="The source side of the rule as it is written, or the sentence of the memory."
    )
    target: str = Field(description="The target side, the words, or the name of the feature.")
    number: int | None = Field(default=None, description="The number of the correction.")
    place: tuple[int, int] | None = Field(
        default=None, description="The document and sentence that it corrects."
    )
    value: float | None = Field(
        default=None, description="The similarity of the sentence, or the contribution of the weight."
    )


class Match(BaseModel):
    """An earlier translation of a similar sentence."""

    source: str
    target: str
    percent: int = Field(description="Equal words, in per cent; 100 if the texts are equal.")
    corrected: bool = Field(description="Whether it is a correction of this session, not from a memory.")


class FoundTerm(BaseModel):
    """A term of the sentence."""

    place: Span = Field(description="In the sentence.")
    targets: list[str] = Field(description="Its translations.")


class Matches(BaseModel):
    """Entries of memory and glossary for a sentence, the closest first, and words that no translation has."""

    memory: list[Match]
    terms: list[FoundTerm]
    foreign: list[int] = Field(description="Positions of source words that no rule writes in a translation.")


class Typed(BaseModel):
    """The beginning of a translation, as typed so far."""

    text: Text = Field(description="The last word may be incomplete, unless a blank follows.")
    words: int = Field(default=0, ge=0, le=20, description="The number of possible next words to return.")
    revision: int | None = Field(
        default=None, description="The revision of the sentence; if it is outdated, nothing is completed."
    )


class FollowingWord(BaseModel):
    """A possible next word."""

    word: str
    probability: float


class Completion(BaseModel):
    """How the translation can continue."""

    rest: str = Field(description="The rest of the best translation; empty if there is none.")
    words: list[FollowingWord] = Field(description="Possible next words, or completions of the last word.")


class Accepted(BaseModel):
    """An accepted correction: it is on the disk, and learned if its sentence can be translated."""

    number: int | None = Field(description="None if nothing is learned from it.")
    revision: int | None = Field(default=None, description="The new revision of the sentence.")
    note: str | None = Field(description="What could not be learned.")
    complaints: list[str] = Field(
        default=[],
        description="What the correction lost, duplicated or invented.",
    )
    next: ShownSentence | None = None


class SentenceInfo(BaseModel):
    """A sentence of a document."""

    source: str
    state: SentenceState
    target: str | None = Field(description="The correction, or the translation that the document has.")
    draft: str | None = Field(description="A translation that nobody has accepted yet.")
    machine: str | None = Field(description="The latest machine translation, while nothing is confirmed.")
    revision: int


class Faulty(BaseModel):
    """A confirmed sentence whose translation lost, duplicated or invented something."""

    index: int
    complaints: list[str]


class DocumentInfo(BaseModel):
    """A document."""

    number: int
    name: str
    format: str
    sentences: int
    corrected: int = Field(description="Sentences that are confirmed.")


class DocumentText(DocumentInfo):
    """A document with its sentences."""

    events: int = Field(description="The number of events of the session, to ask for later changes.")
    text: list[SentenceInfo]


class ChangedSentence(SentenceInfo):
    """A changed sentence."""

    index: int


class Changes(BaseModel):
    """Changes in a document."""

    events: int = Field(description="The number of events of the session.")
    sentences: list[ChangedSentence]


class CurvePoint(BaseModel):
    """Means over the latest corrected sentences, each with equal weight, in per cent."""

    corrections: int
    hter: float = Field(description="Translation edit rate of what was shown.")
    untouched_hter: float = Field(description="The same for the untouched system.")
    ksmr: float = Field(description="Keys and mouse actions that turn what was shown into the correction.")
    untouched_ksmr: float


class Moved(BaseModel):
    """A changed weight."""

    name: str
    before: float
    now: float


class CorrectedSentence(BaseModel):
    """The sentence of a document that a correction corrects."""

    document: int
    index: int
    revision: int


class LearnedCorrection(BaseModel):
    """A correction and its new rules."""

    number: int
    source: str
    target: str
    links: list[tuple[int, int]] = Field(description="Of source and target words, from 0.")
    places: tuple[Spans, Spans] = Field(description="Of the words in the source and in the target.")
    time: float
    rules: list[tuple[str, str]] = Field(description="Those that are new by it; what matters most is first.")
    written: list[tuple[str, str]] = Field(description="The same as the correction is written.")
    sentence: CorrectedSentence | None = Field(description="None if it is in no document.")


class MemoryInfo(BaseModel):
    """A translation memory of a session."""

    name: str
    pairs: int = Field(description="The number of sentence pairs.")


class AddedTerms(BaseModel):
    """What a glossary brought."""

    added: int = Field(description="New terms.")
    known: int = Field(description="Terms that the session had already.")


class ConcordanceLine(BaseModel):
    """A sentence with a text that was searched, and its translation."""

    source: str
    target: str
    origin: str = Field(description="Its document, or: a correction, a memory, the system's text.")
    place: tuple[int, int] | None = Field(default=None, description="Document and sentence, if it is in one.")


class SessionState(SessionInfo):
    """What a session has learned."""

    accepted: int = Field(description="The number of accepted corrections.")
    kept: int = Field(description="The number of corrections that are neither forgotten nor withdrawn.")
    seconds_a_sentence: float | None = Field(description="The median time of the latest sentences.")
    points: list[CurvePoint]
    weights: list[Moved]
    corrections: list[LearnedCorrection] = Field(description="The latest ones first.")
    withdrawn: list[tuple[str, str]] = Field(description="Withdrawn rules.")
    terms: list[tuple[str, str]] = Field(
        description="Terms of the session's glossary, with translations; the latest 100, the latest first."
    )
    term_count: int = Field(description="The number of all terms.")
    memories: list[MemoryInfo] = Field(description="Memories that clients added.")
    documents: list[DocumentInfo]


class ComparedScore(BaseModel):
    """A score of all corrected sentences, with a significance test."""

    shown: float
    untouched: float
    difference: float
    interval: tuple[float, float] = Field(description="95 % bootstrap interval of the difference.")
    p: float = Field(description="Two-sided p-value, by approximate randomisation.")


class ReportPart(BaseModel):
    """The sentences of a document, or those of an expert."""

    name: str
    sentences: int
    hter: float
    untouched_hter: float
    ksmr: float
    untouched_ksmr: float
    seconds: float | None = Field(description="Total time of the sentences with measured effort.")


class SessionReport(SessionInfo):
    """The work of a session; a sentence that was corrected several times counts once."""

    sentences: int
    unchanged: int = Field(description="Sentences accepted as shown.")
    hter: ComparedScore | None = Field(description="None if nothing was corrected.")
    ksmr: ComparedScore | None
    bleu: ComparedScore | None
    counted: int = Field(description="Sentences with measured effort.")
    keys: int
    clicks: int
    seconds: float
    documents: list[ReportPart]
    experts: list[ReportPart]
    points: list[CurvePoint]
