"""From text as written to the tokens of a system, and back from its translations to text as written."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from hopefear.base import InputError
from hopefear.base.files import written_packed
from hopefear.base.lines import read_lines
from hopefear.base.stored import json_bytes, parse_json
from hopefear.base.texts import BLANK
from hopefear.base.typed import WrongPart, to_json, typed
from hopefear.plugins import Segment
from hopefear.plugins.annotations import tree_of_tokens
from hopefear.plugins.written import MarkPair, Written

from .case import Casing, sentence_starts
from .languages import Span, all_spans, splitter
from .plain import NOTHING, cased_and_quoted, plain_tokens, with_clitics
from .profile import (
    HOLDING_WORDS,
    Piece,
    Profile,
    forms_of,
    opening_and_closing,
    what_it_is,
    with_other_separators,
)
from .signs import SignForms
from .tokens import TAGS, escaped_pieces, gap_after, kind_of, marked, placeholder, unescaped, without_marks

VERSION = 1
"""The version of the form of the file of a system's text."""


class Restored(NamedTuple):
    """A translation as text.

    Attributes
    ----------
    text : str
        The text.
    complaints : tuple of str
        What could not be kept, one sentence each; empty if all pieces are in their places.
    places : tuple of (int, int)
        Begin and end of each target token in the text; empty for a token that the text does not have.
    """

    text: str
    complaints: tuple[str, ...] = ()
    places: tuple[Span, ...] = ()


class TargetText(NamedTuple):
    """A translation of a sentence, as a system reads it."""

    tokens: tuple[str, ...]
    as_given: tuple[str, ...]
    places: tuple[Span, ...]
    links: tuple[tuple[int, int], ...]
    made_up: tuple[int, ...]


@dataclass(frozen=True)
class Analysis:
    """The tokens of a line that a system sees, before it is known which pieces become placeholders."""

    line: str
    spans: tuple[Span, ...]
    spaced: tuple[bool, ...]
    pieces: dict[int, Piece]
    pairs: tuple[MarkPair, ...]

    def text(self, number: int) -> str:
        """Return the text of a token."""
        begin, end = self.spans[number]
        return self.line[begin:end]

    def form(self, number: int) -> str:
        """Return what a translation has in the place of a piece."""
        return self.pieces[number].form or self.text(number)

    def tokens(self, placeholders: Iterable[int], kinds: Container[str]) -> list[str]:
        """Return the tokens with marks, some of them as placeholders."""
        pieces = escaped_pieces(self.line, self.spans)
        for number in placeholders:
            piece = self.pieces[number]
            pieces[number] = placeholder(piece.name if piece.name in kinds else piece.kind)
        return marked(pieces, self.spaced)


@dataclass(frozen=True)
class Language:
    """One side of a system's text.

    Attributes
    ----------
    code : str
        The code of the language.
    casing : Casing
        How its words are written.
    signs : SignForms
        How its signs are written, where tokens do not say it.
    """

    code: str
    casing: Casing = field(default_factory=Casing)
    signs: SignForms = field(default_factory=SignForms)


@dataclass(frozen=True)
class TextSystem:
    """What a system knows about text as written: languages, pieces that stay, case.

    Attributes
    ----------
    source, target : Language
        The two sides.
    profile : Profile
        The pieces that are not translated.
    translated : frozenset of str
        Pieces that hold words and that the parallel text translates rather than keeps.
    kinds : frozenset of str
        The names of pieces that are kinds of their own.
    exchanged : frozenset of str
        Kinds of numbers whose points are commas in the target language, and their commas points.
    plain : bool
        The system's tokens are those of other tools, in small letters and without marks; see `plain`.
    version : int
        The version of the form.
    """

    source: Language
    target: Language
    profile: Profile
    translated: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    exchanged: frozenset[str] = frozenset()
    plain: bool = False
    version: int = VERSION

    def __post_init__(self) -> None:
        for language in (self.source, self.target):
            splitter(language.code)

    @property
    def languages(self) -> tuple[str, str]:
        """The codes of both languages."""
        return self.source.code, self.target.code

    # what the system reads

    def pieces(self, line: str) -> list[Piece]:
        """Find the pieces of a source sentence, with the forms that they have in translations."""
        found = self.profile.pieces(line)
        if not self.exchanged:
            return found
        return [
            replace(piece, form=with_other_separators(line[piece.begin : piece.end]))
            if piece.kind in self.exchanged and not piece.form
            else piece
            for piece in found
        ]

    def analyse(
        self,
        line: str,
        code: str,
        opens: Callable[[str], bool] = lambda text: False,
        found: Sequence[Piece] | None = None,
    ) -> Analysis:
        """Find the tokens of a line in a language.

        Parameters
        ----------
        opens : callable
            Tells of a piece that holds words whether it is not kept: its marks go around these words.
        found : sequence of Piece, optional
            The pieces of the line, in order; by default those of the profile.
        """
        pieces = []
        for piece in self.profile.pieces(line) if found is None else found:
            is_open = piece.kind in HOLDING_WORDS and opens(line[piece.begin : piece.end])
            pieces += _marks_of(line, piece) if is_open else [piece]
        marks = [piece for piece in pieces if piece.paired]
        matched = opening_and_closing([line[mark.begin : mark.end] for mark in marks]) if marks else []
        paired = {index for pair in matched for index in pair}
        removed = [(marks[index].begin, marks[index].end) for index in sorted(paired)]
        by_place = {(piece.begin, piece.end): piece for piece in pieces}
        gone = set(removed)
        spans = [span for span in all_spans(code, line, list(by_place)) if span not in gone]
        if self.plain:
            spans = with_clitics(line, spans, by_place)
        spaced = _spaced(line, spans, removed)
        ends, pairs = [end for _, end in spans], list[MarkPair]()
        for (i, j), outer in zip(matched, _outer(matched), strict=True):
            begin, end = (bisect_right(ends, marks[mark].begin) for mark in (i, j))
            before, after = (line[marks[mark].begin : marks[mark].end] for mark in (i, j))
            pairs.append(MarkPair(begin, end, before, after, outer))
        kinds = {n: by_place[span] for n, span in enumerate(spans) if span in by_place}
        return Analysis(line, tuple(spans), tuple(spaced), kinds, tuple(pairs))

    def reads(self, line: str) -> tuple[tuple[str, ...], Written]:
        """Return the tokens of a source sentence, and the sentence as written."""
        found = self.analyse(line, self.source.code, self.translated.__contains__, self.pieces(line))
        stand_for = {n: found.form(n) for n in found.pieces}
        tokens = found.tokens(stand_for, self.kinds)
        written = Written(line, found.spans, tuple(tokens), stand_for, found.pairs)
        inside = plain_tokens(tokens) if self.plain else self.source.casing.inside(tokens, known=True)
        return tuple(inside), written

    def read_target(self, line: str, written: Written) -> TargetText:
        """Read a translation of a sentence; the pieces that are also in the sentence become placeholders."""
        kept = [what_it_is(text) for text in written.contents.values()]
        pieces = self.profile.pieces(line, forms_of(self.pieces(written.text)))
        found = self._analysed(line, self.target.code, kept, pieces)
        links = self._partners(found, written.contents)
        linked = {e for _, e in links}
        as_given = found.tokens(linked, self.kinds)
        made_up = (e for e, piece in found.pieces.items() if e not in linked and not piece.paired)
        return TargetText(
            tuple(plain_tokens(as_given) if self.plain else self.target.casing.inside(as_given)),
            tuple(as_given),
            found.spans,
            tuple(sorted(links)),
            tuple(made_up),
        )

    def complaints_about(self, line: str, translation: str) -> list[str]:
        """Say which pieces of a sentence its translation has lost or doubled, or has made up."""
        return self.profile.complaints_about(line, translation)

    def _partners(self, found: Analysis, contents: Mapping[int, str]) -> list[tuple[int, int]]:
        """List the pieces of the source, by number, and those of a translation that stand for the same."""
        waiting: dict[str, deque[int]] = {}
        for f, text in contents.items():
            waiting.setdefault(what_it_is(text), deque()).append(f)
        partners = [(waiting.get(what_it_is(found.text(e))), e) for e in found.pieces]
        return [(sources.popleft(), e) for sources, e in partners if sources]

    def model_tokens(self, line: str) -> list[str]:
        """Return the tokens of a sentence in the target language alone, with placeholders for all pieces."""
        found = self.analyse(line, self.target.code)
        return self.target.casing.inside(found.tokens(found.pieces, self.kinds))

    def compared(self, line: str) -> str:
        """Return the words and signs of a translation with their case, as metrics compare them."""
        return " ".join(split_line(line, self.target.code))

    def prepare(self, segment: Segment) -> Segment:
        """Return a segment with the system's tokens of its text and of its references.

        A segment that was made of tokens, or that is a lattice, is returned as it is. A tree of the line is
        brought to the tokens.

        Raises
        ------
        InputError
            The tree of the line is not of its sentence.
        """
        if segment.written is not None or segment.lattice is not None or not segment.text:
            return segment
        tokens, written = self.reads(segment.text)
        read = [self.read_target(one, written) for one in segment.references]
        references = tuple(" ".join(one.tokens) for one in read)
        links, made_up = tuple(one.links for one in read), tuple(one.made_up for one in read)
        written = replace(written, references=segment.references, links=links, made_up=made_up)
        segment = replace(segment, tokens=tokens, lattice=None, written=written, references=references)
        if segment.tree is None or not segment.tree.lstrip(BLANK).startswith("("):  # it can name a file
            return segment
        return replace(segment, tree=tree_of_tokens(segment.tree, segment, path=segment.where))

    # what the system writes

    def restore(self, words: Sequence[str], links: Iterable[tuple[int, int]], written: Written) -> Restored:
        """Return a translation as text.

        Parameters
        ----------
        words : sequence of str
            The target tokens.
        links : iterable of (int, int)
            Links of source tokens and target tokens, from 0.
        written : Written
            The source sentence.
        """
        if (translation := written.translations.get(tuple(words))) is not None:
            text, places_in_text = translation
            return Restored(text, tuple(self.complaints_about(written.text, text)), places_in_text)
        links = sorted(links)
        contents, complaints, missing = self._contents(words, links, written)
        casing = self.target.casing
        if self.plain:
            names = _same_words(words, links, written)
            cased = cased_and_quoted(words, casing, names, self.target.signs.before_quotes)
        else:
            cased = list(words)
        left = iter(casing.written([token for token in cased if token != NOTHING], written.tokens))
        cased = [token if token == NOTHING else next(left) for token in cased]
        as_they_are = {*contents}
        for (begin, end), translations in written.terms.items():
            linked = {e for f, e in links if begin <= f < end}
            at, as_given = _term_among(words, linked, translations)
            cased[at : at + len(as_given)] = as_given
            as_they_are.update(range(at, at + len(as_given)))
        sources: dict[int, set[int]] = {}
        for f, e in links:
            sources.setdefault(e, set()).add(f)
        for f, e in links:  # a tag that has moved loses the mark that says what lay beside its neighbour
            bare = without_marks(cased[e])
            if e in contents and bare in TAGS:
                before, _, after = cased[e].partition(bare)
                stays = [f + n in sources.get(e + n, {f + n}) for n in (-1, 1)]
                cased[e] = before * stays[0] + bare + after * stays[1]
        shown = [
            n
            for n, token in enumerate(cased)
            if n in contents or (kind_of(token) is None and token != NOTHING)
        ]
        texts = [contents[n] if n in contents else unescaped(without_marks(cased[n])) for n in shown]
        joined = _joined_copies(words, sources, contents, written) if self.plain else set[Span]()
        gaps = [
            "" if gap in joined else gap_after(*(cased[n] for n in gap)) for gap in itertools.pairwise(shown)
        ]
        gaps.insert(0, "")
        places = {n: i for i, n in enumerate(shown)}
        near = [(f, places[e]) for f, e in links if e in places]
        extents = _Extents(near)
        marks = _marks(written.pairs, extents)
        for number, text in missing:
            place = extents.behind(number)
            marks.append(_Mark(place, place, f" {text}" if place else f"{text} ", ""))
        text, found = _rendered(texts, gaps, marks)
        of_words, end = list[Span](), 0
        for n in range(len(words)):
            begin, end = found[places[n]] if n in places else (end, end)
            of_words.append((begin, end))
        words_and_signs = (place for n, place in enumerate(of_words) if n not in as_they_are)
        text, of_words = self.target.signs.write(text, of_words, words_and_signs, like=written.text)
        return Restored(text, tuple(complaints), tuple(of_words))

    def _contents(
        self, words: Sequence[str], links: Sequence[tuple[int, int]], written: Written
    ) -> tuple[dict[int, str], list[str], list[tuple[int, str]]]:
        """Find what the placeholders of a translation stand for: what their source tokens stand for."""
        left = dict(written.contents)
        contents, complaints = dict[int, str](), list[str]()
        by_target: dict[int, list[int]] = {}
        for f, e in links:
            by_target.setdefault(e, []).append(f)
        unlinked = []
        for place, word in enumerate(words):
            kind = kind_of(word)
            if kind is None:
                continue
            linked = [f for f in by_target.get(place, ()) if f in left]
            of_kind = [f for f in linked if kind_of(written.tokens[f]) == kind]
            if of_kind:
                contents[place] = left.pop(of_kind[0])
            else:
                unlinked.append((place, kind))
        waiting: dict[str | None, deque[int]] = {}
        for f in left:
            waiting.setdefault(kind_of(written.tokens[f]), deque()).append(f)
        for place, kind in unlinked:
            if waiting.get(kind):
                contents[place] = left.pop(waiting[kind].popleft())
            else:
                complaints.append(f"the translation has a piece of kind {kind} that the source has not")
        complaints += [f"the translation has no place for {text!r}" for text in left.values()]
        return contents, complaints, list(left.items())

    # training

    def pair(self, source: str, target: str) -> PreparedPair:
        """Return the tokens of a sentence pair, in which pieces of both sides are linked placeholders.

        The case is that of the lines.
        """
        codes, lines = self.languages, (source, target)
        of_source = self.pieces(source)
        pieces = of_source, self.profile.pieces(target, forms_of(of_source))
        keys = [
            [what_it_is(line[piece.begin : piece.end]) for piece in found]
            for line, found in zip(lines, pieces, strict=True)
        ]
        sides = [self._analysed(*each) for each in zip(lines, codes, reversed(keys), pieces, strict=True)]
        links = sorted(self._partners(sides[1], {n: sides[0].form(n) for n in sides[0].pieces}))
        kept = [sides[0].text(f) for f, _ in links if sides[0].pieces[f].kind in HOLDING_WORDS]
        changed = [
            source[piece.begin : piece.end]
            for piece, key in zip(pieces[0], keys[0], strict=True)
            if piece.kind in HOLDING_WORDS and key not in keys[1]
        ]
        names = [sides[0].pieces[f].name for f, _ in links]
        tokens = [side.tokens((link[n] for link in links), self.kinds) for n, side in enumerate(sides)]
        return PreparedPair(tokens[0], tokens[1], links, kept, changed, names)

    def inside(self, pair: PreparedPair) -> PreparedPair:
        """Return a sentence pair with the case that words have inside sentences."""
        source = self.source.casing.inside(pair.source)
        return pair._replace(source=source, target=self.target.casing.inside(pair.target))

    def _analysed(self, line: str, code: str, kept: Container[str], pieces: Sequence[Piece]) -> Analysis:
        """Find the tokens of a line; pieces that hold words and are not kept are marks around words."""
        return self.analyse(line, code, lambda text: what_it_is(text) not in kept, pieces)

    def with_kinds(self, profile: Profile) -> TextSystem:
        """Return a system that also keeps the pieces of another profile, as of a document's format."""
        own = dict(self.profile.kinds)
        new = [
            (name, pattern)
            for name, pattern in profile.kinds
            if own.get(name) != pattern and name not in self.profile.forms
        ]
        forms = {**profile.forms, **self.profile.forms}
        return replace(self, profile=Profile((*new, *self.profile.kinds), forms)) if new else self

    def of_plain_tokens(self, signs: SignForms | None = None) -> TextSystem:
        """Return what a system knows whose tokens are those of other tools: case and signs of its target."""
        casing = replace(self.target.casing, words=frozenset())
        target = replace(self.target, casing=casing, signs=signs or self.target.signs)
        return replace(self, source=Language(self.source.code), target=target, plain=True)

    # file

    def save(self, path: str | Path) -> None:
        """Write the system's text to a file, JSON."""
        record = to_json(self)
        record["version"] = self.version
        with written_packed(path, 9) as file:
            file.write(json_bytes(record))

    @classmethod
    def load(cls, path: str | Path) -> TextSystem:
        """Read what `save` has written.

        Raises
        ------
        InputError
            The file cannot be read, or is damaged; or a library is not installed.
        """
        lines = "\n".join(line for _, line in read_lines(path))
        try:
            record = parse_json(lines)
            if isinstance(record, dict) and record.get("version") != VERSION:
                raise ValueError(f"expected version {VERSION} of its form")
            return typed(cls, record)
        except WrongPart as error:
            raise InputError(f"expected the text of a system: {error}", path=path) from None
        except ValueError as error:
            raise InputError(f"expected the text of a system: {error}", path=path) from None


class PreparedPair(NamedTuple):
    """The tokens of a sentence pair."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]
    kept: list[str]
    changed: list[str]
    names: list[str]


def split_line(line: str, language: str) -> list[str]:
    """Return the tokens of a line from which `join` makes the line again, whatever the line is."""
    spans, place = list[Span](), 0
    for span in (*all_spans(language, line), (len(line), len(line))):
        begin, end = span
        if begin > place and (not spans or begin == end or line[place:begin] != " "):
            spans.append((place, begin))
        if end > begin:
            spans.append(span)
        place = end
    spaced = [begin > end for (_, end), (begin, _) in itertools.pairwise(spans)]  # other gaps are tokens
    return marked(escaped_pieces(line, spans), spaced)


def _same_words(words: Sequence[str], links: Iterable[tuple[int, int]], written: Written) -> dict[int, str]:
    """Find words of a translation that are words inside sentences of the source, and their case there."""
    source = plain_tokens(written.tokens)
    starts = sentence_starts(written.tokens)
    return {
        e: without_marks(written.tokens[f])
        for f, e in links
        if source[f] == words[e] and f not in starts and f not in written.contents
    }


def _joined_copies(
    words: Sequence[str], sources: Mapping[int, Set[int]], contents: Container[int], written: Written
) -> set[Span]:
    """Find neighbours that are copies, or of which one is a piece, without a blank in the source."""
    source, found = plain_tokens(written.tokens), set[Span]()
    for a in range(len(words) - 1):
        of_next = sources.get(a + 1, set())
        for f in sources.get(a, ()):
            if f + 1 in of_next and written.places[f][1] == written.places[f + 1][0]:
                copies = words[a] == source[f] and words[a + 1] == source[f + 1]
                if copies or a in contents or a + 1 in contents:
                    found.add((a, a + 1))
    return found


def _term_among(
    words: Sequence[str], linked: Set[int], translations: Mapping[tuple[str, ...], tuple[str, ...]]
) -> tuple[int, tuple[str, ...]]:
    """Return where a translation has that of a term with the most linked words, and its tokens as given."""
    found = [
        (len(linked & {*range(at, at + len(each))}), len(each), -at, as_given)
        for each, as_given in translations.items()
        for at in range(len(words) - len(each) + 1)
        if tuple(words[at : at + len(each)]) == each
    ]
    _, _, at, as_given = max(found, default=(0, 0, 0, ()))
    return -at, as_given


def _spaced(line: str, spans: Sequence[Span], removed: Sequence[Span]) -> list[bool]:
    """Tell whether blanks lie between a token and the next one, beside marks that were removed."""
    spaced, n = list[bool](), 0
    for (_, place), (begin, _) in itertools.pairwise(spans):
        blanks = begin - place
        while n < len(removed) and removed[n][1] <= begin:
            if removed[n][0] >= place:
                blanks -= removed[n][1] - removed[n][0]
            n += 1
        spaced.append(blanks > 0)
    return spaced


def _outer(matched: Sequence[tuple[int, int]]) -> list[int]:
    """Return the number of the pair around each pair, -1 without one; inner pairs come first."""
    outer, around = list[int](), list[int]()
    for number in range(len(matched) - 1, -1, -1):
        while around and matched[around[-1]][0] > matched[number][0]:
            around.pop()
        outer.append(around[-1] if around else -1)
        around.append(number)
    return outer[::-1]


def _marks_of(line: str, piece: Piece) -> list[Piece]:
    """Return the opening and the closing mark of a piece that holds words, such as ``*`` and ``*``."""
    text = line[piece.begin : piece.end]
    width = next(n for n, character in enumerate(text) if character != text[0])
    opening = replace(piece, end=piece.begin + width, paired=True)
    return [opening, replace(piece, begin=piece.end - width, paired=True)]


class _Extents:
    """From where to where the links of source tokens reach in a translation."""

    def __init__(self, links: Sequence[tuple[int, int]]) -> None:
        ends = dict[int, tuple[int, int]]()
        for f, e in sorted(links):
            low, high = ends.get(f, (e, e))
            ends[f] = min(low, e), max(high, e)
        self._sources = list(ends)
        self._of_runs = [list(ends.values())]  # of 1, 2, 4, 8… neighbours
        width = 1
        while 2 * width <= len(ends):
            runs = self._of_runs[-1]
            self._of_runs.append([_both(*two) for two in zip(runs, runs[width:], strict=False)])
            width *= 2

    def of(self, begin: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last link of the source tokens [begin, end); None without a link."""
        first, last = (bisect_left(self._sources, at) for at in (begin, end))
        if first == last:
            return None
        level = (last - first).bit_length() - 1
        runs = self._of_runs[level]
        return _both(runs[first], runs[last - (1 << level)])

    def behind(self, number: int) -> int:
        """Return the place of a source token that a translation does not have: behind its neighbour's."""
        at = bisect_left(self._sources, number)
        return self._of_runs[0][at - 1][1] + 1 if at else 0


def _both(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])


@dataclass
class _Mark:
    """Marks around the target tokens [begin, end), and those inside of them."""

    begin: int
    end: int
    opening: str
    closing: str
    inner: list[_Mark] = field(default_factory=list)


def _marks(pairs: Sequence[MarkPair], extents: _Extents) -> list[_Mark]:
    """Place marks around the target tokens that are linked with the source tokens between them."""
    placed = []
    for pair in pairs:
        inside = extents.of(pair.begin, pair.end)
        behind = extents.behind(pair.begin)
        begin, end = (inside[0], inside[1] + 1) if inside else (behind, behind)
        placed.append(_Mark(begin, end, pair.opening, pair.closing))
    for mark, pair in zip(placed, pairs, strict=True):
        if pair.outer >= 0:
            placed[pair.outer].inner.append(mark)
    return [mark for mark, pair in zip(placed, pairs, strict=True) if pair.outer < 0]


def _rendered(texts: Sequence[str], gaps: Sequence[str], marks: Sequence[_Mark]) -> tuple[str, list[Span]]:
    """Return a line with its marks, and the places of its texts.

    Each mark stays inside its outer one and never crosses another.
    """
    out, places, length = list[str](), list[Span](), 0
    reached, has_gap = 0, True  # the next token, and whether the gap before it is there

    def put(text: str) -> None:
        nonlocal length
        out.append(text)
        length += len(text)

    def put_tokens(end: int) -> None:
        nonlocal reached, has_gap
        for n in range(reached, end):
            put_gap()
            put(texts[n])
            places.append((length - len(texts[n]), length))
            reached, has_gap = n + 1, False

    def put_gap() -> None:
        nonlocal has_gap
        if not has_gap:
            put(gaps[reached])
        has_gap = True

    around = [_open(_Mark(0, len(texts), "", "", list(marks)), len(texts))]
    while around:
        inside, end, closing = around[-1]
        mark = next(inside, None)
        if mark is None:
            put_tokens(end)
            put(closing)
            around.pop()
            continue
        put_tokens(min(max(mark.begin, reached), end))
        last = min(max(mark.end, reached), end)
        if last > reached:
            put_gap()
        put(mark.opening)
        around.append(_open(mark, last))
    return "".join(out), places


def _open(mark: _Mark, end: int) -> tuple[Iterator[_Mark], int, str]:
    """Return the marks inside a mark in their order, where it ends, and its closing mark."""
    return iter(sorted(mark.inner, key=lambda inner: inner.begin)), end, mark.closing
