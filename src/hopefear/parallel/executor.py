"""One interface to run tasks in this thread, in threads of this process, or in other processes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, Generic, TypeVar

from .faults import Recovery, WorkerDied
from .in_order import in_order
from .replicas import Published

Item = TypeVar("Item")
Result = TypeVar("Result")
OnDeath = Callable[[Item, WorkerDied], Result]


class Actor(ABC):
    """An object that stays in one worker and executes one call after the other."""

    @abstractmethod
    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Call a method of the object, after all earlier calls.

        The future raises the method's error, or `WorkerDied`; after that all calls do, until `restart`.
        """

    @abstractmethod
    def restart(self) -> None:
        """Make the object again in its initial state, after its worker has died."""

    @abstractmethod
    def close(self) -> None:
        """Release the object."""


class Executor(ABC):
    """Runs tasks on workers.

    A task is called with an item, maybe by several workers at the same time. If workers are other
    processes, tasks, items and results are pickled, a task once per worker: the worker makes a `Decoder` of
    the task from its configuration, with the weights that were published last.
    """

    workers: int
    recovery = Recovery()

    @abstractmethod
    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Begin a task; the future raises the task's error, or `WorkerDied`."""

    @abstractmethod
    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make an object with `make` in a worker of its own."""

    @abstractmethod
    def publish(self, weights: Published) -> None:
        """Publish the current weights to tasks that begin later; no task may be in progress."""

    @abstractmethod
    def close(self) -> None:
        """Release all workers; unfinished futures are cancelled, or raise `WorkerDied`."""

    def map(
        self,
        task: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        on_death: OnDeath[Item, Result] | None = None,
    ) -> Iterator[Result]:
        """Yield the results in the items' order; only a few items are in progress at a time.

        Another thread may take the items, so that a result need not wait for the next item.
        """
        for item, future in in_order(partial(self.submit, task), items, lambda: 4 * self.workers):
            yield outcome_of(item, future, on_death)

    def reduce(
        self,
        task: Callable[[list[Item]], Result],
        merge: Callable[[list[Result]], Result],
        items: Iterable[Item],
        *,
        chunk: int,
        fan_in: int = 8,
        on_chunk: Callable[[int], None] | None = None,
    ) -> Result:
        """Map lists of items, and merge the results in a tree.

        Which results are merged depends on `chunk` and `fan_in` only, so that sums of floating-point numbers
        are the same, bit for bit, wherever they are added.
        """
        tree = MergeTree(merge, fan_in)
        sizes: deque[int] = deque()

        def chunks() -> Iterator[list[Item]]:
            left = iter(items)
            while taken := list(islice(left, chunk)):
                sizes.append(len(taken))
                yield taken

        for result in self.map(task, chunks()):
            tree.add(result)
            if on_chunk is not None:
                on_chunk(sizes.popleft())
        return tree.whole()

    def __enter__(self) -> Executor:
        """Return the executor itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()


class Serial(Executor):
    """Runs each task at once in the calling thread."""

    workers = 1

    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Run a task."""
        future: Future[Result] = Future()
        try:
            future.set_result(task(item))
        except Exception as error:
            future.set_exception(error)
        return future

    def map(
        self,
        task: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        on_death: OnDeath[Item, Result] | None = None,
    ) -> Iterator[Result]:
        """Yield the results, one after the other."""
        return map(task, items)

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make the object."""
        return _LocalActor(make, self)

    def publish(self, weights: Published) -> None:
        """Do nothing: the memory is the same."""

    def close(self) -> None:
        """Do nothing."""


class Threads(Executor):
    """Threads of this process; they share all objects."""

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise ValueError(f"expected at least one thread, got {workers}")
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers)

    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Begin a task."""
        return self._pool.submit(task, item)

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make the object; it gets a thread of its own."""
        return _LocalActor(make, Threads(1))

    def publish(self, weights: Published) -> None:
        """Do nothing: the memory is the same."""

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(cancel_futures=True)


def in_threads(threads: int) -> Executor:
    """Return `Threads`, or `Serial` for one thread."""
    return Serial() if threads == 1 else Threads(threads)


class _LocalActor(Actor):
    """An object of this process; an executor with one worker runs its calls."""

    def __init__(self, make: Callable[[], Any], executor: Executor) -> None:
        self._make, self._executor = make, executor
        self.restart()

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        return self._executor.submit(lambda made: getattr(made.result(), method)(*arguments), self._made)

    def restart(self) -> None:
        self._made = self._executor.submit(lambda make: make(), self._make)

    def close(self) -> None:
        self._executor.close()


def outcome_of(item: Item, future: Future[Result], on_death: OnDeath[Item, Result] | None) -> Result:
    """Wait for a result; if workers died on the item, return the result of `on_death` instead."""
    try:
        return future.result()
    except WorkerDied as error:
        if on_death is None:
            raise
        return on_death(item, error)


class MergeTree(Generic[Result]):
    """Merges results as they are added; which ones are merged depends on their order and `fan_in` only."""

    def __init__(self, merge: Callable[[list[Result]], Result], fan_in: int) -> None:
        self._merge, self._fan_in = merge, fan_in
        self._levels: list[list[Result]] = []

    def add(self, result: Result) -> None:
        """Add a result, and merge each level that is then full."""
        for number, level in enumerate(self._levels):
            level.append(result)
            if len(level) < self._fan_in:
                return
            self._levels[number] = []
            result = self._merge(level)
        self._levels.append([result])

    def whole(self) -> Result:
        """Merge the remaining results, from the lowest level up, and return the result of all."""
        found: list[Result] = []
        for level in self._levels:
            found = [*level, *found]
            if len(found) > 1:
                found = [self._merge(found)]
        if not found:
            raise ValueError("expected at least one item, got none")
        return found[0]
