"""A shard of the candidates of a line search, in the worker that made them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import KBestList, Segment
from hopefear.metrics import Metric, Statistics

from ..contract import BestStatistics, measuring
from ..pool import Candidates, Gathered, Intervals, PoolLines, Squares, k_best
from .sharded_lines import ClimbPosition
from .sparse_line import Reduced, SparseLine


@dataclass(frozen=True, slots=True)
class Merged:
    """The candidates of a shard after a pass."""

    new: int
    candidates: int
    names: list[str]


@dataclass(frozen=True, slots=True)
class MeasuredShard:
    """How much features, and last the scores, vary between candidates."""

    squares: Squares
    largest: Floats


class PoolShard:
    """Translates some of the segments, keeps their candidates, and cuts lines through them."""

    def __init__(self, line: SparseLine, metric: Metric, k: int) -> None:
        self._line, self._metric, self._k = line, metric, k
        self._segments: list[Segment] = []
        self._found: list[tuple[int, KBestList]] = []
        self._lines: PoolLines | None = None
        self._position: ClimbPosition | None = None
        self._cuts: list[Intervals] = []
        self._seconds = 0.0

    def take(self, begin: int, segments: Sequence[Segment]) -> None:
        """Take segments with references, from number `begin`; called before all other methods."""
        self._segments[begin:] = segments

    @cached_property
    def _pool(self) -> Candidates:
        return Candidates.of_corpus(self._segments, self._metric, self._line.decoder.weights)

    def translate(self, weights: Reduced, begin: int, end: int) -> Gathered:
        """Translate the segments from `begin` to `end`; their k-best lists wait for `merge`."""
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
            return Gathered(np.array(rows), skipped)

    def merge(self) -> Merged:
        """Add the translations to the pool."""
        with self._clock(), measuring(*self._segments):
            found, self._found = self._found, []
            new = self._pool.merge(found)
            names = [self._pool.weights.name(feature) for feature in self._pool.active.tolist()]
            return Merged(new, len(self._pool), names)

    def score(self, weights: Reduced, begin: int, end: int) -> Gathered:
        """Translate the segments from `begin` to `end`, without candidates."""
        self._line.install(weights)
        task = BestStatistics(self._line.decoder, self._pool.metric)
        return Gathered(np.array([task(segment) for segment in self._segments[begin:end]]), 0)

    def skip(self, weights: Reduced, begin: int, end: int) -> Gathered:
        """Return what `translate` and `score` return if the segments have no translation."""
        with measuring(*self._segments):
            rows = [self._pool.stats(number, "") for number in range(begin, end)]
        return Gathered(np.array(rows), end - begin)

    def best(self, weights: Reduced) -> Statistics:
        """Return the statistics of the pool's best candidates."""
        with self._clock():
            total: Statistics = self._pool.best_statistics(self._line.array(weights)).sum(axis=0)
            return total

    def check(self) -> None:
        """Raise TuningError where a feature value is not finite."""
        with self._clock():
            if len(self._pool):
                self._pool.check()

    def measure(self, names: Sequence[str], weights: Reduced) -> MeasuredShard:
        """Measure how much features and scores vary."""
        with self._clock():
            values = self._pool.columns_and_scores(self._numbers(names), self._line.array(weights))
            return MeasuredShard(
                Squares.of(values, self._pool.counts), np.abs(values).max(axis=1, initial=0.0)
            )

    def load(self, names: Sequence[str], weights: Reduced, units: Floats) -> None:
        """Prepare cuts through the space of some features' weights, in units: see `Pool.lines`."""
        with self._clock():
            self._lines = self._pool.lines(self._numbers(names), self._line.array(weights), units)
            self._position = None

    def cut(self, position: ClimbPosition, directions: Floats, most: int) -> list[Intervals]:
        """Cut lines from a position, and return the first intervals of each."""
        with self._clock():
            lines = self._go_to(position)
            self._cuts = [lines.cut(direction)[0] for direction in directions]
            return [cut.part(-np.inf, most) for cut in self._cuts]

    def intervals(self, number: int, after: float, most: int) -> Intervals:
        """Return the next intervals after a step along a line of the last cut."""
        return self._cuts[number].part(after, most)

    def seconds(self) -> float:
        """Return the processor time since the last call, without that of `score`."""
        seconds, self._seconds = self._seconds, 0.0
        return seconds

    def _numbers(self, names: Sequence[str]) -> Ints:
        return np.array([self._pool.weights.id(name) for name in names], np.int64)

    def _go_to(self, position: ClimbPosition) -> PoolLines:
        lines, before = self._lines, self._position
        assert lines is not None
        if before is None or before.climb != position.climb:
            lines.go_to(position.begin)
            before = ClimbPosition(position.climb, position.begin)
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
