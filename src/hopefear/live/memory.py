"""A translation memory: what was translated before, and its pieces for sentences that are close."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple, Protocol

from hopefear.base.edits import fewest_edits
from hopefear.decoder import Context, Segment, SentenceGrammar
from hopefear.grammars.written_text import of_whole_pieces
from hopefear.plugins.sentence_grammar import Rule
from hopefear.plugins.written import Written
from hopefear.text.full_match import FullMatch, WrittenPair, full_match

from .active_corrections import ActiveCorrections, Effect
from .corrections import Correction, RuleSides
from .events import Event, MemoryAdded, MemoryRemoved
from .memory_index import MemoryEntry, MemoryIndex
from .part import CorrectionsPart

MEMORY = "TranslationMemory"
"""The feature of rules of a memory: the similarity of the sentences for each source word, see `EXACT`."""

CLOSE = 0.7
"""The least similarity of a sentence in whose translation pieces are looked for."""

MEMORY_PRIOR = 1.5
"""How many times the greatest absolute weight of the model a source word of the memory weighs at first."""

EXACT = 100.0
"""The similarity that counts for a sentence with the same words: its translation wins over all, terms too."""

_LONGEST = 255  # symbols of a side of a rule
_SAME = 20  # entries with the words of a sentence that are compared as they are written
_GAPS = 2  # of a rule


class KeepsTerms(Protocol):
    """A glossary."""

    def keeps(self, source: Sequence[str | int], target: Sequence[str | int]) -> bool:
        """Tell whether a rule translates terms as was agreed."""


class SameSentence(NamedTuple):
    """An entry with the words of a sentence, and its translation if it is a full match as written."""

    entry: MemoryEntry
    match: FullMatch | None = None

    @property
    def translations(self) -> dict[tuple[str, ...], FullMatch]:
        """The translation as it is written, by its words."""
        return {} if self.match is None else {self.entry.target: self.match}


class TranslationMemory(CorrectionsPart):
    """The memory of a session: its corrections, and beneath them the files of the session and of the system.

    A method that takes a document prefers its corrections among entries that are as close.

    Parameters
    ----------
    files : MemoryIndex or None
        What the files of the system have; several sessions share it.
    grows : bool
        Whether the corrections join.
    glossaries : sequence of KeepsTerms
        The terms to which pieces of sentences that are close must keep.
    """

    def __init__(
        self,
        files: MemoryIndex | None,
        active: ActiveCorrections,
        *,
        grows: bool = True,
        glossaries: Sequence[KeepsTerms] = (),
    ) -> None:
        self._files, self._grows, self._glossaries = files, grows, glossaries
        self._of_session: dict[str, MemoryIndex] = {}  # by the name of the file
        self._latest: tuple[object, SameSentence | None, list[Rule]] | None = None
        super().__init__(active)

    def apply(self, effect: Effect) -> None:
        """Add what is new, and find what is gone no more; withdrawn rules change what entries give."""
        self._latest = None
        self._take_file(effect.event)
        super().apply(effect)

    def recall(self, effect: Effect) -> None:
        """Take in a file; corrections come with `reset`."""
        self._take_file(effect.event)

    def _take_file(self, event: Event) -> None:
        match event:
            case MemoryAdded():
                index = self._of_session[event.name] = MemoryIndex()
                for entry in event.entries:
                    index.add(entry)
                index.catch_up()
            case MemoryRemoved():
                del self._of_session[event.name]

    @property
    def files(self) -> list[MemoryIndex]:
        """What the files of the session have, and those of the system; their entries do not change."""
        return [*self._of_session.values(), *([] if self._files is None else [self._files])]

    def clear(self) -> None:
        """Begin without corrections."""
        self._corrections = MemoryIndex()
        self._numbers: dict[int, int] = {}
        self._of_text: dict[str, dict[int, Correction]] = {}  # corrections by number, by their sentence
        self._latest = None

    def add(self, correction: Correction) -> None:
        """Add a correction with words; one that loses pieces of its sentence is for this sentence alone."""
        if not (self._grows and correction.source and correction.target):
            return
        if correction.written is not None:
            self._of_text.setdefault(correction.written[0], {})[correction.number] = correction
        if _has_all_pieces(correction):
            self._numbers[correction.number] = self._corrections.add(correction)

    def remove(self, correction: Correction) -> None:
        """Find a correction no more."""
        if correction.written is not None and (of_text := self._of_text.get(correction.written[0])):
            of_text.pop(correction.number, None)
            if not of_text:
                del self._of_text[correction.written[0]]
        if correction.number in self._numbers:
            self._corrections.remove(self._numbers.pop(correction.number))

    def add_to(self, context: Context, document: int | None) -> Context:
        """Add the rules of the closest entry."""
        return context.with_grammars(_InDocument(self, document))

    def close(
        self, tokens: Sequence[str], least: float = CLOSE, document: int | None = None
    ) -> tuple[MemoryEntry, float] | None:
        """Return the first of `nearest`, with its similarity; None without one."""
        entries = self.nearest(tokens, 1, document, least=least)
        return entries[0][:2] if entries else None

    def nearest(
        self, tokens: Sequence[str], most: int, document: int | None = None, *, least: float = CLOSE
    ) -> list[tuple[MemoryEntry, float, bool]]:
        """Return the entries that are the closest to a sentence.

        Of entries that are as close, the latest correction of the document comes first, then the
        latest of any document, then files.

        Parameters
        ----------
        most : int
            Their maximum number.
        document : int, optional
            The number of the document of the sentence.
        least : float
            The least similarity; see `MemoryIndex.nearest`.

        Returns
        -------
        list of (MemoryEntry, float, bool)
            Entries, their similarity, and whether they are corrections of the session.
        """
        entries = [
            (index.entry(number), alike, index is self._corrections)
            for index in (self._corrections, *self.files)
            if tokens
            for number, alike in index.nearest(tokens, least, most, document)
        ]
        return sorted(entries, key=lambda entry: -entry[1])[:most]

    def same(
        self, tokens: Sequence[str], document: int | None = None, written: Written | None = None
    ) -> SameSentence | None:
        """Return how the same sentence was translated; None if it was not.

        A sentence as written has the translation of a full match before that of a sentence with other
        capitals.
        """
        return self._looked_up(tokens, document, written)[0]

    def rules(
        self, tokens: Sequence[str], document: int | None = None, written: Written | None = None
    ) -> list[Rule]:
        """List the rules that the closest entry gives for a sentence.

        An entry with the same words gives one rule, the whole sentence. Else there are a rule for each piece
        of the sentence that the entry has, too, and one for the whole sentence, in which gaps stand where
        the sentences differ (Koehn and Senellart 2010); at most two gaps. A rule that holds a withdrawn one
        is left out, and so is a piece that translates a term otherwise.
        """
        return self._looked_up(tokens, document, written)[1]

    def _looked_up(
        self, tokens: Sequence[str], document: int | None, written: Written | None
    ) -> tuple[SameSentence | None, list[Rule]]:
        key = tuple(tokens), document, None if written is None else written.text
        if self._latest is None or self._latest[0] != key:
            same = self._same(key[0], document, written)
            rules = [*self._rules_of(key[0], document, same)]
            self._latest = key, same if rules else None, rules
        return self._latest[1:]

    def _same(
        self, tokens: tuple[str, ...], document: int | None, written: Written | None
    ) -> SameSentence | None:
        entries = [entry for entry, *_ in self.nearest(tokens, _SAME, document, least=1.0)]
        if written is not None:
            of_text = self._of_text.get(written.text, {}).values()
            latest = sorted(of_text, key=lambda each: (each.document == document, each.number), reverse=True)
            for entry in (*latest, *entries):
                if entry.written is not None:
                    pair = WrittenPair(entry.source, entry.target, entry.links, entry.written)
                    if (match := full_match(pair, written)) is not None:
                        return SameSentence(entry, match)
        return SameSentence(entries[0]) if entries else None

    def _rules_of(
        self, tokens: tuple[str, ...], document: int | None, same: SameSentence | None
    ) -> Iterator[Rule]:
        made: Iterable[Sides]
        if same is not None:
            entry, alike = same.entry, 1.0
            made = [(tokens, entry.target, entry.links if entry.source == tokens else ())]
        else:
            closest = self.close(tokens, document=document)
            if closest is None:
                return
            entry, alike = closest
            made = (
                sides
                for sides in _rules(tokens, entry)
                if all(each.keeps(sides[0], sides[1]) for each in self._glossaries)
            )
        if max(len(tokens), len(entry.target)) > _LONGEST:
            return
        withdrawn = [rule.patterns() for rule in self._active.withdrawn]
        for source, target, links in dict.fromkeys(made):
            texts = [f" {text} " for text in RuleSides(source, target).texts()]
            if not any(f.search(texts[0]) and e.search(texts[1]) for f, e in withdrawn):
                words = sum(isinstance(symbol, str) for symbol in source)
                yield source, target, [(EXACT if alike == 1 else alike) * words], links


@dataclass(frozen=True)
class _InDocument:
    """The rules of a memory for the sentences of a document."""

    memory: TranslationMemory
    document: int | None

    def grammars(self, segment: Segment) -> list[SentenceGrammar]:
        """Return the rules that the closest entry gives for a segment, as a grammar; none without rules."""
        if segment.tokens is None:
            return []
        rules = self.memory.rules(segment.tokens, self.document, segment.written)
        return [SentenceGrammar.of([MEMORY], rules, any_span=True)] if rules else []


def _has_all_pieces(correction: Correction) -> bool:
    """Tell whether a correction keeps the placeholders of its sentence, and has no others."""
    if correction.written is None:
        return True
    return of_whole_pieces(correction.source, correction.target, correction.links) == (
        correction.source,
        correction.links,
    )


Sides = tuple[tuple[str | int, ...], tuple[str | int, ...], tuple[tuple[int, int], ...]]


def _rules(tokens: Sequence[str], entry: MemoryEntry) -> Iterator[Sides]:
    """Iterate over the rules of an entry for a sentence that is not the same."""
    _, places = fewest_edits(tokens, entry.source)
    yield from _frames(tokens, entry, places)
    # A run: words that follow each other in both sentences.
    for _, run in groupby(enumerate(places), key=lambda pair: (pair[1][0] - pair[0], pair[1][1] - pair[0])):
        pairs = [positions for _, positions in run]
        yield from _pieces(entry, pairs[0][1], pairs[-1][1] + 1)


def _pieces(entry: MemoryEntry, begin: int, end: int) -> Iterator[Sides]:
    """Iterate over the largest phrase pairs inside of source words of an entry, from left to right."""
    while begin < end:
        for last in range(end, begin, -1):
            span = _span(entry, begin, last)
            if span is not None:
                links = tuple((f - begin, e - span[0]) for f, e in entry.links if begin <= f < last)
                yield entry.source[begin:last], entry.target[span[0] : span[1]], links
                begin = last
                break
        else:
            begin += 1


def _span(entry: MemoryEntry, begin: int, end: int) -> tuple[int, int] | None:
    """Return the target words that are linked with source words and with no others; None without such."""
    inside = [e for f, e in entry.links if begin <= f < end]
    if not inside:
        return None
    first, last = min(inside), max(inside) + 1
    if any(first <= e < last and not begin <= f < end for f, e in entry.links):
        return None
    return first, last


def _frames(tokens: Sequence[str], entry: MemoryEntry, places: list[tuple[int, int]]) -> Iterator[Sides]:
    """Give the rule of the whole sentence with gaps where it differs, if there is one."""
    gaps = _closed(tokens, entry, places)
    filled = [gap for gap in gaps if gap[0] < gap[1]]
    if not gaps or len(filled) > _GAPS:
        return
    numbers = {gap: n for n, gap in enumerate(filled, 1)}
    source, of_source = _side(entry.source, [(gap[2], gap[3], numbers.get(gap)) for gap in gaps])
    in_order = sorted(gaps, key=lambda gap: gap[4:])
    target, of_target = _side(entry.target, [(gap[4], gap[5], numbers.get(gap)) for gap in in_order])
    if not of_source or not any(isinstance(symbol, str) for symbol in target):
        return
    links = tuple((of_source[f], of_target[e]) for f, e in entry.links if f in of_source and e in of_target)
    yield tuple(source), tuple(target), links


def _side(
    words: Sequence[str], gaps: Sequence[tuple[int, int, int | None]]
) -> tuple[list[str | int], dict[int, int]]:
    """Return a side of a rule with nonterminals in its gaps, and where in the rule each of its words is."""
    symbols, positions, at = list[str | int](), dict[int, int](), 0
    for begin, end, nonterminal in [*gaps, (len(words), len(words), None)]:
        for index in range(at, begin):
            positions[index] = len(symbols)
            symbols.append(words[index])
        at = max(at, end)
        if nonterminal is not None:
            symbols.append(nonterminal)
    return symbols, positions


Gap = tuple[int, int, int, int, int, int]
"""Where a gap begins and ends in the sentence, in the entry's source and in its target."""


def _closed(tokens: Sequence[str], entry: MemoryEntry, places: list[tuple[int, int]]) -> list[Gap]:
    """List the gaps where a sentence and an entry differ, with all words that are linked across them."""
    ends = [*places, (len(tokens), len(entry.source))]
    begins = [(-1, -1), *places]
    gaps = [
        (i + 1, a, j + 1, b) for (i, j), (a, b) in zip(begins, ends, strict=True) if i + 1 < a or j + 1 < b
    ]
    back = {j: i for i, j in places}  # where a word of the entry is in the sentence
    while True:
        out = [(*gap, *_target_of(entry, gap[2], gap[3])) for gap in gaps]
        grown = [_grown(entry, back, gap) for gap in out]
        merged = list[tuple[int, int, int, int]]()
        for gap in grown:
            if merged and (gap[0] <= merged[-1][1] and gap[2] <= merged[-1][3]):
                first = merged.pop()
                lows, highs = (first[0], gap[0], first[2], gap[2]), (first[1], gap[1], first[3], gap[3])
                gap = (min(lows[:2]), max(highs[:2]), min(lows[2:]), max(highs[2:]))
            merged.append(gap)
        if merged == gaps:
            spans = sorted(gap[4:] for gap in out)
            apart = all(first[1] <= second[0] for first, second in pairwise(spans))
            return out if apart else []
        gaps = merged


def _target_of(entry: MemoryEntry, begin: int, end: int) -> tuple[int, int]:
    """Return the target words of source words; without links, the place behind those of the word before."""
    inside = [e for f, e in entry.links if begin <= f < end]
    if inside:
        return min(inside), max(inside) + 1
    for before in range(begin - 1, -1, -1):
        linked = [e for f, e in entry.links if f == before]
        if linked:
            return max(linked) + 1, max(linked) + 1
    return 0, 0


def _grown(entry: MemoryEntry, back: dict[int, int], gap: Gap) -> tuple[int, int, int, int]:
    """Return a gap with the source words whose links lead into its target words."""
    begin, end, first, last, left, right = gap
    linked = [f for f, e in entry.links if left <= e < right]
    low, high = min([first, *linked]), max([last - 1, *linked]) + 1
    if low < first:
        begin = min([begin, *(back[j] for j in range(low, first) if j in back)])
    if high > last:
        end = max([end, *(back[j] + 1 for j in range(last, high) if j in back)])
    return begin, end, low, high
