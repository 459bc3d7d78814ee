"""The candidates of a line search, in shards that stay where they were made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import Any

import numpy as np

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import Segment, Translator, Weights
from hopefear.metrics import Metric
from hopefear.parallel import Call, DurableActor, Executor, Serial, Threads, WorkerDied

from ..contract import Scored, check_translated, skip_dead
from ..pool import Gathered, Intervals, Squares
from .pool_shard import MeasuredShard, Merged, PoolShard
from .sharded_lines import ClimbPosition, ShardedLines
from .sparse_line import Reduced, SparseLine


@dataclass(frozen=True, slots=True)
class Sharding:
    """How candidates are divided into shards; the result of a line search does not depend on it."""

    chunk: int = 10
    max_shards: int = 50  # each cut of lines is a message to every shard, some thousands a second at most
    block: int = 20_000


class ShardedPool:
    """Candidates of segments that are divided among actors, at most one for each worker: see `Pool`."""

    def __init__(
        self,
        executor: Executor,
        line: SparseLine,
        segments: Sequence[Segment],
        metric: Metric,
        k: int,
        sharding: Sharding | None = None,
    ) -> None:
        self.sharding = sharding or Sharding()
        self.metric = metric.for_corpus([segment.references for segment in segments])
        self.weights = Weights(line.begin)
        self.active = np.arange(len(self.weights))
        self.near = type(executor) in (Serial, Threads)
        self._line, self._segments = line, segments
        self._candidates = 0
        self._seconds = 0.0  # of the shards
        self._inside = 0.0  # in which this thread waited for shards or did their work itself
        self._replies: SimpleQueue[int] = SimpleQueue()
        executor.publish(line.decoder.weights)
        count = min(executor.workers, len(segments), self.sharding.max_shards)
        make = partial(PoolShard, line, self.metric, k)  # the same for all shards: sent to each node once
        # The numbers of each shard's segments.
        self._members = [range(number, len(segments), count) for number in range(count)]
        self._actors = [
            DurableActor(
                executor,
                make,
                name="a line search",
                log=self._assignments(own),
                on_reply=partial(self._replies.put, number),
            )
            for number, own in enumerate(self._members)
        ]

    def __len__(self) -> int:
        """Return the number of candidates."""
        return self._candidates

    def close(self) -> None:
        """Release the shards."""
        for actor in self._actors:
            actor.close()

    def gather(self, weights: Reduced, on_sentence: Callable[[], None]) -> Gathered:
        """Translate all segments, and merge their k-best lists into the shards."""
        rows = np.zeros((len(self._segments), self.metric.size))
        skipped = 0
        for members, found in self._in_chunks("translate", weights):
            rows[members] = found.rows
            skipped += found.skipped
            for _ in members:
                on_sentence()
        check_translated(skipped, len(rows))
        merged: list[Merged] = self._each(Call("merge", changes=True))
        self._candidates = sum(own.candidates for own in merged)
        seen = self._line.with_seen(dict(self.weights), (name for own in merged for name in own.names))
        self.weights.update(seen)
        self.active = self.weights.intern_all(list(seen)).astype(np.int64)
        return Gathered(rows, skipped, sum(own.new for own in merged))

    def score(self, weights: Floats) -> Scored:
        """Return the metric's score of all segments' best translations."""
        rows = np.zeros((len(self._segments), self.metric.size))
        for members, found in self._in_chunks("score", self.named(weights)):
            rows[members] = found.rows
        return Scored.of(rows, self.metric)

    def check(self) -> None:
        """Raise TuningError where a feature value is not finite."""
        self._each(Call("check"))

    def corpus_score(self, weights: Floats) -> float:
        """Return the metric's score of the best candidates."""
        return self.metric.score(np.sum(self._each(Call("best", self.named(weights))), axis=0))

    def measure(self, features: Ints, weights: Floats) -> tuple[Floats, Floats]:
        """Measure how much features and scores vary within segments: see `Pool.measure`."""
        measured: list[MeasuredShard] = self._each(
            Call("measure", self._names(features), self.named(weights))
        )
        deviations = Squares.merged([own.squares for own in measured]).deviations()
        return deviations, np.max([own.largest for own in measured], axis=0)

    def lines(self, features: Ints, weights: Floats, units: Floats) -> ShardedLines:
        """Return the lines through the space of the features' weights, which are ``z * units``."""
        arguments = self._names(features), self.named(weights), units
        self._each(Call("load", *arguments, changes=True, replaces=_CUTTING))
        return ShardedLines(self._cut, self._intervals, near=self.near)

    def _cut(self, position: ClimbPosition, directions: Floats) -> list[list[Intervals]]:
        """Cut lines, and return the first intervals of each line in each shard."""
        call = Call("cut", position, directions, self._most, changes=True, replaces=_CUTTING[1:])
        return [list(own) for own in zip(*self._each(call), strict=True)]

    def _intervals(self, number: int, after: float) -> list[Intervals]:
        """Return, for each shard, the next intervals after a step along a line of the last cut."""
        return self._each(Call("intervals", number, after, self._most))

    def seconds(self) -> float:
        """Return the processor time so far, of all shards and of the rest of this thread."""
        self._seconds += sum(self._each(Call("seconds")))
        return self._seconds + time.thread_time() - self._inside

    def named(self, weights: Floats) -> dict[str, float]:
        """Return weights by name, those of 0 too."""
        return {self.weights.name(feature): weight for feature, weight in enumerate(weights.tolist())}

    def _names(self, features: Ints) -> list[str]:
        return [self.weights.name(feature) for feature in features.tolist()]

    @property
    def _most(self) -> int:
        """The number of a line's boundaries that a shard sends at once."""
        return max(self.sharding.block // len(self._actors), 1)

    def _each(self, call: Call) -> list[Any]:
        """Make a call to all shards."""
        results: dict[int, Any] = {}
        for number, _, result in self._results([[call]] * len(self._actors)):
            results[number] = result
        return [results[number] for number in range(len(self._actors))]

    def _in_chunks(self, method: str, weights: Reduced) -> Iterator[tuple[range, Gathered]]:
        """Translate all segments; yield the numbers of segments, and their translations."""
        size, decoder = self.sharding.chunk, self._line.decoder
        calls = [
            [
                _SegmentCall(method, weights, begin, own[begin : begin + size], self._segments, decoder)
                for begin in range(0, len(own), size)
            ]
            for own in self._members
        ]
        for _, call, result in self._results(calls):
            yield call.members, result

    def _results(self, calls: Sequence[Iterable[Any]]) -> Iterator[tuple[int, Any, Any]]:
        """Make the calls to each shard, one after the other; yield number, call and result as they arrive."""
        clock = time.thread_time()
        left = [iter(own) for own in calls]
        running: set[int] = set()

        def begin(number: int) -> None:
            running.discard(number)
            for call in islice(left[number], 1):
                running.add(number)
                self._actors[number].begin(call)

        for number in range(len(left)):
            begin(number)
        while running:
            number = self._replies.get()
            if number in running and self._actors[number].is_ready():
                for call, result in self._actors[number].take():
                    self._inside += time.thread_time() - clock
                    yield number, call, result
                    clock = time.thread_time()
                begin(number)
        self._inside += time.thread_time() - clock

    def _assignments(self, members: range) -> list[Call]:
        """Return the first calls to a shard, which assign its segments, a few at a time."""
        size = self.sharding.chunk
        return [
            Call("take", begin, [self._segments[i] for i in members[begin : begin + size]], changes=True)
            for begin in range(0, len(members), size)
        ]


_CUTTING = ("load", "cut")
"""Methods that prepare cuts and make them; translations make their calls needless."""


class _SegmentCall(Call):
    """A call of a method that works on some of a shard's segments."""

    def __init__(
        self,
        method: str,
        weights: Reduced,
        begin: int,
        members: range,
        segments: Sequence[Segment],
        decoder: Translator,
    ) -> None:
        changes = method == "translate"
        end, replaces = begin + len(members), _CUTTING if changes else ()
        super().__init__(method, weights, begin, end, changes=changes, replaces=replaces)
        self.size, self.members = len(members), members
        self._segments, self._decoder = segments, decoder

    def parts(self) -> Sequence[_SegmentCall]:
        """Return calls with one segment each."""
        return [self._of_one(self.method, i) for i in range(self.size)]

    def without_item(self, died: WorkerDied) -> _SegmentCall:
        """Return the call that skips the segment, if the decoder has an `on_error`."""
        if self.method == "skip":
            raise died
        skip_dead(self._decoder, self._segments[self.members[0]], died)
        return self._of_one("skip", 0)

    def _of_one(self, method: str, i: int) -> _SegmentCall:
        weights, begin, _ = self.arguments
        members = self.members[i : i + 1]
        return _SegmentCall(method, weights, begin + i, members, self._segments, self._decoder)
