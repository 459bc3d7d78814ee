"""Send calls to workers, and send them again to other workers when workers die."""

from __future__ import annotations

import pickle
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

import ray

from hopefear.base import InputError

from ..faults import Recovery, WorkerDied
from .calls import Death, TaskCall
from .published import Log
from .worker import merge_packed
from .workers import Placement, Worker


class RayDispatcher:
    """A thread that owns the workers."""

    def __init__(self, placements: list[Placement], log: Log, recovery: Recovery) -> None:
        self.restarts = self.calls = 0
        self._log, self._recovery = log, recovery
        self._reason: WorkerDied | None = None  # why there are no workers any more
        self._running, self._lock = True, threading.RLock()
        self._todo: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._ready: deque[TaskCall] = deque()
        self._suspects: deque[TaskCall] = deque()
        self.workers = [Worker(placement) for placement in placements]
        self._lost_nodes: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="hopefear-dispatcher", daemon=True)
        self._thread.start()
        for worker in self.workers:
            self._greet(worker)

    def send(self, call: TaskCall) -> None:
        """Queue a call for the workers; its futures raise `WorkerDied` if there are no workers."""
        self.do(partial(self._take, call))

    def do(self, action: Callable[[], None]) -> None:
        """Run a function that does not block in the dispatcher's thread; at once if the thread has ended."""
        with self._lock:
            if self._running:
                self._todo.put(action)
            else:
                action()

    def close(self) -> None:
        """End the workers; unfinished calls raise `WorkerDied`."""
        self._todo.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (action := self._todo.get()) is not None:
            try:
                action()
                self._hand_out()
            except WorkerDied as reason:
                self._end(reason)
            except Exception as error:
                self._end(WorkerDied(f"work cannot be sent to workers: {type(error).__name__}: {error}"))
        self._end(WorkerDied("the executor was closed"))
        with self._lock:
            self._running = False
            while not self._todo.empty():
                if (action := self._todo.get()) is not None:
                    action()

    def _take(self, call: TaskCall) -> None:
        if self._reason is None:
            self._ready.append(call)
        else:
            call.fail(self._reason)

    def _end(self, reason: WorkerDied) -> None:
        """End the workers and all calls; later replies of workers are ignored."""
        if self._reason is not None:
            return
        self._reason = reason
        calls = [*self._suspects, *self._ready]
        self._suspects.clear()
        self._ready.clear()
        for worker in self.workers:
            calls += worker.under_way
            worker.under_way.clear()
            if not worker.up.done():
                worker.up.set_exception(InputError(f"expected a worker to start, got: {reason}"))
        for call in calls:
            call.fail(reason)
            for waiting in call.death.behind if call.death else ():
                waiting.fail(reason)
        for worker in self.workers:
            with suppress(ray.exceptions.RayError):  # the process has ended if Ray has ended
                ray.kill(worker.process)
            worker.process, worker.ready = None, False

    def _hand_out(self) -> None:
        ready = [worker for worker in self.workers if worker.ready]
        by_load = sorted(ready, key=lambda worker: len(worker.under_way))
        kept = 0  # the least busy workers are reserved for suspects, one suspect each
        while self._suspects and kept < len(by_load):
            worker = by_load[kept]
            kept += 1
            if worker.under_way:
                break
            if self._begin(worker, self._suspects.popleft()):
                worker.alone = True
        others = by_load[kept:] if self._suspects else by_load
        while self._ready:
            freest = max(others, key=lambda worker: worker.free, default=None)
            if freest is None or freest.free <= 0:
                break
            slots = sum(worker.free for worker in others if worker.free > 0)
            self._begin(freest, self._next_call(-(-len(self._ready) // slots)))

    def _next_call(self, share: int) -> TaskCall:
        """Join at most `share` waiting items of the same task in a call."""
        call = self._ready.popleft()
        most = min(share, call.task.size.items)
        while len(call.entries) < most and self._ready and self._ready[0].task is call.task:
            call.entries += self._ready.popleft().entries
        return call

    def _begin(self, worker: Worker, call: TaskCall) -> bool:
        call.entries = [
            entry
            for entry in call.entries
            if entry.future.running() or entry.future.set_running_or_notify_cancel()
        ]
        if not call.entries:
            return False
        worker.under_way[call] = None
        task, changes = call.task, self._log.after(worker.version)
        items = [entry.item for entry in call.entries]
        reply = worker.process.call.remote("run", task.key, [task.stored], changes, items)
        self.calls += 1
        ended = partial(self._ended, worker, worker.process, call)
        reply.future().add_done_callback(lambda future: self.do(partial(ended, future)))
        return True

    def _ended(self, worker: Worker, process: Any, call: TaskCall, reply: Future[Any]) -> None:
        if worker.process is not process or call not in worker.under_way:
            return  # lost calls are already queued again
        error = reply.exception()
        if isinstance(error, ray.exceptions.RayError) and not isinstance(error, ray.exceptions.RayTaskError):
            return self._died(worker)
        del worker.under_way[call]
        worker.alone = False
        if call.death:
            self._innocent(call.death)
        if error is not None:
            return call.fail(error)
        try:
            version, seconds, blob, deltas = reply.result()
            outcomes = pickle.loads(blob)
            merge_packed(deltas)
        except Exception as wrong:
            return call.fail(wrong)
        worker.version = max(worker.version, version)
        call.task.size.record(seconds, len(call.entries))
        for entry, outcome in zip(call.entries, outcomes, strict=True):
            try:
                value = outcome.get()
            except BaseException as raised:  # SystemExit would end this thread in silence
                entry.future.set_exception(raised)
            else:
                entry.future.set_result(value)

    def _died(self, worker: Worker) -> None:
        held, last_words = list(worker.under_way), worker.greeting.last_words()
        self.restarts += 1
        for call in held:
            if call.death:  # it is to blame for that death, too
                self._release(call.death)
        # A process runs its calls in order.
        threads = worker.placement.threads
        self._suspect(held[:threads], held[threads:], last_words)
        self._start_again(worker)

    def _suspect(self, calls: list[TaskCall], behind: list[TaskCall], last_words: str = "") -> None:
        """Count a death for each item of some calls, and repeat the item alone, or give it up."""
        death = Death(behind)
        for call in calls:
            for entry in call.entries:
                entry.deaths += 1
                if entry.deaths < self._recovery.attempts:
                    self._suspects.append(TaskCall(call.task, [entry], death))
                    death.suspects += 1
                else:
                    said = f"; last output: {last_words}" if last_words else ""
                    message = f"workers died {entry.deaths} times while working on {entry.name()}{said}"
                    died = WorkerDied(message, times=entry.deaths, last_words=last_words)
                    entry.future.set_exception(died)
        if not death.suspects:
            self._release(death)

    def _innocent(self, death: Death) -> None:
        """Take note that a suspect has ended; after the last one, suspect the calls behind."""
        death.suspects -= 1
        if not death.suspects:
            behind, death.behind = death.behind, []
            self._suspect(behind, [])

    def _release(self, death: Death) -> None:
        """Let the calls behind begin: they are not to blame."""
        self._ready.extendleft(reversed(death.behind))
        death.behind = []

    def _start_again(self, worker: Worker) -> None:
        worker.start_again()
        self._greet(worker)

    def _start_later(self, worker: Worker, process: Any) -> None:
        if worker.process is process:
            self._start_again(worker)

    def _greet(self, worker: Worker) -> None:
        greeted = partial(self._greeted, worker, worker.process)
        reply = worker.process.about.remote().future()
        reply.add_done_callback(lambda future: self.do(partial(greeted, future)))

    def _greeted(self, worker: Worker, process: Any, reply: Future[Any]) -> None:
        if worker.process is not process:
            return
        error = worker.greeted(reply)
        if error is None:
            return
        if worker.up.done():
            # Ray needs some time to notice that a node is lost.
            self._lost_nodes.add(worker.placement.node)
            worker.placement = Placement(self._other_node(worker), worker.placement.threads)
        is_refused = not worker.up.done() and reply.exception() is None  # its version will not change
        if worker.starts < self._recovery.starts and not is_refused:
            # Wait: until Ray notices that the node is lost, a new start would fail too.
            again = partial(self._start_later, worker, worker.process)
            timer = threading.Timer(self._recovery.seconds * worker.starts, self.do, (again,))
            timer.daemon = True
            return timer.start()
        if not worker.up.done():
            return worker.up.set_exception(error)
        if len(self.workers) == 1:
            raise WorkerDied(f"no worker is left, and no new worker starts: {error}")
        ray.kill(worker.process)
        self.workers.remove(worker)

    def _other_node(self, worker: Worker) -> str:
        used = [other.placement.node for other in self.workers if other is not worker]
        nodes = [node for node in used if node not in self._lost_nodes]
        return min(nodes, key=used.count, default=worker.placement.node)
