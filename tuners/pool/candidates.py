"""What batch tuners learn from: all k-best translations found so far, with features and metric statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopefear.base import InputError
from hopefear.base.texts import expect_several
from hopefear.decoder import KBestList, Segment, Weights
from hopefear.metrics import Metric, Statistics, WrongSentence

from ..contract import TuningError, measuring


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
            source_lengths = [sum(len(r.split()) for r in own) / len(own) for own in references]
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
    def counts(self) -> NDArray[np.int64]:
        """Candidates of each segment, shape (segments,)."""
        return np.diff(self.offsets)

    @cached_property
    def segment_of(self) -> NDArray[np.int64]:
        """The segment of each candidate, shape (n,)."""
        return np.repeat(np.arange(self.segments), self.counts)

    @cached_property
    def matrix(self) -> Any:
        """H as scipy's CSR matrix, shape (n, features); it shares the memory of `values` and `features`."""
        columns = int(self.features.max(initial=-1)) + 1
        return sparse.csr_matrix((self.values, self.features, self.indptr), shape=(len(self), columns))

    @cached_property
    def active(self) -> NDArray[np.int64]:
        """The features that fire in some candidate, ascending, shape (m,)."""
        fires = np.zeros(self.matrix.shape[1], bool)
        fires[self.features] = True
        return np.flatnonzero(fires)

    def dense(self) -> NDArray[np.float64]:
        """Give H of the `active` features, shape (n, m): for few features only."""
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
        """Give the statistics of any translation of a segment, shape (metric.size,)."""
        with _counting(segment):
            return self._references[segment].stats(text)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give h·w of all candidates, shape (n,), for weights by feature number."""
        columns = self.matrix.shape[1]
        if len(weights) < columns:
            weights = np.pad(weights, (0, columns - len(weights)))
        product: NDArray[np.float64] = self.matrix @ weights[:columns]
        return product

    def best(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Give the row of the highest score of each segment that has candidates; of equal ones the first.

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

    def best_statistics(self, weights: NDArray[np.float64]) -> Statistics:
        """Give the statistics of the best candidates by weights, one of each segment that has candidates."""
        return self.statistics[self.best(self.scores(weights))]

    def corpus_score(self, weights: NDArray[np.float64]) -> float:
        """Give the metric's score of the best candidates by weights; segments without any count nothing."""
        return self.score_of(self.best(self.scores(weights)))

    def score_of(self, rows: NDArray[np.int64]) -> float:
        """Give the metric's score of candidates, one of each segment or none: see `best`."""
        return self.metric.score(self.statistics[rows].sum(axis=0))

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

    def get_arrays(self) -> dict[str, NDArray[Any]]:
        """Give what `set_arrays` restores."""
        return {name: getattr(self, attribute) for name, attribute in _SAVED.items()}

    def set_arrays(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to saved candidates of the same segments, metric and feature numbers.

        Raises
        ------
        InputError
            They are of other segments or of another metric, or contradict each other.
        """
        offsets, statistics = arrays["pool_offsets"], arrays["pool_statistics"]
        if offsets.shape != self.offsets.shape or statistics.shape[1:] != (self.metric.size,):
            raise InputError(
                f"expected candidates of {self.segments} segments and {self.metric.size} statistics, as in "
                f"the corpus and the metric, got {len(offsets) - 1} and {statistics.shape[-1]}"
            )
        indptr, features = arrays["pool_indptr"], arrays["pool_features"]
        count, entries = int(offsets[-1]), len(features)
        if (
            not (_ascends(offsets, count) and _ascends(indptr, entries))
            or {len(indptr) - 1, len(statistics), len(arrays["pool_keys"])} != {count}
            or len(arrays["pool_values"]) != entries
            or (entries and not 0 <= features.min() <= features.max() < len(self.weights))
        ):
            raise InputError("expected the candidates of a pool, got arrays that contradict each other")
        self._set_arrays(*(arrays[name] for name in _SAVED))

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
        indptr = np.concatenate(([0], np.cumsum(entries)))
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        self._set_arrays(offsets, indptr, features, values, statistics, keys)

    def _set_arrays(
        self,
        offsets: NDArray[np.int64],
        indptr: NDArray[np.int64],
        features: NDArray[np.int32],
        values: NDArray[np.float64],
        statistics: Statistics,
        keys: NDArray[np.uint64],
    ) -> None:
        self.offsets, self.indptr, self.features, self.values = offsets, indptr, features, values
        self.statistics, self._keys = statistics, keys
        for derived in ("segment_of", "matrix", "active"):
            self.__dict__.pop(derived, None)


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


_SAVED = {
    "pool_offsets": "offsets",
    "pool_indptr": "indptr",
    "pool_features": "features",
    "pool_values": "values",
    "pool_statistics": "statistics",
    "pool_keys": "_keys",
}


def _keys(translations: KBestList) -> Iterable[int]:
    """Give 64 bits for each translation that tell its text and features from those of others."""
    indptr, features, values = translations.indptr.tolist(), translations.features, translations.values
    for text, begin, end in zip(translations.texts, indptr, indptr[1:], strict=False):
        digest = blake2b(features[begin:end].tobytes(), digest_size=8)
        digest.update(values[begin:end].tobytes())
        digest.update(text.encode("utf-8", "surrogatepass"))
        yield int.from_bytes(digest.digest(), "little")
