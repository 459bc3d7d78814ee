"""Objects with replicas in other processes."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats

_lock = threading.RLock()
_replicas: WeakValueDictionary[str, Replica] = WeakValueDictionary()


class Replica(ABC):
    """An object that is pickled as a token and a factory.

    A process that unpickles the token gets its existing object of that token; a process without one makes it
    once with the factory. So an expensive object, such as a decoder with its models, is made once per
    process, and an object that several objects share, such as weights, is shared by their replicas too.
    Changes after the object was made are not in the factory.

    A process keeps an object only as long as something refers to it.
    """

    sends_deltas = True
    """Whether the object's replicas in other processes send deltas to it; set it before pickling."""
    _token: str | None = None
    _sends = False

    @property
    def token(self) -> str:
        """The identifier of this object and its replicas."""
        with _lock:
            if self._token is None:
                self._token = uuid4().hex
                _replicas[self._token] = self
            return self._token

    @abstractmethod
    def _factory(self) -> Callable[[], Any]:
        """Return a picklable function that makes the object in a process without one."""

    def delta(self) -> Any:
        """Return what this replica has found since the last call, for the original; None if nothing."""
        return None

    def merge(self, delta: Any) -> None:
        """Add a replica's delta to this object."""
        raise TypeError(f"a {type(self).__name__} merges no deltas")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, Callable[[], Any], bool]]:
        """Pickle the token, the factory and `sends_deltas`."""
        return _replica, (self.token, self._factory(), self.sends_deltas)


class Published(Replica):
    """A vector with named elements whose values an executor publishes to the vector's replicas."""

    @property
    @abstractmethod
    def array(self) -> Floats:
        """View of all values: float64, shape (elements,)."""

    @abstractmethod
    def name(self, feature: int) -> str:
        """Return the name of an element."""

    @abstractmethod
    def intern_all(self, names: list[str]) -> NDArray[np.int32]:
        """Return the indices of names: int32, shape (names,); a new element has the value 0."""

    @abstractmethod
    def clear(self) -> None:
        """Set all values to 0."""


def deltas_of_replicas() -> list[tuple[str, Any]]:
    """Return the deltas of this process's replicas for their originals, with their tokens."""
    replicas = [one for ref in _replicas.valuerefs() if (one := ref()) is not None and one._sends]
    found = [(replica.token, replica.delta()) for replica in replicas]
    return [(token, delta) for token, delta in found if delta is not None]


def merge_deltas(deltas: Iterable[tuple[str, Any]]) -> None:
    """Merge the deltas of replicas into the objects of this process."""
    for token, delta in deltas:
        if (original := _replicas.get(token)) is not None:
            original.merge(delta)


def _replica(token: str, make: Callable[[], Any], sends_deltas: bool) -> Any:
    with _lock:  # also while the object is made: another thread may need the same object
        found = _replicas.get(token)
        if found is None:
            found = make()
            found._token, found._sends = token, sends_deltas
            _replicas[token] = found
        return found
