"""A shard of the candidates of a line search, in the worker that made them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hopefear.decoder import KBestList, Segment
from hopefear.metrics import Metric, Statistics

from ..contract import BestStatistics, measuring
from ..pool import Candidates, Intervals, Lines, Squares, check_scores, feature_columns, k_best
from .sparse_line import Reduced, SparseLine


@dataclass(frozen=True, slots=True)
class Translated:
    """The translations of some segments.

    Attributes
    ----------
    rows : array of float64, shape (n, metric.size)
        The statistics of the 1-best translations.
    skipped : int
        Number of segments without a translation.
    """

    rows: Statistics
    skipped: int


@dataclass(frozen=True, slots=True)
class Merged:
    """The candidates of a shard after a pass.

    Attributes
    ----------
    new, candidates : int
        Numbers of new candidates and of all candidates.
    names : list of str
        Reduced features that fire in some candidate.
    """

    new: int
    candidates: int
    names: list[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """How much features, and last the scores, vary between candidates.

    Attributes
    ----------
    squares : Squares
    largest : array of float64
        The greatest absolute values.
    """

    squares: Squares
    largest: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClimbPosition:
    """A position on an error surface, and the steps to it, which are the same in all shards.

    Attributes
    ----------
    climb : int
        The number of the climb.
    begin : array of float64, shape (m,)
    moves : sequence of (array of float64, float)
        Directions and steps.
    """

    climb: int
    begin: NDArray[np.float64]
    moves: Sequence[tuple[NDArray[np.float64], float]]


@dataclass(frozen=True, slots=True)
class IntervalChunk:
    """Some consecutive intervals of a line, from its `Intervals`.

    Attributes
    ----------
    boundaries : array of float64, shape (b,)
    sums : array of float64, shape (b + 1, size)
        Before the first boundary, between each two, and after the last.
    more : bool
        Whether there are boundaries after the last.
    """

    boundaries: NDArray[np.float64]
    sums: Statistics
    more: bool


class PoolShard:
    """Translates some of the segments, keeps their candidates, and cuts lines through them.

    Parameters
    ----------
    line : SparseLine
        Its decoder translates.
    metric : Metric
        `for_corpus`, of all segments.
    k : int
        Translations of a segment that a pass finds.
    """

    def __init__(self, line: SparseLine, metric: Metric, k: int) -> None:
        self._line, self._metric, self._k = line, metric, k
        self._segments: list[Segment] = []
        self._found: list[tuple[int, KBestList]] = []
        self._lines: Lines | None = None
        self._position: ClimbPosition | None = None
        self._cuts: list[Intervals] = []
        self._seconds = 0.0

    def take(self, begin: int, segments: Sequence[Segment]) -> None:
        """Take segments with references, from number `begin`; called before all other methods."""
        self._segments[begin:] = segments

    @cached_property
    def _pool(self) -> Candidates:
        return Candidates.of_corpus(self._segments, self._metric, self._line.decoder.weights)

    def translate(self, weights: Reduced, begin: int, end: int) -> Translated:
        """Translate the segments from `begin` to `end`; their k-best lists wait for `merge`.

        Raises
        ------
        TuningError
            No derivation of a segment has a finite score.
        """
        with self._clock(), measuring(*self._segments):
            self._line.install(weights)
            rows, skipped = list[Statistics](), 0
            for number in range(begin, end):
                found = k_best(self._line.decoder, self._segments[number], self._k)
                rows.append(self._pool.stats(number, "" if found is None else found.texts[0]))
                if found is None:
                    skipped += 1
                else:
                    self._found.append((number, self._line.reduce(found)))
            return Translated(np.array(rows), skipped)

    def merge(self) -> Merged:
        """Add the translations to the pool."""
        with self._clock(), measuring(*self._segments):
            found, self._found = self._found, []
            new = self._pool.merge(found)
            names = [self._pool.weights.name(feature) for feature in self._pool.active.tolist()]
            return Merged(new, len(self._pool), names)

    def score(self, weights: Reduced, begin: int, end: int) -> Translated:
        """Translate the segments from `begin` to `end`, without candidates."""
        self._line.install(weights)
        task = BestStatistics(self._line.decoder, self._pool.metric)
        return Translated(np.array([task(segment) for segment in self._segments[begin:end]]), 0)

    def skip(self, weights: Reduced, begin: int, end: int) -> Translated:
        """Return what `translate` and `score` return if the segments have no translation."""
        with measuring(*self._segments):
            rows = [self._pool.stats(number, "") for number in range(begin, end)]
        return Translated(np.array(rows), end - begin)

    def best(self, weights: Reduced) -> Statistics:
        """Return the statistics of the pool's best candidates."""
        with self._clock():
            best = self._pool.best(self._pool.scores(self._line.array(weights)))
            total: Statistics = self._pool.statistics[best].sum(axis=0)
            return total

    def measure(self, names: Sequence[str], weights: Reduced) -> Measured:
        """Measure how much features and scores vary.

        Raises
        ------
        TuningError
            A feature value or a score is not finite.
        """
        with self._clock():
            if len(self._pool):
                self._pool.check()
            scores = self._pool.scores(self._line.array(weights))
            check_scores(scores)
            values = np.vstack((feature_columns(self._pool, self._numbers(names)), scores))
            return Measured(Squares.of(self._pool, values), np.abs(values).max(axis=1, initial=0.0))

    def squares(self, *weights: Reduced) -> Squares:
        """Measure how much the scores by weights vary."""
        with self._clock():
            scores = [self._pool.scores(self._line.array(own)) for own in weights]
            return Squares.of(self._pool, np.stack(scores))

    def load(self, names: Sequence[str], weights: Reduced, units: NDArray[np.float64]) -> None:
        """Prepare cuts through the space of some features' weights, in units: see `Lines`."""
        with self._clock():
            self._lines = Lines(self._pool, self._line.array(weights), self._numbers(names), units)
            self._position = None

    def cut(self, position: ClimbPosition, directions: NDArray[np.float64], most: int) -> list[IntervalChunk]:
        """Cut lines from a position, and return the first intervals of each.

        Parameters
        ----------
        directions : array of float64, shape (lines, m)
        most : int
            Number of boundaries to return of each line.

        Raises
        ------
        TuningError
            The score of a candidate is not finite.
        """
        with self._clock():
            lines = self._go_to(position)
            self._cuts = [lines.cut(direction) for direction in directions]
            return [self.intervals(number, most, -np.inf) for number in range(len(directions))]

    def intervals(self, number: int, most: int, after: float) -> IntervalChunk:
        """Return the next intervals after a step along a line of the last cut."""
        cut = self._cuts[number]
        begin = int(np.searchsorted(cut.boundaries, after, side="right"))
        end = min(begin + most, len(cut.boundaries))
        return IntervalChunk(cut.boundaries[begin:end], cut.sums[begin : end + 1], end < len(cut.boundaries))

    def seconds(self) -> float:
        """Return the processor time since the last call, without that of `score`."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def _numbers(self, names: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self._pool.weights.id(name) for name in names], np.int64)

    def _go_to(self, position: ClimbPosition) -> Lines:
        lines, before = self._lines, self._position
        assert lines is not None
        if before is None or before.climb != position.climb:
            lines.go_to(position.begin)
            before = ClimbPosition(position.climb, position.begin, ())
        for direction, step in position.moves[len(before.moves) :]:
            lines.move(direction, step)
        self._position = position
        return lines

    @contextmanager
    def _clock(self) -> Iterator[None]:
        before = time.thread_time()
        try:
            yield
        finally:
            self._seconds += time.thread_time() - before
