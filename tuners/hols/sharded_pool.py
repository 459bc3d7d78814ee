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
from numpy.typing import NDArray

from hopefear.decoder import Segment, Translator
from hopefear.metrics import Metric, Statistics
from hopefear.parallel import Call, DurableActor, Executor, Serial, Threads, WorkerDied

from ..contract import Scored, check_translated, skip_dead
from ..pool import Squares
from .pool_shard import ClimbPosition, IntervalChunk, Measured, Merged, PoolShard, Translated
from .sparse_line import Reduced, SparseLine


@dataclass(frozen=True, slots=True)
class Sharding:
    """How candidates are divided into shards; the result of a line search does not depend on it.

    Each shard has a process with models of its own. Each cut of lines is a message to every shard and back,
    and the coordinating process handles some thousands of messages a second: with 10,000 sentences, more
    shards save time in translation, but lose it again in messages.

    Parameters
    ----------
    chunk : int
        Sentences of a call.
    max_shards : int
        Number of shards, however many workers there are.
    block : int
        Approximate number of a line's boundaries that the coordinating process holds in memory.
    """

    chunk: int = 10
    max_shards: int = 50
    block: int = 20_000


class ShardedPool:
    """Candidates of segments that are divided among actors, at most one for each worker.

    Only sums are sent to the coordinating process. A shard whose worker died translates with the weights of
    all passes again, so that it has the same candidates. A segment on which workers die counts as one without
    a translation if the decoder has an `on_error`.

    Parameters
    ----------
    executor : Executor
    line : SparseLine
    segments : sequence of Segment
        With references.
    metric : Metric
    k : int
        Translations of a segment that a pass finds.
    sharding : Sharding, optional

    Attributes
    ----------
    sharding : Sharding
    metric : Metric
        `for_corpus`.
    near : bool
        Whether all shards are in this process.
    inside : float
        Processor time of this thread, in seconds, in which it waited for shards or did their work itself.
    """

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
        self.near = type(executor) in (Serial, Threads)
        self.inside = 0.0
        self._decoder, self._segments = line.decoder, segments
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
        """Return the number of shards."""
        return len(self._actors)

    def close(self) -> None:
        """Release the shards."""
        for actor in self._actors:
            actor.close()

    def translate(self, weights: Reduced, on_sentence: Callable[[], None]) -> tuple[Statistics, int]:
        """Translate all segments.

        Returns
        -------
        array of float64, shape (segments, metric.size)
            The statistics of each segment's 1-best translation.
        int
            Number of segments without a translation.

        Raises
        ------
        InputError
            No segment can be translated; or workers die of a segment, and the decoder has no `on_error`.
        """
        rows = np.zeros((len(self._segments), self.metric.size))
        skipped = 0
        for members, found in self._in_chunks("translate", weights):
            rows[members] = found.rows
            skipped += found.skipped
            for _ in members:
                on_sentence()
        check_translated(skipped, len(rows))
        return rows, skipped

    def merge(self) -> list[Merged]:
        """Add the translations of `translate` to the shards."""
        return self._each(Call("merge", changes=True))

    def score(self, weights: Reduced) -> Scored:
        """Return the metric's score of all segments' best translations."""
        rows = np.zeros((len(self._segments), self.metric.size))
        for members, found in self._in_chunks("score", weights):
            rows[members] = found.rows
        return Scored.of(rows, self.metric)

    def pool_score(self, weights: Reduced) -> float:
        """Return the metric's score of the best candidates."""
        return self.metric.score(np.sum(self._each(Call("best", weights)), axis=0))

    def deviations(self, *weights: Reduced) -> NDArray[np.float64]:
        """Return the standard deviations of scores by weights within segments."""
        return Squares.merged(self._each(Call("squares", *weights))).deviations()

    def measure(
        self, names: Sequence[str], weights: Reduced
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the standard deviations of features, and last of the scores, and their greatest values."""
        measured: list[Measured] = self._each(Call("measure", names, weights))
        deviations = Squares.merged([own.squares for own in measured]).deviations()
        return deviations, np.max([own.largest for own in measured], axis=0)

    def load(self, names: Sequence[str], weights: Reduced, units: NDArray[np.float64]) -> None:
        """Prepare cuts."""
        self._each(Call("load", names, weights, units, changes=True, replaces=_CUTTING))

    def cut(
        self, position: ClimbPosition, directions: NDArray[np.float64], most: int
    ) -> list[list[IntervalChunk]]:
        """Cut lines, and return the first intervals of each line in each shard."""
        call = Call("cut", position, directions, most, changes=True, replaces=_CUTTING[1:])
        return [list(own) for own in zip(*self._each(call), strict=True)]

    def intervals(self, number: int, most: int, after: float) -> list[IntervalChunk]:
        """Return, for each shard, the next intervals after a step along a line of the last cut."""
        return self._each(Call("intervals", number, most, after))

    def seconds(self) -> float:
        """Return the processor time of all shards since the last call."""
        return float(sum(self._each(Call("seconds"))))

    def _each(self, call: Call) -> list[Any]:
        """Make a call to all shards."""
        results: dict[int, Any] = {}
        for number, _, result in self._results([[call]] * len(self)):
            results[number] = result
        return [results[number] for number in range(len(self))]

    def _in_chunks(self, method: str, weights: Reduced) -> Iterator[tuple[range, Translated]]:
        """Translate all segments; yield the numbers of segments, and their translations."""
        size = self.sharding.chunk
        calls = [
            [
                _SegmentCall(method, weights, begin, own[begin : begin + size], self._segments, self._decoder)
                for begin in range(0, len(own), size)
            ]
            for own in self._members
        ]
        for _, call, result in self._results(calls):
            yield call.members, result

    def _results(self, calls: Sequence[Iterable[Any]]) -> Iterator[tuple[int, Any, Any]]:
        """Make the calls to each shard, one after the other; yield number, call and result as they arrive.

        Raises
        ------
        InputError
            Workers die of a segment, and the decoder has no `on_error`.
        WorkerDied
            Workers die of something else.
        """
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
                    self.inside += time.thread_time() - clock
                    yield number, call, result
                    clock = time.thread_time()
                begin(number)
        self.inside += time.thread_time() - clock

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
    """A call of a method that works on some of a shard's segments.

    Parameters
    ----------
    begin : int
        The number of the first of these segments in the shard.
    members : range
        The numbers of these segments among all.
    segments : sequence of Segment
        All segments.
    decoder : Translator
        Whose `on_error` takes the segments on which workers die.
    """

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
        """Return the call that skips the segment, if the decoder has an `on_error`.

        Raises
        ------
        InputError
            The decoder has no `on_error`; the error names the segment.
        WorkerDied
            The segment was already skipped.
        """
        if self.method == "skip":
            raise died
        skip_dead(self._decoder, self._segments[self.members[0]], died)
        return self._of_one("skip", 0)

    def _of_one(self, method: str, i: int) -> _SegmentCall:
        weights, begin, _ = self.arguments
        members = self.members[i : i + 1]
        return _SegmentCall(method, weights, begin + i, members, self._segments, self._decoder)
