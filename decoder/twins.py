"""Objects that stand for each other in different processes."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
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

    heard = True
    """Whether what twins elsewhere have to tell is told to this object; say so before it is pickled."""
    _token: str | None = None
    _tells = False

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

    def news(self) -> Any:
        """Give what is new for the object that this one is a twin of, None for nothing."""
        return None

    def hear(self, news: Any) -> None:
        """Take a twin's news."""
        raise TypeError(f"expected no news for a {type(self).__name__}")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, Callable[[], Any], bool]]:
        """Give the token and the recipe, and whether news are wanted."""
        return _twin, (self.token, self._recipe(), self.heard)


def news_of_twins() -> list[tuple[str, Any]]:
    """Give the news of this process's twins that are wanted elsewhere, with their tokens."""
    twins = [twin for reference in _twins.valuerefs() if (twin := reference()) is not None and twin._tells]
    found = [(twin.token, twin.news()) for twin in twins]
    return [(token, news) for token, news in found if news is not None]


def pass_on(news: Iterable[tuple[str, Any]]) -> None:
    """Let objects of this process hear their twins' news."""
    for token, each in news:
        if (twin := _twins.get(token)) is not None:
            twin.hear(each)


def _twin(token: str, make: Callable[[], Any], heard: bool) -> Any:
    with _lock:  # while it is made too: another thread may want the same
        found = _twins.get(token)
        if found is None:
            found = make()
            found._token, found._tells = token, heard
            _twins[token] = found
        return found
