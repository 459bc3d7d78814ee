"""A cache of bounded size."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedCache(dict[Key, Value]):
    """A dictionary that evicts its oldest entries while they are too many, or too large together."""

    def __init__(self, most: int, size: Callable[[Value], int] | None = None) -> None:
        super().__init__()
        self._most, self._size = most, size

    def __setitem__(self, key: Key, value: Value) -> None:
        """Add an entry, which becomes the newest; it stays even if it alone is too large."""
        self.pop(key, None)
        super().__setitem__(key, value)
        while len(self) > 1 and self._total() > self._most:
            del self[next(iter(self))]

    def _total(self) -> int:
        return len(self) if self._size is None else sum(map(self._size, self.values()))
