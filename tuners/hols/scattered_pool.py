"""The candidates of a line search in parts, each where it was made."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from hopefear.base import InputError
from hopefear.decoder import Segment
from hopefear.metrics import Metric, Statistics
from hopefear.parallel import Actor, Executor, Serial, Threads, WorkerDied
from hopefear.parallel.executor import died_of

from ..contract import Scored
from ..pool import Squares
from .pool_part import Measured, Merged, Place, PoolPart, Stretch
from .sparse_line import Reduced, SparseLine

Call = tuple[Any, ...]
"""The name of a method of `PoolPart`, and its arguments."""

ATTEMPTS = 2
"""Workers that may die of one call."""


@dataclass(frozen=True, slots=True)
class Scattering:
    """How candidates are dealt to parts; what a line search finds does not depend on it.

    Each part has a process with models of its own, and each line that is cut is a message to every part and
    back, of which this process handles some thousands a second: with 10,000 sentences, what more parts save
    in translating they cost in messages.

    Parameters
    ----------
    chunk : int
        Sentences of a call.
    revivals : int
        Workers in a row that may die while a part is brought back, which accuses no call: theirs had not
        begun.
    most_parts : int
        Parts, however many workers there are.
    block : int
        Boundaries of a line that are in the memory of this process at the same time, about.
    """

    chunk: int = 10
    revivals: int = 5
    most_parts: int = 50
    block: int = 20_000


@dataclass(slots=True)
class _Part:
    actor: Actor
    segments: range
    """Their numbers among all."""
    translated: int = 0
    """Of them, in the pass under way."""
    revival: list[Future[Any]] = field(default_factory=list)
    """What brings it back to where it was, as long as nobody has looked what became of it."""
    fallen: int = 0
    """How often in a row a worker died of that."""

    def is_back(self) -> bool:
        """Wait until it is where it was, or a worker has died on the way there."""
        revival, self.revival = self.revival, []
        try:
            for future in revival:
                future.result()
        except WorkerDied:
            self.fallen += 1
            return False
        self.fallen = 0
        return True

    def __len__(self) -> int:
        return len(self.segments)


class ScatteredPool:
    """Candidates of segments that are dealt to actors, one for each worker at most; only sums come back.

    A part whose worker died is made anew, and translates with the weights of all passes so far again, so that
    it has the same candidates. What it was at is then done again sentence by sentence, so that one that
    workers die of is known.

    Parameters
    ----------
    executor : Executor
    line : SparseLine
    segments : sequence of Segment
        With references.
    metric : Metric
    k : int
        Translations of a segment that a pass finds.
    scattering : Scattering, optional

    Attributes
    ----------
    scattering : Scattering
    metric : Metric
        `for_corpus`.
    near : bool
        Whether all parts are in this process.
    inside : float
        Seconds of processor time of this thread in which it waited, or did a part's work itself.
    """

    def __init__(
        self,
        executor: Executor,
        line: SparseLine,
        segments: Sequence[Segment],
        metric: Metric,
        k: int,
        scattering: Scattering | None = None,
    ) -> None:
        self.scattering = scattering or Scattering()
        self.metric = metric.for_corpus([segment.references for segment in segments])
        self.near = type(executor) in (Serial, Threads)
        self.inside = 0.0
        self._segments = segments
        self._passes: list[Reduced] = []
        self._current: Reduced = {}
        self._prepared: list[Call] = []  # for cuts
        executor.publish(line.decoder.weights)
        count = min(executor.workers, len(segments), self.scattering.most_parts)
        make = partial(PoolPart, line, self.metric, k)  # the same for all parts: it goes to each node once
        dealt = [range(number, len(segments), count) for number in range(count)]
        self._parts = [_Part(executor.actor(make), own) for own in dealt]
        for _ in self._results([self._beginning(part) for part in self._parts]):
            pass

    def __len__(self) -> int:
        """Count the parts."""
        return len(self._parts)

    def close(self) -> None:
        """Let go of the parts."""
        for part in self._parts:
            part.actor.close()

    def translate(self, weights: Reduced, on_sentence: Callable[[], None]) -> tuple[Statistics, int]:
        """Translate all segments; give each 1-best translation's statistics, and how many have none.

        Raises
        ------
        InputError
            Nothing can be translated; or workers die of a segment.
        """
        self._current, self._prepared = weights, []
        rows = np.zeros((len(self._segments), self.metric.size))
        skipped = 0
        for number, (begin, end), found in self._in_chunks("translate", weights):
            self._parts[number].translated = end
            rows[self._parts[number].segments[begin:end]] = found.rows
            skipped += found.skipped
            for _ in range(begin, end):
                on_sentence()
        if skipped == len(rows):
            raise InputError("no derivation covers any segment: is the grammar that of the source language?")
        return rows, skipped

    def merge(self) -> list[Merged]:
        """Take what was found into the parts."""
        merged: list[Merged] = self._each("merge")
        self._passes.append(self._current)
        for part in self._parts:
            part.translated = 0
        return merged

    def score(self, weights: Reduced) -> Scored:
        """Give the metric's score of all segments' best translations."""
        rows = np.zeros((len(self._segments), self.metric.size))
        for number, (begin, end), found in self._in_chunks("score", weights):
            rows[self._parts[number].segments[begin:end]] = found
        return Scored.of(rows, self.metric)

    def pool_score(self, weights: Reduced) -> float:
        """Give the metric's score of the best candidates."""
        return self.metric.score(np.sum(self._each("best", weights), axis=0))

    def deviations(self, *weights: Reduced) -> NDArray[np.float64]:
        """Give the standard deviations of scores by weights within segments."""
        return Squares.merged(self._each("squares", *weights)).deviations()

    def measure(
        self, names: Sequence[str], weights: Reduced
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the standard deviations of features, and last of the scores, and their greatest values."""
        measured: list[Measured] = self._each("measure", names, weights)
        deviations = Squares.merged([own.squares for own in measured]).deviations()
        return deviations, np.max([own.largest for own in measured], axis=0)

    def load(self, names: Sequence[str], weights: Reduced, units: NDArray[np.float64]) -> None:
        """Make ready for cuts."""
        self._each("load", names, weights, units)
        self._prepared = [("load", names, weights, units)]

    def cut(self, place: Place, directions: NDArray[np.float64], most: int) -> list[list[Stretch]]:
        """Cut lines, and give the first stretch of each in each part."""
        cuts: list[list[Stretch]] = self._each("cut", place, directions, most)
        self._prepared = [self._prepared[0], ("cut", place, directions, most)]
        return [list(own) for own in zip(*cuts, strict=True)]

    def stretch(self, number: int, most: int, after: float) -> list[Stretch]:
        """Give what is behind a step along a line that was cut last, in each part."""
        found: list[Stretch] = self._each("stretch", number, most, after)
        return found

    def seconds(self) -> float:
        """Give the processor time of all parts since the last time."""
        return float(sum(self._each("seconds")))

    def _each(self, *call: Any) -> list[Any]:
        """Call a method of all parts."""
        results: dict[int, Any] = {}
        for number, _, result in self._results([[call]] * len(self)):
            results[number] = result
        return [results[number] for number in range(len(self))]

    def _in_chunks(self, method: str, weights: Reduced) -> Iterator[tuple[int, tuple[int, int], Any]]:
        """Go through all segments; gives numbers of parts, their segments' range, and results."""
        calls = [_chunks(method, weights, len(part), self.scattering.chunk) for part in self._parts]
        for number, (*_, begin, end), result in self._results(calls):
            yield number, (begin, end), result

    def _results(self, calls: Sequence[Iterable[Call]]) -> Iterator[tuple[int, Call, Any]]:
        """Make calls of each part, one after the other; gives what comes as it comes.

        Raises
        ------
        InputError
            Workers die of a segment.
        WorkerDied
            They die of something else.
        """
        clock = time.thread_time()
        left: list[Iterator[tuple[Call, int]]] = [((call, 0) for call in own) for own in calls]
        waiting: dict[Future[Any], tuple[int, Call, int]] = {}

        def begin(number: int) -> None:
            for call, deaths in islice(left[number], 1):
                waiting[self._parts[number].actor.call(*call)] = number, call, deaths

        for number in range(len(left)):
            begin(number)
        while waiting:
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                number, call, deaths = waiting.pop(future)
                part = self._parts[number]
                back = part.is_back()
                try:
                    result = future.result()
                except WorkerDied as error:
                    if part.fallen == self.scattering.revivals or (back and deaths + 1 == ATTEMPTS):
                        self._give_up(part, call, error)
                    self._revive(part)
                    again = [(call, deaths)]
                    if back:
                        again = [(each, deaths + 1) for each in _sentence_by_sentence(call)]
                    left[number] = chain(again, left[number])
                else:
                    self.inside += time.thread_time() - clock
                    yield number, call, result
                    clock = time.thread_time()
                begin(number)
        self.inside += time.thread_time() - clock

    def _give_up(self, part: _Part, call: Call, error: WorkerDied) -> NoReturn:
        """Raise what says what workers died of."""
        if part.fallen:
            raise WorkerDied(
                f"a line search: a worker that died could not be restarted, {part.fallen} times: {error}"
            ) from None
        if call[0] in _OF_SENTENCES:
            error.times = ATTEMPTS
            died_of(self._segments[part.segments[call[-2]]], error)
        raise WorkerDied(f"a line search: workers die in {call[0]}: {error}") from None

    def _revive(self, part: _Part) -> None:
        """Make a part anew, as it was."""
        part.actor.restart()
        part.revival = [part.actor.call(*call) for call in self._way_back(part)]

    def _way_back(self, part: _Part) -> Iterator[Call]:
        """Give what a new part is sent until it is as the old one was."""
        yield from self._beginning(part)
        for weights in self._passes:
            yield "translate", weights, 0, len(part)
            yield ("merge",)
        if part.translated:
            yield "translate", self._current, 0, part.translated
        yield from self._prepared

    def _beginning(self, part: _Part) -> Iterator[Call]:
        """Give what a part is sent first: its segments, not all at a time."""
        size = self.scattering.chunk
        for begin in range(0, len(part), size):
            yield "take", begin, [self._segments[i] for i in part.segments[begin : begin + size]]


_OF_SENTENCES = ("translate", "score")
"""Methods whose last arguments are the range of the segments that they are about."""


def _sentence_by_sentence(call: Call) -> list[Call]:
    """Give calls of one segment each, where a call is about some."""
    *others, begin, end = call if call[0] in _OF_SENTENCES else (*call, 0, 0)
    return [(*others, i, i + 1) for i in range(begin, end)] or [call]


def _chunks(method: str, weights: Reduced, sentences: int, size: int) -> Iterator[Call]:
    for begin in range(0, sentences, size):
        yield method, weights, begin, min(begin + size, sentences)
