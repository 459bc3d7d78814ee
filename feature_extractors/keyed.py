"""Functions for families whose features are keyed by integers (`NameTable`, `WordNames`)."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopefear.plugins import (
    FeatureTable,
    InputError,
    NameTable,
    Plugin,
    PluginError,
    RuleBatch,
    Segment,
    WordNames,
)

Key = TypeVar("Key", bound=Hashable)


def keyed_table(
    names: NameTable | WordNames,
    n_rows: int,
    rows: NDArray[np.integer],
    keys: NDArray[np.int64],
    row: NDArray[np.int32] | None = None,
) -> FeatureTable:
    """Make a table in which the names of a key fire with value 1 each time the key is listed."""
    order = rows.argsort(kind="stable")  # merges: callers list rows in a few ascending runs
    starts, columns = names.columns(keys[order])
    ends = np.zeros(n_rows + 1, np.int32)
    np.bincount(rows, minlength=n_rows).cumsum(out=ends[1:])
    return FeatureTable(names, starts[ends], columns, np.ones(len(columns)), row)


def one_each(names: Sequence[str], row: NDArray[np.int32] | None = None) -> FeatureTable:
    """Make a table in which each row has one name, with value 1."""
    each = np.arange(len(names) + 1, dtype=np.int32)
    return FeatureTable(names, each, each[:-1], np.ones(len(names)), row)


def owners(indptr: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the row of each entry of CSR rows."""
    sizes = indptr[1:] - indptr[:-1]
    return np.arange(len(sizes)).repeat(sizes)


def linked_words(rules: RuleBatch) -> NDArray[np.bool_]:
    """Tell which symbols of the rules' source sides are words with an alignment link."""
    linked = np.zeros(len(rules.source), bool)
    linked[rules.source_indptr[owners(rules.alignment_indptr)] + rules.alignment[:, 0]] = True
    return linked


def unaligned_source(rules: RuleBatch) -> NDArray[np.intp]:
    """Find the source words without a link, in rules that have links."""
    return _unaligned(rules, rules.source, rules.source_indptr, rules.alignment[:, 0])


def unaligned_target(rules: RuleBatch) -> NDArray[np.intp]:
    """Find the target words without a link, in rules that have links."""
    return _unaligned(rules, rules.target, rules.target_indptr, rules.alignment[:, 1])


def _unaligned(
    rules: RuleBatch, symbols: NDArray[np.int32], indptr: NDArray[np.int32], linked: NDArray[Any]
) -> NDArray[np.intp]:
    has_links = rules.alignment_indptr[1:] > rules.alignment_indptr[:-1]
    free = np.repeat(has_links, indptr[1:] - indptr[:-1])
    free &= symbols > 0
    free[indptr[owners(rules.alignment_indptr)] + linked] = False
    return np.flatnonzero(free)


def check_choice(plugin: Plugin, name: str, *choices: str) -> None:
    """Refuse a plugin's argument that is none of the choices."""
    if (value := getattr(plugin, name)) not in choices:
        *most, last = choices
        wanted = f"{', '.join(most)} or {last}"
        raise PluginError(f"{type(plugin).__name__}: {name} must be {wanted}, got {value!r}")


def rules_of(category: str, rules: RuleBatch) -> NDArray[np.bool_]:
    """Tell which rules have this category as left-hand side."""
    numbers = [lhs for lhs in set(rules.lhs.tolist()) if rules.symbol(-lhs) == category]
    return np.isin(rules.lhs, numbers)


def tokens_of(segment: Segment, plugin_name: str) -> tuple[str, ...]:
    """Return the words of a sentence."""
    if segment.tokens is None:
        message = f"{plugin_name}: expected a sentence, got a lattice: sentence {segment.number}"
        raise InputError(message, path=segment.where)
    return segment.tokens


class Numbering(dict[Key, int]):
    """Numbers keys from 1, in the order of first occurrence; threads may share it."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def __missing__(self, key: Key) -> int:
        """Number a new key."""
        with self._lock:
            return self.setdefault(key, len(self) + 1)


def named_rows(rows: Iterable[Iterable[str]], row: NDArray[np.int32]) -> FeatureTable:
    """Make a table of rows of names, each with value 1."""
    columns: dict[str, int] = {}
    entries = [[columns.setdefault(name, len(columns)) for name in names] for names in rows]
    starts = np.cumsum([0, *map(len, entries)], dtype=np.int32)
    flat = np.array([column for entry in entries for column in entry], np.int32)
    return FeatureTable(tuple(columns), starts, flat, np.ones(len(flat)), row)
