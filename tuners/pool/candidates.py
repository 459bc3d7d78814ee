"""What batch tuners learn from: all k-best translations found so far, with features and metric statistics."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import scipy  # imports sparse when it is first used
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.base.arrays import Floats, Ints
from hopefear.base.texts import expect_several, split_words
from hopefear.decoder import KBestList, Segment, Weights
from hopefear.metrics import Metric, Statistics, WrongSentence

from ..contract import TuningError, array, measuring
from .line_search import Intervals, cut_line
from .lines import PoolLines
from .spread import spread


@dataclass(init=False, eq=False, repr=False)
class Candidates:
    """A pool of candidate translations of a corpus, that grows by merging k-best lists.

    Candidates are rows of flat arrays, a segment's rows side by side and in the order they came. Of equal
    ones, in text and in features, only the first is kept; the texts themselves are not.

    Parameters
    ----------
    metric : Metric
        What the statistics are of.
    references : sequence of sequences of str
        The references of each segment, any number of them.
    weights : Weights, optional
        What numbers the features; the decoder's own where there is one.
    source_lengths : sequence of float, optional
        Words of each source sentence, ``|f|`` of a pseudo-document; else of its references, on average.

    Attributes
    ----------
    metric : Metric
        That given, `for_corpus`.
    weights : Weights
    source_lengths : array of float64, shape (segments,)
    offsets : array of int64, shape (segments + 1,)
        The candidates of segment i are the rows ``offsets[i]:offsets[i + 1]``; there may be none.
    indptr, features, values : arrays of int64 (n + 1,), int32 and float64
        h: feature numbers, ascending, and values of candidate j are at ``indptr[j]:indptr[j + 1]``.
    statistics : array of float64, shape (n, metric.size)
        Of each candidate against the references.

    Raises
    ------
    ValueError
        A segment has no reference, or there are not as many lengths as segments.
    WrongSentence
        A reference is too long for the metric. `merge` and `stats` raise it for a translation.
    """

    offsets: Ints = array("i8", copied=False)
    indptr: Ints = array("i8", copied=False)
    features: NDArray[np.int32] = array("i4", copied=False)
    values: Floats = array(copied=False)
    statistics: Statistics = array(dimensions=2, copied=False)
    _keys: NDArray[np.uint64] = array("u8", copied=False)

    def __init__(
        self,
        metric: Metric,
        references: Sequence[Sequence[str]],
        weights: Weights | None = None,
        *,
        source_lengths: Sequence[float] | None = None,
    ) -> None:
        expect_several("references", references)
        self.metric = metric = metric.for_corpus(references)
        self.weights = Weights() if weights is None else weights
        self._references = []
        for sentence, own in enumerate(references):
            with _counting(sentence):
                self._references.append(metric.prepare(own))
        if source_lengths is None:
            source_lengths = [sum(len(split_words(r)) for r in own) / len(own) for own in references]
        if len(source_lengths) != len(references):
            raise ValueError(f"expected {len(references)} source lengths, got {len(source_lengths)}")
        self.source_lengths = np.array(source_lengths, np.float64)
        self._set_arrays(
            np.zeros(len(references) + 1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0),
            np.zeros((0, metric.size)),
            np.zeros(0, np.uint64),
        )

    @classmethod
    def of_corpus(cls, corpus: Sequence[Segment], metric: Metric, weights: Weights) -> Candidates:
        """Make an empty pool for segments with references."""
        lengths = [segment.length for segment in corpus]
        references = [segment.references for segment in corpus]
        with measuring(*corpus):
            return cls(metric, references, weights, source_lengths=lengths)

    def __len__(self) -> int:
        """Count the candidates."""
        return len(self.indptr) - 1

    @property
    def segments(self) -> int:
        """How many segments there are, those without a candidate too."""
        return len(self.offsets) - 1

    @property
    def counts(self) -> Ints:
        """Candidates of each segment, shape (segments,)."""
        return np.diff(self.offsets)

    @cached_property
    def segment_of(self) -> Ints:
        """The segment of each candidate, shape (n,)."""
        return np.repeat(np.arange(self.segments), self.counts)

    @cached_property
    def matrix(self) -> Any:
        """H as scipy's CSR matrix, shape (n, features); it shares the memory of `values` and `features`."""
        columns = int(self.features.max(initial=-1)) + 1
        return scipy.sparse.csr_matrix((self.values, self.features, self.indptr), shape=(len(self), columns))

    @cached_property
    def active(self) -> Ints:
        """The features that fire in some candidate, ascending, shape (m,)."""
        fires = np.zeros(self.matrix.shape[1], bool)
        fires[self.features] = True
        return np.flatnonzero(fires)

    def dense(self) -> Floats:
        """Return H of the `active` features, shape (n, m): for few features only."""
        column = np.zeros(self.matrix.shape[1], np.int64)
        column[self.active] = np.arange(len(self.active))
        rows = np.repeat(np.arange(len(self)), np.diff(self.indptr))
        h = np.zeros((len(self), len(self.active)))
        h[rows, column[self.features]] = self.values
        return h

    def merge(self, found: Iterable[tuple[int, KBestList]]) -> int:
        """Take in k-best lists, each with the number of its segment, and tell how many candidates are new.

        Nothing changes where the iterable raises an error.

        Raises
        ------
        IndexError
            There is no such segment.
        """
        known: dict[int, set[int]] = {}
        new: list[list[tuple[KBestList, Statistics, NDArray[np.uint64]]]] = [[] for _ in self._references]
        for segment, translations in found:
            if not 0 <= segment < self.segments:
                raise IndexError(f"expected a segment below {self.segments}, got {segment}")
            if segment not in known:
                own = slice(self.offsets[segment], self.offsets[segment + 1])
                known[segment] = set(self._keys[own].tolist())
            seen, rows, keys = known[segment], [], []
            for row, key in enumerate(_keys(translations)):
                if key not in seen:
                    seen.add(key)
                    rows.append(row)
                    keys.append(key)
            if rows:
                if len(rows) < len(translations):
                    translations = translations.take(rows)
                with _counting(segment):
                    statistics = self._references[segment].batch(translations.texts)
                new[segment].append((translations, statistics, np.array(keys, np.uint64)))
        added = sum(len(part[2]) for parts in new for part in parts)
        if added:
            self._append(new)
        return added

    def stats(self, segment: int, text: str) -> Statistics:
        """Return the statistics of any translation of a segment, shape (metric.size,)."""
        with _counting(segment):
            return self._references[segment].stats(text)

    def scores(self, weights: Floats) -> Floats:
        """Return h·w of all candidates, shape (n,), for weights by feature number."""
        columns = self.matrix.shape[1]
        if len(weights) < columns:
            weights = np.pad(weights, (0, columns - len(weights)))
        product: Floats = self.matrix @ weights[:columns]
        return product

    def best(self, scores: Floats) -> Ints:
        """Return the row of the highest score of each segment that has candidates; of equal ones the first.

        Parameters
        ----------
        scores : array of float64, shape (n,)
            No NaN among them.
        """
        counts = self.counts
        begin = self.offsets[:-1][counts > 0]
        if not len(begin):
            return begin
        top = np.repeat(np.maximum.reduceat(scores, begin), counts[counts > 0])
        rows = np.flatnonzero(scores == top)
        _, first = np.unique(self.segment_of[rows], return_index=True)
        return rows[first]

    def best_statistics(self, weights: Floats) -> Statistics:
        """Return the statistics of the best candidates by weights, one for each segment with candidates."""
        return self.statistics[self.best(self.scores(weights))]

    def corpus_score(self, weights: Floats) -> float:
        """Return the metric's score of the best candidates by weights; segments without any count nothing."""
        return self.metric.score(self.best_statistics(weights).sum(axis=0))

    def columns(self, features: Ints) -> Floats:
        """Return the values of some features, shape (m, n), as one block of memory."""
        known = features < self.matrix.shape[1]
        columns: Floats = self.matrix[:, features[known]].toarray(order="F").T
        if known.all():
            return columns
        padded = np.zeros((len(features), len(self)))
        padded[known] = columns
        return padded

    def columns_and_scores(self, features: Ints, weights: Floats) -> Floats:
        """Return the values of some features, and last the scores by weights, shape (m + 1, n).

        Raises
        ------
        TuningError
            A score is not finite.
        """
        scores = self.scores(weights)
        if not np.all(np.isfinite(scores)):
            raise TuningError(
                "the score of a candidate is not finite: a weight or a feature value is too large; scale it "
                "down"
            )
        return np.vstack((self.columns(features), scores))

    def measure(self, features: Ints, weights: Floats) -> tuple[Floats, Floats]:
        """Measure how much features and scores vary within segments: see `Pool.measure`."""
        values = self.columns_and_scores(features, weights)
        return spread(values, self.counts), np.abs(values).max(axis=1, initial=0.0)

    def lines(self, features: Ints, weights: Floats, units: Floats) -> PoolLines:
        """Return the lines through the space of the features' weights, which are ``z * units``."""
        h = self.columns(features)
        h *= units[:, np.newaxis]
        others = weights.copy()
        others[features] = 0.0
        return PoolLines(h, self.scores(others), self.offsets, self.statistics)

    def check(self) -> None:
        """Refuse what nothing can be learned from.

        Raises
        ------
        InputError
            There is no candidate.
        TuningError
            A feature value is not finite.
        """
        if not len(self):
            raise InputError("expected candidates to learn from, got none in any segment")
        wrong = np.flatnonzero(~np.isfinite(self.values))
        if len(wrong):
            name = self.weights.name(int(self.features[wrong[0]]))
            value = self.values[wrong[0]]
            raise TuningError(f"feature {name} must be finite, but is {value} in a candidate")

    def only(self, segments: Ints) -> Candidates:
        """Return a pool with the candidates of some segments only; it shares references and weights."""
        kept = np.isin(self.segment_of, segments)
        entries = np.diff(self.indptr)
        fires = np.repeat(kept, entries)
        part = copy.copy(self)
        part._set_arrays(
            _bounds(np.where(np.isin(np.arange(self.segments), segments), self.counts, 0)),
            _bounds(entries[kept]),
            self.features[fires],
            self.values[fires],
            self.statistics[kept],
            self._keys[kept],
        )
        return part

    def restored(self) -> None:
        """Check saved candidates, of the same segments, metric and feature numbers.

        Raises
        ------
        ValueError
            They are of other segments or of another metric, or contradict each other.
        """
        segments, size = len(self._references), self.metric.size
        if self.segments != segments or self.statistics.shape[1:] != (size,):
            raise ValueError(
                f"expected candidates of {segments} segments and {size} statistics, as in the corpus and the "
                f"metric, got {self.segments} and {self.statistics.shape[-1]}"
            )
        count, entries = int(self.offsets[-1]), len(self.features)
        if (
            not (_ascends(self.offsets, count) and _ascends(self.indptr, entries))
            or {len(self), len(self.statistics), len(self._keys)} != {count}
            or len(self.values) != entries
            or (entries and not 0 <= self.features.min() <= self.features.max() < len(self.weights))
        ):
            raise ValueError("expected the candidates of a pool, got arrays that contradict each other")
        self._forget()

    def _append(self, new: list[list[tuple[KBestList, Statistics, NDArray[np.uint64]]]]) -> None:
        """Rebuild the arrays, the new candidates of each segment behind its old ones."""
        sizes, entries = np.diff(self.offsets), np.diff(self.indptr)
        parts: list[list[NDArray[Any]]] = [[], [], [], [], []]
        for segment, lists in enumerate(new):
            begin, end = self.offsets[segment : segment + 2]
            own, inside = slice(begin, end), slice(self.indptr[begin], self.indptr[end])
            old: list[NDArray[Any]] = [entries[own], self.features[inside], self.values[inside]]
            for column, part in zip(parts, [*old, self.statistics[own], self._keys[own]], strict=True):
                column.append(part)
            for translations, statistics, keys in lists:
                added: list[NDArray[Any]] = [
                    np.diff(translations.indptr),
                    translations.features,
                    translations.values,
                ]
                for column, part in zip(parts, [*added, statistics, keys], strict=True):
                    column.append(part)
                sizes[segment] += len(keys)
        entries, features, values, statistics, keys = (np.concatenate(column) for column in parts)
        self._set_arrays(_bounds(sizes), _bounds(entries), features, values, statistics, keys)

    def _set_arrays(
        self,
        offsets: Ints,
        indptr: Ints,
        features: NDArray[np.int32],
        values: Floats,
        statistics: Statistics,
        keys: NDArray[np.uint64],
    ) -> None:
        self.offsets, self.indptr, self.features, self.values = offsets, indptr, features, values
        self.statistics, self._keys = statistics, keys
        self._forget()

    def _forget(self) -> None:
        """Forget what was made of other candidates."""
        for derived in ("segment_of", "matrix", "active"):
            self.__dict__.pop(derived, None)


def search_line(pool: Candidates, weights: Floats, direction: Floats) -> Intervals:
    """Cut the line weights + γ direction where the statistics of the pool's best candidates change.

    Parameters
    ----------
    weights, direction : arrays of float64
        By feature number.

    Raises
    ------
    TuningError
        The score of a candidate is not finite.
    """
    return cut_line(pool.scores(direction), pool.scores(weights), pool)


@contextmanager
def _counting(sentence: int) -> Iterator[None]:
    """Add the number of the sentence to the error that it is too long."""
    try:
        yield
    except WrongSentence as error:
        error.sentence = sentence
        raise


def _ascends(bounds: NDArray[Any], end: int) -> bool:
    return bool(len(bounds) and bounds[0] == 0 and bounds[-1] == end and (np.diff(bounds) >= 0).all())


def _bounds(counts: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(counts)))


def _keys(translations: KBestList) -> Iterable[int]:
    """Yield 64 bits for each translation that tell its text and features from those of others."""
    indptr, features, values = translations.indptr.tolist(), translations.features, translations.values
    for text, begin, end in zip(translations.texts, indptr, indptr[1:], strict=False):
        digest = blake2b(features[begin:end].tobytes(), digest_size=8)
        digest.update(values[begin:end].tobytes())
        digest.update(text.encode("utf-8", "surrogatepass"))
        yield int.from_bytes(digest.digest(), "little")
