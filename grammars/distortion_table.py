"""Counts for the coarse distortion model (Chiang, Marton and Resnik 2008, section 4), from aligned text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopefear.base.errors import InputError
from hopefear.base.files import written_whole
from hopefear.base.lines import read_lines, together
from hopefear.base.progress import progress_bar
from hopefear.base.texts import split_words
from hopefear.decoder.lengths import TEXT_MAX_WORDS, LongSentences

from .alignment import parse_links

LONGEST = 10
"""The largest size, for nonterminals that span this many source words or more."""

Bools = NDArray[np.bool_]
Ints = NDArray[np.int32]

_MOST_WAYS = 1 << 20  # that are looked at together: the memory that a sentence takes is bounded
_NO_WORD = np.iinfo(np.int32).max  # the first word of an empty set; the last is -1


@dataclass(frozen=True, kw_only=True)
class DistortionCounter:
    """Counts the nonterminals of the rules that Hiero's extraction finds in aligned sentences.

    The rules are those of Chiang (2007, section 3), with the limits of cdec's extractor. An initial phrase is
    a source span of at most `max_span` words, whose first and last word are linked, and the target span of
    their links, if no word of either span is linked to a word outside the other. A rule is an initial phrase
    in which one or two smaller phrases are replaced by nonterminals. These phrases have at least `min_gap`
    source words and do not touch on the source side; the rule has at most `max_symbols` source symbols,
    including nonterminals, and at least one link between words. Each occurrence of a rule counts 1.

    A nonterminal is reordered if its link crosses the link of the other nonterminal or a link between words.
    """

    max_span: int = 15
    max_symbols: int = 5
    min_gap: int = 1

    def count(
        self, source_words: int, target_words: int, links: Iterable[tuple[int, int]]
    ) -> NDArray[np.int64]:
        """Count the nonterminals of a sentence pair."""
        points = np.array(list(links), np.int32).reshape(-1, 2)
        for link in points.tolist():
            if not (0 <= link[0] < source_words and 0 <= link[1] < target_words):
                expected = f"expected links between {source_words} and {target_words} words"
                raise ValueError(f"{expected}, got {link[0]}-{link[1]}")
        first, last = _ends(source_words, points[:, 0], points[:, 1])
        phrase = self._phrases(first, last, *_ends(target_words, points[:, 1], points[:, 0]))
        length = np.arange(source_words + 1) - np.arange(source_words + 1)[:, None]
        gap = phrase & (length >= self.min_gap)
        counts = np.zeros((LONGEST, 2), np.int64)

        def add(begin: Ints, a: Ints, b: Ints, end: Ints) -> None:
            """Add nonterminals [a, b) of phrases [begin, end)."""
            # A word before the nonterminal is linked to a word after it, or the other way round.
            reordered = (last[begin, a] > last[a, b]) | (first[b, end] < first[a, b])
            np.add.at(counts, (np.minimum(b - a, LONGEST) - 1, reordered.astype(np.intp)), 1)

        one, two = _words_around(self.max_symbols - 1, 2), _words_around(self.max_symbols - 2, 3)
        widest = min(self.max_span, source_words + 1)
        begins, ends = (found.astype(np.int32) for found in np.nonzero(phrase))
        block = max(1, _MOST_WAYS // max(1, one.shape[1], two.shape[1] * widest))
        for at in range(0, len(begins), block):
            begin, end = begins[at : at + block, None], ends[at : at + block, None]
            before, after = one
            a, b = begin + before, end - after
            phrases, a, b, phrase_ends = _where((a < b) & (before + after > 0), begin, a, b, end)
            add(*_where(gap[a, b], phrases, a, b, phrase_ends))

            before, between, after = (words[:, None] for words in two)
            begin, end = begin[:, None], end[:, None]
            a, d = begin + before, end - after
            b = a + np.arange(1, widest, dtype=np.int32)
            c = b + between
            phrases, a, b, c, d, phrase_ends = _where((between > 0) & (c < d), begin, a, b, c, d, end)
            linked = (last[phrases, a] >= 0) | (last[b, c] >= 0) | (last[d, phrase_ends] >= 0)
            good = gap[a, b] & gap[c, d] & linked
            phrases, a, b, c, d, phrase_ends = _where(good, phrases, a, b, c, d, phrase_ends)
            add(phrases, a, b, phrase_ends)
            add(phrases, c, d, phrase_ends)
        return counts

    def _phrases(self, first: Ints, last: Ints, target_first: Ints, target_last: Ints) -> Bools:
        """Tell which source spans [i, j) are initial phrases."""
        words = len(first) - 1
        linked = np.flatnonzero(last[range(words), range(1, words + 1)] >= 0).astype(np.int32)
        i, j = linked[:, None], linked + 1
        i, j = _where((i < j) & (j - i <= self.max_span), i, j)
        begin, end = first[i, j], last[i, j] + 1  # on the target side
        phrase = np.zeros(first.shape, bool)
        phrase[i, j] = (target_first[begin, end] >= i) & (target_last[begin, end] < j)
        return phrase


def count_distortion(
    source: Path | str,
    target: Path | str,
    alignment: Path | str,
    *,
    sentences: int | None = 10_000,
    counter: DistortionCounter | None = None,
    reverse: bool = False,
    max_words: int = TEXT_MAX_WORDS,
) -> NDArray[np.int64]:
    """Count the nonterminals of a parallel text's rules."""
    counter = counter or DistortionCounter()
    counts = np.zeros((LONGEST, 2), np.int64)
    files = source, target, alignment
    long = LongSentences(max_words)
    lines = islice(together(files, *map(read_lines, files)), sentences)
    for row in progress_bar(lines, sentences, name="extracting"):
        (_, words), (_, target_words), (where, links) = row
        lengths = len(split_words(words)), len(split_words(target_words))
        points = parse_links(links, words=lengths[::-1] if reverse else lengths, where=where)
        if long.leave_out(*lengths):
            continue
        counts += counter.count(*lengths, [(i, j) for j, i in points] if reverse else points)
    long.warn()
    for row, reordered in np.argwhere(counts == 0):
        size = f"{row + 1} words" if row + 1 < LONGEST else f"{LONGEST} words or more"
        kind = f"nonterminals of {size} that are {'' if reordered else 'not '}reordered"
        raise InputError(f"expected {kind}, got none: take more sentences", path=alignment)
    return counts


def write_distortion_table(counts: NDArray[np.int64], path: Path | str) -> None:
    """Write the table for the coarse ``StructuralDistortion``; no partly written file is left."""
    sizes = (*map(str, range(1, LONGEST)), f"{LONGEST}+")
    text = "# source words, nonterminals not reordered, nonterminals reordered\n"
    text += "".join(f"{size} {row[0]} {row[1]}\n" for size, row in zip(sizes, counts, strict=True))
    with written_whole(path) as part:
        part.write_text(text, encoding="utf-8")


def _ends(words: int, here: Ints, there: Ints) -> tuple[Ints, Ints]:
    """Return for each span [i, j) of words the first and the last word of the other side linked to it."""
    first, last = np.full(words, _NO_WORD, np.int32), np.full(words, -1, np.int32)
    np.minimum.at(first, here, there)
    np.maximum.at(last, here, there)
    begun = np.arange(words) >= np.arange(words + 1)[:, None]
    firsts, lasts = np.full((2, words + 1, words + 1), _NO_WORD, np.int32)
    lasts[:] = -1
    np.minimum.accumulate(np.where(begun, first, _NO_WORD), axis=1, out=firsts[:, 1:])
    np.maximum.accumulate(np.where(begun, last, -1), axis=1, out=lasts[:, 1:])
    return firsts, lasts


def _words_around(most: int, places: int) -> Ints:
    """List the ways to distribute at most `most` words over the places, shape (places, ways)."""
    ways = [way for way in product(range(most + 1), repeat=places) if sum(way) <= most]
    return np.array(ways, np.int32).reshape(-1, places).T


def _where(chosen: Bools, *arrays: Ints) -> tuple[Ints, ...]:
    """Select elements of arrays that broadcast to the same shape."""
    return tuple(np.broadcast_to(array, chosen.shape)[chosen] for array in arrays)
