"""Sentence pairs in memory, of which the one whose source is the closest to a sentence is found at once."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.signatures import Count, Finite
from hopefear.grammars.symmetrisation import Link

_UNINDEXED = 256
"""The least number of entries that wait to be indexed; beside it a quarter of those that are indexed."""

_COMPARED = 1000
"""The most entries whose distance is computed, those with the most words in common first."""

_SLACK = 1e-9
_UNKNOWN = -1
_BETWEEN = "\0"  # the sides of a pair as written, which may have lines; no text has a zero byte


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A sentence and its translation.

    Attributes
    ----------
    source, target : tuple of str
        The words.
    links : tuple of pairs of int
        Positions of linked words.
    written : (str, str) or None
        Both as they are written, if the words were made of them.
    document : int or None
        The number of the document in which it was corrected.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
    written: tuple[str, str] | None = None
    document: int | None = None

    def texts(self) -> tuple[str, str]:
        """Return the sentence and its translation as texts."""
        return self.written or (" ".join(self.source), " ".join(self.target))


class _Column:
    """Numbers that are added one by one, and read as an array.

    An array must be gone before numbers are added: it is a view of their memory.
    """

    def __init__(self, code: str, kind: type[np.generic]) -> None:
        self._numbers, self._kind = array(code), kind
        self.extend = self._numbers.extend

    @property
    def values(self) -> NDArray[Any]:
        return np.frombuffer(self._numbers, self._kind) if self._numbers else np.zeros(0, self._kind)


class MemoryIndex:
    """Entries by number, and which of them is the closest to a sentence.

    The similarity of two sentences is 1 - d / n: d is their distance in inserted, deleted and replaced words
    (Levenshtein), n the number of words of the longer one. An entry of at least some similarity has one of
    the rarest words of the sentence, as many as may be missing and one more; only entries with these words
    are looked at, those with the most words in common first.
    """

    def __init__(self) -> None:
        self._words: dict[str, int] = {}
        self._texts: list[str] = []
        self._tokens, self._source_end, self._end = (
            _Column("i", np.int32),
            _Column("q", np.int64),
            _Column("q", np.int64),
        )
        self._links, self._links_end = _Column("H", np.uint16), _Column("q", np.int64)
        self._size = self._links_size = 0
        for ends in (self._end, self._links_end):
            ends.extend([0])
        self._written: list[str | None] = []
        self._document, self._alive = _Column("i", np.int32), _Column("b", np.bool_)
        self._indexed = 0  # entries with places in the index
        self._starts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._places: NDArray[np.int32] = np.zeros(0, np.int32)

    def __len__(self) -> int:
        """Return the number of entries that were added."""
        return len(self._written)

    def add(self, entry: MemoryEntry) -> int:
        """Add an entry; return its number."""
        self._tokens.extend([*map(self._number, entry.source), *map(self._number, entry.target)])
        self._source_end.extend([self._size + len(entry.source)])
        self._size += len(entry.source) + len(entry.target)
        self._end.extend([self._size])
        self._links.extend([place for link in entry.links for place in link])
        self._links_size += 2 * len(entry.links)
        self._links_end.extend([self._links_size])
        self._written.append(None if entry.written is None else _BETWEEN.join(entry.written))
        self._document.extend([_UNKNOWN if entry.document is None else entry.document])
        self._alive.extend([True])
        return len(self) - 1

    def remove(self, number: int) -> None:
        """Find an entry no more."""
        self._alive.values[number] = False

    def texts(self) -> Iterator[tuple[str, str]]:
        """Iterate over the sentences and translations of all entries as texts, the latest first."""
        for number in np.flatnonzero(self._alive.values)[::-1].tolist():
            written = self._written[number]
            if written is not None:
                source, _, target = written.partition(_BETWEEN)
                yield source, target
            else:
                yield self.entry(number).texts()

    def entry(self, number: int) -> MemoryEntry:
        """Return the entry with a number."""
        begin, middle, end = (
            self._end.values[number],
            self._source_end.values[number],
            self._end.values[number + 1],
        )
        source, target = (
            tuple(self._texts[token] for token in self._tokens.values[first:last].tolist())
            for first, last in ((begin, middle), (middle, end))
        )
        first, last = self._links_end.values[number : number + 2]
        links = tuple((f, e) for f, e in self._links.values[first:last].reshape(-1, 2).tolist())
        written = self._written[number]
        sides = None if written is None else written.partition(_BETWEEN)[::2]
        document = int(self._document.values[number])
        return MemoryEntry(source, target, links, sides, None if document == _UNKNOWN else document)

    def nearest(
        self, tokens: Sequence[str], least: Finite, most: Count, document: int | None = None
    ) -> list[tuple[int, float]]:
        """Return the numbers of the entries that are the closest to a sentence, with their similarity.

        Of entries that are as close, those of the same document come first, then the latest.

        Parameters
        ----------
        least : float
            The least similarity, above 0.
        document : int, optional
            The document that the sentence is in.
        """
        query = [self._words.get(token, _UNKNOWN) for token in tokens]
        candidates, most_alike = self._candidates(query, least)
        positions: dict[int, int] = {}
        for position, word in enumerate(query):
            positions[word] = positions.get(word, 0) | 1 << position
        positions.pop(_UNKNOWN, None)
        best: list[tuple[float, bool, int]] = []  # a heap: the worst one is the first
        for number, bound in zip(
            candidates[:_COMPARED].tolist(), most_alike[:_COMPARED].tolist(), strict=True
        ):
            if len(best) == most and bound < best[0][0] - _SLACK:
                break
            begin, end = self._end.values[number], self._source_end.values[number]
            words = self._tokens.values[begin:end].tolist()
            alike = 1 - _distance(positions, len(query), words) / max(len(query), len(words))
            if alike >= least - _SLACK:
                in_document = document is not None and self._document.values[number] == document
                add = heapq.heappush if len(best) < most else heapq.heappushpop
                add(best, (alike, in_document, number))
        return [(number, alike) for alike, _, number in sorted(best, reverse=True)]

    def _number(self, word: str) -> int:
        number = self._words.setdefault(word, len(self._texts))
        if number == len(self._texts):
            self._texts.append(word)
        return number

    def _candidates(self, query: list[int], least: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the entries that may be close enough and how close they may be, the closest first."""
        self.catch_up()
        size = len(query)
        rare = sorted((self._frequency(word), word) for word in query)
        rare = rare[: size - math.ceil(least * size - _SLACK) + 1]
        chosen = np.zeros(len(self), bool)
        chosen[self._indexed :] = True
        for count, word in rare:
            if count:
                chosen[self._places[self._starts[word] : self._starts[word] + count]] = True
        chosen &= self._alive.values
        candidates = np.flatnonzero(chosen)
        begins = self._end.values[candidates]
        lengths = self._source_end.values[candidates] - begins
        fits = np.minimum(lengths, size) >= least * np.maximum(lengths, size) - _SLACK
        candidates, begins, lengths = candidates[fits], begins[fits], lengths[fits]
        if not len(candidates):
            return candidates, np.zeros(0)
        in_query = np.zeros(len(self._texts), np.int32)
        in_query[[word for word in query if word != _UNKNOWN]] = 1
        offsets = np.cumsum(lengths) - lengths
        inside = np.arange(int(lengths.sum())) - np.repeat(offsets - begins, lengths)
        common = np.add.reduceat(in_query[self._tokens.values[inside]], offsets)
        bounds = np.minimum(common, size) / np.maximum(lengths, size)
        close = bounds >= least - _SLACK
        candidates, bounds = candidates[close], bounds[close]
        order = np.lexsort((-candidates, -bounds))
        return candidates[order], bounds[order]

    def _frequency(self, word: int) -> int:
        return (
            0 if not 0 <= word < len(self._starts) - 1 else int(self._starts[word + 1] - self._starts[word])
        )

    def catch_up(self) -> None:
        """Index the entries if many are not indexed; several threads may then look for entries."""
        if len(self) - self._indexed > max(_UNINDEXED, self._indexed // 4):
            self._index()

    def _index(self) -> None:
        """List the entries of each word, for all entries."""
        begins, ends = self._end.values[:-1], self._source_end.values
        lengths = ends - begins
        offsets = np.cumsum(lengths) - lengths
        inside = np.arange(int(lengths.sum())) - np.repeat(offsets - begins, lengths)
        tokens = self._tokens.values[inside]
        entries = np.repeat(np.arange(len(self), dtype=np.int32), lengths)
        self._places = entries[np.argsort(tokens, kind="stable")]
        counts = np.bincount(tokens, minlength=len(self._texts))
        self._starts = np.concatenate(([0], np.cumsum(counts)))
        self._indexed = len(self)


def _distance(positions: dict[int, int], size: int, other: Iterable[int]) -> int:
    """Return the fewest edits between two sentences (Myers 1999): bits are differences in a column."""
    every, last = (1 << size) - 1, 1 << size >> 1
    more, less, distance = every, 0, size
    for word in other:
        equal = positions.get(word, 0)
        vertical = equal | less
        across = (((equal & more) + more) ^ more) | equal
        up, down = less | (every & ~(across | more)), more & across
        distance += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & every, down << 1 & every
        more, less = down | (every & ~(vertical | up)), up & vertical
    return distance
