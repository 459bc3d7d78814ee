"""Merge results a few at a time, in an order that is always the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


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
