"""Workers that die at chosen calls, and what goes to them and comes from them is pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from hopefear.decoder import Weights
from hopefear.parallel import Actor, Executor, Recovery, Serial, WorkerDied


class Mortal(Serial):
    """Actors that forget everything where `dies` says so.

    Parameters
    ----------
    dies : callable
        Asked with the actor's number, how many calls there were to it since it was made for the first time,
        the method and the arguments; called before anything is done.
    recovery : Recovery
        Without pauses by default.
    """

    def __init__(
        self,
        dies: Callable[[int, int, str, tuple[Any, ...]], bool] = lambda *call: False,
        recovery: Recovery = Recovery(seconds=0.0),  # noqa: B008
    ) -> None:
        self.dies, self.recovery = dies, recovery
        self.actors: list[MortalActor] = []

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make the object."""
        self.actors.append(MortalActor(self, len(self.actors), make))
        return self.actors[-1]

    @property
    def restarts(self) -> int:
        """How often an object was made anew."""
        return sum(actor.restarts for actor in self.actors)


class Elsewhere(Executor):
    """An executor that is none of this process, to those who ask."""

    workers = 1

    def __init__(self) -> None:
        self._here = Mortal()

    def submit(self, task: Callable[[Any], Any], item: Any) -> Future[Any]:
        """Do a task."""
        return self._here.submit(task, item)

    def actor(self, make: Callable[[], Any]) -> Actor:
        """Make the object."""
        return self._here.actor(make)

    def publish(self, weights: Weights) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class MortalActor(Actor):
    """An actor of `Mortal`.

    Attributes
    ----------
    made_from : bytes
        What makes the object, pickled.
    is_closed : bool
    """

    def __init__(self, owner: Mortal, number: int, make: Callable[[], Any]) -> None:
        self._owner, self._number, self.made_from = owner, number, pickle.dumps(make)
        self.is_closed = False
        self.calls, self.restarts = 0, -1
        self.restart()

    def restart(self) -> None:
        self._object = pickle.loads(self.made_from)()
        self.restarts += 1

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls += 1
        if self._object is not None and self._owner.dies(self._number, self.calls, method, arguments):
            self._object = None
        if self._object is None:
            future.set_exception(WorkerDied("in a test"))
            return future
        try:
            answer = getattr(self._object, method)(*pickle.loads(pickle.dumps(arguments)))
            future.set_result(pickle.loads(pickle.dumps(answer)))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self) -> None:
        self.is_closed = True
