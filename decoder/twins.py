"""Objects that stand for each other in different processes."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

_lock = threading.RLock()
_twins: WeakValueDictionary[str, Twin] = WeakValueDictionary()


class Twin(ABC):
    """An object that is pickled as a token and a recipe.

    A process that has the object of a token already, this one included, gets that very object when it
    unpickles one; another makes it by the recipe, once. So what is dear to make, such as a decoder with its
    models, is made once a process, and what several objects share, such as weights, their twins share too.
    What changes after the object was made is not in the recipe.

    A process keeps an object no longer than something refers to it.
    """

    _token: str | None = None

    @property
    def token(self) -> str:
        """What this object and its twins are known by."""
        with _lock:
            if self._token is None:
                self._token = uuid4().hex
                _twins[self._token] = self
            return self._token

    @abstractmethod
    def _recipe(self) -> Callable[[], Any]:
        """Give a picklable function that makes the twin in a process that has none."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, Callable[[], Any]]]:
        """Give the token and the recipe."""
        return _twin, (self.token, self._recipe())


def _twin(token: str, make: Callable[[], Any]) -> Any:
    with _lock:  # while it is made too: another thread may want the same
        found = _twins.get(token)
        if found is None:
            found = make()
            found._token = token
            _twins[token] = found
        return found
