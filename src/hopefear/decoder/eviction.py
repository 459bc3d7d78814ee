"""The tables of plugins, which are reset when they are large."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from weakref import WeakSet

from hopefear.plugins.growth import tables_of

TABLE_ENTRIES = 1 << 14
"""Entries that the tables of a plugin may have, beside `_A_RULE` for each of the decoder's own rules."""

_A_RULE = 4


class Level(Protocol):
    """What runs a plugin."""

    plugin: Any
    name: str

    @property
    def named(self) -> int:
        """The number of names that the engine keeps for the plugin."""

    def forget(self) -> None:
        """Forget all numbers that the plugin gave."""


@dataclass(frozen=True, slots=True)
class TableReport:
    """The tables of a plugin."""

    plugin: str
    entries: int
    most: int
    emptied: int

    def __str__(self) -> str:
        most = f"of at most {self.most}" if self.most else "without a bound"
        return f"tables of {self.plugin}: {self.entries} entries {most}, reset {self.emptied} times"


_levels: dict[int, WeakSet[Any]] = {}
"""The levels that run a plugin, by its id: numbers of a plugin that several decoders run are kept."""


def entries_of(level: Level) -> int:
    """Count the entries of a plugin's tables, with the names that the engine keeps of its n-grams."""
    return level.named + sum(map(len, tables_of(level.plugin).values()))


def _reset(plugin: Any) -> None:
    tables = tables_of(plugin)
    for name, table in tables.items():
        del vars(plugin)[name]  # the plugin may be a frozen dataclass
        if hasattr(table, "emptied"):
            vars(plugin)[name] = table.emptied()
    for name in tables:
        getattr(plugin, name)  # now, because no other thread uses the plugin


class CacheEviction:
    """Begins the tables of plugins anew, when they are large and no sentence is under way."""

    def __init__(self, entries: int | None, lasting_rules: int) -> None:
        self.levels: list[Level] = []
        self._most = 0 if entries is None else entries + _A_RULE * lasting_rules
        self._emptied: dict[int, int] = {}
        self._changed = threading.Condition()
        self._under_way = 0
        self._due: Sequence[Level] = ()

    def add(self, level: Level) -> None:
        """Add the level of a plugin."""
        self.levels.append(level)
        _levels.setdefault(id(level.plugin), WeakSet()).add(level)

    @contextmanager
    def sentence(self) -> Iterator[None]:
        """Use the plugins for a sentence."""
        if not self._most:
            yield
            return
        with self._changed:
            while self._due:
                self._changed.wait()
            self._under_way += 1
        try:
            yield
        finally:
            with self._changed:
                self._under_way -= 1
                self._due = self._due or [level for level in self.levels if self._is_large(level)]
                if self._due and not self._under_way:
                    try:
                        self._turn(self._due)
                    finally:
                        self._due = ()
                        self._changed.notify_all()

    def report(self) -> list[TableReport]:
        """Return the sizes of all plugins' tables."""
        return [
            TableReport(level.name, entries_of(level), self._most, self._emptied.get(i, 0))
            for i, level in enumerate(self.levels)
        ]

    def _is_large(self, level: Level) -> bool:
        return entries_of(level) > self._most and len(_levels[id(level.plugin)]) == 1

    def _turn(self, due: Sequence[Level]) -> None:
        for i, level in enumerate(self.levels):
            if level in due:
                _reset(level.plugin)
                level.forget()
                self._emptied[i] = self._emptied.get(i, 0) + 1
