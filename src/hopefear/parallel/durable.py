"""Objects in workers that survive the deaths of their workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from .executor import Executor
from .faults import WorkerDied

_SNAPSHOT = "snapshot"


class Call:
    """A call of a method of a durable actor's object."""

    size = 1

    def __init__(
        self, method: str, *arguments: Any, changes: bool = False, replaces: Sequence[str] = ()
    ) -> None:
        self.method, self.arguments = method, arguments
        self.changes, self.replaces = changes, replaces

    def parts(self) -> Sequence[Call]:
        """Return calls with one item each that together do the same."""
        return [self]

    def without_item(self, died: WorkerDied) -> Call:
        """Return the call that replaces this one, whose item is to blame for deaths of workers."""
        raise died


@dataclass(slots=True, eq=False)
class _Sent:
    """A call that was sent to the current worker."""

    call: Call
    wanted: bool = False
    ends: bool = False
    deaths: int = 0
    future: Future[Any] = field(default_factory=Future)

    def died(self) -> bool:
        return isinstance(self.future.exception(), WorkerDied)


class DurableActor:
    """An actor whose object is made again, in the same state, when its worker dies.

    A log keeps the calls that changed the object; a new worker repeats them. The first call that the dead
    worker did not finish is to blame for the death, but not if an earlier worker had finished the call: a
    death during the repetition is a failed start. Of a snapshot and the call behind it, the call is to blame:
    the reply with the snapshot may be lost with the worker. The executor's `recovery` says how many deaths
    and failed starts are tolerated.

    With snapshots, the object needs two methods: ``snapshot()`` returns a state, and ``restore(state)``
    returns to it; ``restore(None)`` is the first call of a new object. A snapshot empties the log.

    All methods must be called in the same thread.
    """

    def __init__(
        self,
        executor: Executor,
        make: Callable[[], Any],
        *,
        name: str,
        log: Sequence[Call] = (),
        snapshot_every: int = 0,
        on_reply: Callable[[], Any] = lambda: None,
    ) -> None:
        self.restarts = 0
        self.snapshot: Any = None
        self.log: list[Any] = list(log)
        self.on_reply, self.recovery = on_reply, executor.recovery
        self._name, self._snapshot_every = name, snapshot_every
        self._failed_starts = 0
        self._sent: list[_Sent] = []
        self._since_snapshot = 0  # items
        self._actor = executor.actor(make)
        self._repeat()

    def begin(self, call: Call) -> None:
        """Begin a call, after all earlier calls."""
        if not any(sent.wanted or sent.call.method == _SNAPSHOT for sent in self._sent):
            self._wait()
        self._send(_Sent(call, wanted=True, ends=True))
        if self._snapshot_every and self._since_snapshot >= self._snapshot_every:
            self._since_snapshot = 0
            self._send(_Sent(Call(_SNAPSHOT)))

    def take(self) -> list[tuple[Any, Any]]:
        """Wait for the first call of `begin` whose result was not taken."""
        while True:
            count = self._first()
            try:
                results = [sent.future.result() for sent in self._sent[:count]]
                break
            except WorkerDied:
                self._recover()
        done, self._sent, self._failed_starts = self._sent[:count], self._sent[count:], 0
        taken = []
        for sent, result in zip(done, results, strict=True):
            if sent.wanted:
                taken.append((sent.call, result))
                if sent.call.changes:
                    while self.log and self.log[-1].method in sent.call.replaces:
                        self.log.pop()
                    self.log.append(sent.call)
            elif sent.call.method == _SNAPSHOT:
                self.snapshot, self.log = result, []
        return taken

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a method that does not change the object, after all results were taken; return the result."""
        self.begin(Call(method, *arguments))
        ((_, result),) = self.take()
        return result

    def is_ready(self) -> bool:
        """Tell whether `take` need not wait; if the worker has died, begin to repeat its calls."""
        for sent in self._sent[: self._first()]:
            if not sent.future.done():
                return False
            if sent.died():
                self._recover()
                return False
        return True

    def pending(self) -> list[tuple[Any, bool]]:
        """Return the calls whose results were not taken, and for each whether it ends a call of `begin`."""
        return [(sent.call, sent.ends) for sent in self._sent if sent.wanted]

    def resume(self, snapshot: Any, log: Sequence[Call], pending: Sequence[tuple[Call, bool]]) -> None:
        """Continue from the `snapshot`, `log` and `pending` of another durable actor."""
        self.snapshot, self.log = snapshot, list(log)
        self._repeat()
        for call, ends in pending:
            self._send(_Sent(call, wanted=True, ends=ends))

    def close(self) -> None:
        """Release the object."""
        self._actor.close()

    def _first(self) -> int:
        """Return the number of sent calls up to the end of the first call of `begin`."""
        return 1 + next(i for i, sent in enumerate(self._sent) if sent.ends)

    def _repeat(self) -> None:
        """Send the calls that bring a new object to the old object's state."""
        self._sent, self._since_snapshot = [], 0
        if self._snapshot_every:
            self._send(_Sent(Call("restore", self.snapshot)))
        for call in self.log:
            self._send(_Sent(call))

    def _wait(self) -> None:
        """Wait for repeated calls, whose replies may be lost if the worker dies in a later call."""
        wait([sent.future for sent in self._sent])

    def _send(self, sent: _Sent) -> None:
        if sent.call.changes:
            self._since_snapshot += sent.call.size
        sent.future = self._actor.call(sent.call.method, *sent.call.arguments)
        self._sent.append(sent)
        # Replies may come in another order than the calls: that of a snapshot may be the last to come.
        sent.future.add_done_callback(lambda _: self.on_reply())

    def _recover(self) -> None:
        """Find what the worker died of, and continue in a new worker."""
        guilty = next(sent for sent in self._sent if sent.died())
        error = guilty.future.exception()
        if guilty.wanted:
            self._failed_starts = 0
            self._blame(guilty, error)
        elif guilty.call.method == _SNAPSHOT:
            for behind in self._sent[self._sent.index(guilty) + 1 :][:1]:
                behind.deaths += 1
        else:
            self._failed_starts = times = self._failed_starts + 1
            if times >= self.recovery.starts:
                raise WorkerDied(
                    f"{self._name}: a worker that died could not be restarted, {times} times: {error}"
                )
            time.sleep(self.recovery.seconds * times)
        self.restarts += 1
        self._actor.restart()
        pending = [sent for sent in self._sent if sent.wanted]
        self._repeat()
        for sent in pending:  # one by one: a reply that is lost would blame a call that was finished
            self._wait()
            self._send(sent)

    def _blame(self, guilty: _Sent, error: BaseException | None) -> None:
        """Divide the call in which the worker died, or give it up if it cannot be divided."""
        guilty.deaths += 1
        parts = guilty.call.parts()
        if len(parts) > 1:
            divided = [_Sent(part, wanted=True, deaths=guilty.deaths) for part in parts]
            divided[-1].ends = guilty.ends
            place = self._sent.index(guilty)
            self._sent[place : place + 1] = divided
        elif guilty.deaths >= self.recovery.attempts:
            message = f"{self._name}: workers died {guilty.deaths} times in {guilty.call.method}: {error}"
            guilty.call = guilty.call.without_item(WorkerDied(message, times=guilty.deaths))
            guilty.deaths = 0
