"""Objects with copies in other processes, called twins."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

_lock = threading.RLock()
_twins: WeakValueDictionary[str, Twin] = WeakValueDictionary()


class Twin(ABC):
    """An object that is pickled as a token and a recipe.

    A process that unpickles the token gets its existing object of that token; a process without one makes it
    once from the recipe. So an expensive object, such as a decoder with its models, is made once per process,
    and an object that several objects share, such as weights, is shared by their twins too. Changes after the
    object was made are not in the recipe.

    A process keeps an object only as long as something refers to it.
    """

    heard = True
    """Whether this object gets the news of its twins in other processes; set it before pickling."""
    _token: str | None = None
    _tells = False

    @property
    def token(self) -> str:
        """The identifier of this object and its twins."""
        with _lock:
            if self._token is None:
                self._token = uuid4().hex
                _twins[self._token] = self
            return self._token

    @abstractmethod
    def _recipe(self) -> Callable[[], Any]:
        """Return a picklable function that makes the twin in a process without one."""

    def news(self) -> Any:
        """Return the news for the original of this twin; None if there are none."""
        return None

    def hear(self, news: Any) -> None:
        """Receive a twin's news."""
        raise TypeError(f"a {type(self).__name__} takes no news of its twins")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, Callable[[], Any], bool]]:
        """Pickle the token, the recipe and `heard`."""
        return _twin, (self.token, self._recipe(), self.heard)


class Published(Twin):
    """A vector with named places whose values an executor publishes to the twins of the vector."""

    @property
    @abstractmethod
    def array(self) -> NDArray[np.float64]:
        """View of all values: float64, shape (places,)."""

    @abstractmethod
    def name(self, feature: int) -> str:
        """Return the name of a place."""

    @abstractmethod
    def intern_all(self, names: list[str]) -> NDArray[np.int32]:
        """Return the places of names: int32, shape (names,); a new place has the value 0."""

    @abstractmethod
    def clear(self) -> None:
        """Set all values to 0."""


def news_of_twins() -> list[tuple[str, Any]]:
    """Return the news of this process's twins for their originals, with their tokens."""
    twins = [twin for reference in _twins.valuerefs() if (twin := reference()) is not None and twin._tells]
    found = [(twin.token, twin.news()) for twin in twins]
    return [(token, news) for token, news in found if news is not None]


def pass_on(news: Iterable[tuple[str, Any]]) -> None:
    """Pass news of twins to the objects of this process."""
    for token, each in news:
        if (twin := _twins.get(token)) is not None:
            twin.hear(each)


def _twin(token: str, make: Callable[[], Any], heard: bool) -> Any:
    with _lock:  # also while the object is made: another thread may need the same object
        found = _twins.get(token)
        if found is None:
            found = make()
            found._token, found._tells = token, heard
            _twins[token] = found
        return found
