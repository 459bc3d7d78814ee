"""Where work is done: in this thread, in threads of this process, or elsewhere; one interface for all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import Any, NoReturn, TypeVar

from .errors import InputError
from .in_order import in_order
from .merge_tree import MergeTree
from .segment import Segment
from .weights import Weights

Item = TypeVar("Item")
Result = TypeVar("Result")
Lost = Callable[[Item, "WorkerDied"], Result]


class WorkerDied(RuntimeError):
    """A worker ended while it was at work on something, as often as it was tried; or none is left.

    Attributes
    ----------
    times : int
        How often workers died of it; 0 where it is not known to be at fault.
    last_words : str
        The end of what the last of them wrote to its standard error, where that is known.
    """

    def __init__(self, message: str, *, times: int = 0, last_words: str = "") -> None:
        super().__init__(message)
        self.times = times
        self.last_words = last_words

    def blame(self, segment: Segment) -> InputError:
        """Give the error that names the segment workers died of.

        Raises
        ------
        WorkerDied
            This one, where the segment is not known to be at fault.
        """
        if not self.times:
            raise self
        message = f"segment {segment.id}: a worker died of it, {self.times} times"
        if self.last_words:
            message += f"; it said at last: {self.last_words}"
        return InputError(message, path=segment.where)


def died_of(segment: Segment, died: WorkerDied) -> NoReturn:
    """Say which segment workers died of; a `lost` of `Executor.map` where none can be left out.

    Raises
    ------
    InputError
        It was at fault, as far as one can know.
    WorkerDied
        It was not.
    """
    raise died.blame(segment) from died


class Actor(ABC):
    """An object that stays where it is, and does one thing after the other."""

    @abstractmethod
    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """Call a method of the object after all calls before.

        The future raises what the method raises, or `WorkerDied`, as do all that come after until `restart`.
        """

    @abstractmethod
    def restart(self) -> None:
        """Make the object anew, as it was at first, where its worker has died."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the object."""


class Executor(ABC):
    """What tasks are given to.

    A task is called with an item; it may be called by several workers at the same time. Where workers are
    other processes, tasks, items and results are pickled, a task once a worker: a `Decoder` in it is made
    there from its configuration, with weights as they were when last published.

    Attributes
    ----------
    workers : int
        Items that are worked on at the same time.
    """

    workers: int

    @abstractmethod
    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Begin a task; the future raises what it raises, or `WorkerDied`."""

    @abstractmethod
    def actor(self, make: Callable[[], Any]) -> Actor:
        """Give what `make` makes a worker of its own."""

    @abstractmethod
    def publish(self, weights: Weights) -> None:
        """Let tasks that are begun from now on see the weights as they are; none may be under way."""

    @abstractmethod
    def close(self) -> None:
        """Let go of all workers; futures of what is not done are cancelled, or raise `WorkerDied`."""

    def map(
        self,
        task: Callable[[Item], Result],
        items: Iterable[Item],
        *,
        lost: Lost[Item, Result] | None = None,
    ) -> Iterator[Result]:
        """Give the results in the items' order; only a few items are under way at a time.

        Items may be taken in another thread, so that a result need not wait for the next item.

        Parameters
        ----------
        lost : callable, optional
            Gives what stands for an item that workers die of; without it `WorkerDied` is raised.

        Raises
        ------
        Exception
            What the task raises, when the turn of the item comes.
        """
        for item, future in in_order(partial(self.submit, task), items, lambda: 4 * self.workers):
            yield outcome_of(item, future, lost)

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

        Parameters
        ----------
        task : callable
            Called with lists of `chunk` items; the last one may be shorter.
        merge : callable
            Called with lists of at least two and at most `fan_in` results.
        on_chunk : callable, optional
            Called with the number of items in each list when it is done.

        Raises
        ------
        ValueError
            There is no item.
        Exception
            What a task raises; `WorkerDied`.
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
        """Give the executor itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()


class Serial(Executor):
    """Everything at once, in the thread that asks."""

    workers = 1

    def submit(self, task: Callable[[Item], Result], item: Item) -> Future[Result]:
        """Do a task."""
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
        lost: Lost[Item, Result] | None = None,
    ) -> Iterator[Result]:
        """Give the results, one after the other."""
        return map(task, items)

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make the object."""
        return _LocalActor(make, self)

    def publish(self, weights: Weights) -> None:
        """Do nothing: the memory is the same."""

    def close(self) -> None:
        """Do nothing."""


class Threads(Executor):
    """Threads of this process; they share all objects.

    Parameters
    ----------
    workers : int
        How many.

    Raises
    ------
    ValueError
        There is not at least one.
    """

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

    def publish(self, weights: Weights) -> None:
        """Do nothing: the memory is the same."""

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(cancel_futures=True)


def in_threads(threads: int) -> Executor:
    """Give `Threads`, or `Serial` where there is to be one only.

    Raises
    ------
    ValueError
        There is not at least one.
    """
    return Serial() if threads == 1 else Threads(threads)


class _LocalActor(Actor):
    """An object of this process; an executor with one worker does what it is asked for."""

    def __init__(self, make: Callable[[], Any], executor: Executor) -> None:
        self._make, self._executor = make, executor
        self.restart()

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        return self._executor.submit(lambda made: getattr(made.result(), method)(*arguments), self._made)

    def restart(self) -> None:
        self._made = self._executor.submit(lambda make: make(), self._make)

    def close(self) -> None:
        self._executor.close()


def outcome_of(item: Item, future: Future[Result], lost: Lost[Item, Result] | None) -> Result:
    """Wait for a result; where workers died of the item, give what stands for it.

    Raises
    ------
    Exception
        What the task raised; `WorkerDied` where nothing stands for the item.
    """
    try:
        return future.result()
    except WorkerDied as error:
        if lost is None:
            raise
        return lost(item, error)
