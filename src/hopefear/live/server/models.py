"""What requests and responses hold; the OpenAPI description is made of these classes."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from hopefear.text.documents import LONGEST

Text = Annotated[str, Field(max_length=LONGEST)]
Span = tuple[int, int]
"""Begin and end in a text, in characters."""

Spans = list[Span]
Name = Annotated[str, Field(max_length=300)]


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
    """A text to translate: as it is written, or words separated by blanks, as the system says."""

    source: Text
    nbest: int = Field(default=1, ge=1, le=1000, description="How many different translations to list.")


class NewPair(BaseModel):
    """A source text and its translation as it should be."""

    source: Text
    target: Text


class CountedEffort(BaseModel):
    """What a translator did for a sentence since it was corrected last."""

    keys: int = Field(default=0, ge=0, le=10**9, description="Keys that were pressed in the text.")
    clicks: int = Field(default=0, ge=0, le=10**9, description="Times that a pointer was pressed.")
    seconds: float = Field(default=0, ge=0, le=10**9, description="With the sentence, without pauses.")


class SentenceState(Enum):
    """How far the translation of a sentence is; of several that apply, the last one."""

    NEW = "new"
    """Neither the machine nor anybody else has translated it."""
    MACHINE = "machine"
    """The machine has translated it."""
    REPEATED = "repeated"
    """The same sentence stands before it in the document."""
    EDITED = "edited"
    """Somebody has translated it, but not accepted the translation; or the document says that one is none."""
    CONFIRMED = "confirmed"
    """There is a translation that was accepted here, or that the document has."""


class Draft(BaseModel):
    """A translation of a sentence that is not accepted yet; empty to have none any more."""

    text: Text
    revision: int = Field(description="The revision of the sentence that the translator has seen.")


class NewCorrection(BaseModel):
    """The translation of a sentence of a document as it should be."""

    target: Text
    revision: int = Field(description="The revision of the sentence that the translator has seen.")
    next: int | None = Field(default=None, description="The sentence to translate afterwards.")
    effort: CountedEffort | None = None


class RuleChange(BaseModel):
    """A rule that corrections gave, and whether it is withdrawn."""

    source: Text = Field(description="Words, and nonterminals such as [X,1].")
    target: Text
    withdrawn: bool


class TermChange(BaseModel):
    """A term and its translation in the glossary of the session."""

    source: Text
    target: Text
    removed: bool = Field(default=False, description="Whether the glossary does not have the term any more.")


class SessionInfo(BaseModel):
    """A session."""

    id: str
    name: str
    created: float = Field(description="Seconds since the epoch.")
    problem: str | None = Field(
        default=None, description="Which file keeps it from being opened, and why; None if none does."
    )


class SystemInfo(BaseModel):
    """The translation system of this server."""

    version: str
    system: str
    tuner: str
    adapts: list[str] = Field(description="What learns beside the weights: rules, lm.")
    languages: tuple[str, str]
    written: bool = Field(description="Texts are as people write them, else words separated by blanks.")
    words: int = Field(description="The most words of a sentence.")
    states: list[SentenceState] = Field(
        default=list(SentenceState), description="The states that a sentence may have."
    )


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
    problem: str | None = Field(description="Why there is no translation.")


class Phrase(BaseModel):
    """Neighbouring target words of one rule."""

    text: str
    place: Span = Field(description="In the translation.")
    source: tuple[int, int] = Field(description="Source positions [begin, end) of the rule.")
    target: tuple[int, int] = Field(description="Target positions [begin, end) of the rule.")
    unknown: bool = Field(description="No rule translates the word.")
    learned: bool = Field(description="A correction gave the rule.")


class ShownSentence(BaseModel):
    """A sentence of a document with its present translation."""

    document: int
    index: int
    source: list[str]
    line: str = Field(description="The sentence.")
    places: Spans = Field(description="Of the source words in the sentence.")
    kept: Spans = Field(description="Of the tags, placeholders and code in it that a translation keeps.")
    kept_as: list[str] = Field(
        description="For each of them a regular expression of what a translation may have in its place."
    )
    kept_whole: list[bool] = Field(description="Whether that is the same text alone.")
    text: str
    words: Spans = Field(description="Of the target words in the text.")
    complaints: list[str] = Field(description="What of the source could not be kept, such as a tag.")
    confidence: list[float] = Field(
        description="How probable it is that an editor keeps each target word, from 0 to 1."
    )
    phrases: list[Phrase]
    unknown: list[int] = Field(description="Positions of source words that no rule translates.")
    problem: str | None = Field(description="Why there is no translation.")
    state: SentenceState
    target: str | None = Field(description="The correction, or the translation that the document has.")
    draft: str | None = Field(description="A translation that nobody has accepted yet.")
    revision: int = Field(description="How often the sentence was corrected.")
    number: int | None = Field(description="The number of its correction.")
    untouched: str | None = Field(description="What the untouched system says, if that is known already.")
    expert: str | None = Field(description="The expert whose translation it is; none if there is none.")


class Untouched(BaseModel):
    """What the untouched system says."""

    text: str


class PhraseAlternative(BaseModel):
    """Another translation of some source words."""

    text: str
    score: float | None = Field(
        description="Of the best translation that has it; None if the expert that is shown has none."
    )


class ChangeReason(BaseModel):
    """Why some words of a translation are not those of the untouched system."""

    kind: Literal["term", "memory", "rule", "words", "weight"]
    source: str = Field(default="", description="Of the rule, or the sentence of the memory.")
    target: str = Field(description="The same; the words, or the name of the feature.")
    number: int | None = Field(default=None, description="Of the correction.")
    place: tuple[int, int] | None = Field(
        default=None, description="The document and the sentence that it corrects."
    )
    value: float | None = Field(
        default=None, description="The similarity of the sentence, or what the weight gives to the score."
    )


class Match(BaseModel):
    """A sentence that was translated before and is like the present one."""

    source: str
    target: str
    percent: int = Field(description="Of the words that are the same; 100 if the texts are.")
    corrected: bool = Field(description="A correction of this session, else of a memory.")


class FoundTerm(BaseModel):
    """A term of the sentence."""

    place: Span = Field(description="In the sentence.")
    targets: list[str] = Field(description="Its translations.")


class Matches(BaseModel):
    """What memory and glossary have for a sentence, the closest first."""

    memory: list[Match]
    terms: list[FoundTerm]


class Typed(BaseModel):
    """What somebody has typed of a translation."""

    text: Text = Field(description="Its last word may be incomplete, unless a blank follows.")
    words: int = Field(default=0, ge=0, le=20, description="How many words to name that may follow.")
    revision: int | None = Field(
        default=None, description="The revision of the sentence; if it has another by now, nothing follows."
    )


class FollowingWord(BaseModel):
    """A word that may follow what was typed."""

    word: str
    probability: float


class Completion(BaseModel):
    """How a translation that begins with what was typed may go on."""

    rest: str = Field(description="What follows in the best one; empty if nothing does.")
    words: list[FollowingWord] = Field(description="Words that may follow, or that the last one may become.")


class Accepted(BaseModel):
    """A correction is on the disk, and learned if its sentence is translated."""

    number: int | None = Field(description="None if nothing is learned from it.")
    revision: int | None = Field(default=None, description="The new revision of the sentence.")
    note: str | None = Field(description="What could not be learned.")
    complaints: list[str] = Field(
        default=[],
        description="What the correction has lost of the source, doubled or made up.",
    )
    next: ShownSentence | None = None


class SentenceInfo(BaseModel):
    """A sentence of a document."""

    source: str
    state: SentenceState
    target: str | None = Field(description="The correction, or the translation that the document has.")
    draft: str | None = Field(description="A translation that nobody has accepted yet.")
    machine: str | None = Field(description="What the machine said last, while nothing is confirmed.")
    revision: int


class Faulty(BaseModel):
    """A confirmed sentence whose translation has lost, doubled or made up something."""

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

    events: int = Field(description="How many events the session had: for the changes after them.")
    text: list[SentenceInfo]


class ChangedSentence(SentenceInfo):
    """A sentence that has changed."""

    index: int


class Changes(BaseModel):
    """What has changed in a document."""

    events: int = Field(description="How many events the session had.")
    sentences: list[ChangedSentence]


class CurvePoint(BaseModel):
    """Means over the latest corrected sentences, each counted alike, in per cent."""

    corrections: int
    hter: float = Field(description="Translation edit rate of what was shown.")
    untouched_hter: float = Field(description="The same of the untouched system.")
    ksmr: float = Field(description="Keys and mouse actions that turn what was shown into the correction.")
    untouched_ksmr: float


class Moved(BaseModel):
    """A weight that has moved."""

    name: str
    before: float
    now: float


class LearnedCorrection(BaseModel):
    """A correction, and the rules that are new by it."""

    number: int
    source: str
    target: str
    links: list[tuple[int, int]] = Field(description="Of source and target words, from 0.")
    places: tuple[Spans, Spans] = Field(description="Of the words in the source and in the target.")
    time: float
    rules: list[tuple[str, str]]


class SessionState(SessionInfo):
    """What a session has learned."""

    accepted: int = Field(description="Corrections that were accepted.")
    kept: int = Field(description="Corrections that are neither forgotten nor withdrawn.")
    seconds_a_sentence: float | None = Field(description="The median of the latest sentences.")
    points: list[CurvePoint]
    weights: list[Moved]
    corrections: list[LearnedCorrection] = Field(description="The latest ones first.")
    withdrawn: list[tuple[str, str]] = Field(description="Rules of corrections that are withdrawn.")
    terms: list[tuple[str, str]] = Field(description="Terms of the session's glossary, with translations.")
    documents: list[DocumentInfo]


class ComparedScore(BaseModel):
    """A score of all corrected sentences together, with a test of the difference."""

    shown: float
    untouched: float
    difference: float
    interval: tuple[float, float] = Field(description="Of the difference, 95 %, by the bootstrap.")
    p: float = Field(description="By approximate randomisation, two-sided.")


class ReportPart(BaseModel):
    """The sentences of a document, or those of an expert."""

    name: str
    sentences: int
    hter: float
    untouched_hter: float
    ksmr: float
    untouched_ksmr: float
    seconds: float | None = Field(description="Of the sentences whose effort was counted.")


class SessionReport(SessionInfo):
    """The work of a session; a sentence that was corrected several times is counted once."""

    sentences: int
    unchanged: int = Field(description="Sentences that were accepted as they were shown.")
    hter: ComparedScore | None = Field(description="None if nothing was corrected.")
    ksmr: ComparedScore | None
    bleu: ComparedScore | None
    counted: int = Field(description="Sentences whose effort was counted.")
    keys: int
    clicks: int
    seconds: float
    documents: list[ReportPart]
    experts: list[ReportPart]
    points: list[CurvePoint]
