"""Counts of the features that plugins fire, also over several processes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopefear import _native

COUNTED = 100  # sentences; counting takes time


@dataclass(frozen=True, slots=True)
class FamilyReport:
    """The number of features that a plugin fired.

    Attributes
    ----------
    family : str
        The plugin's name.
    names : int
        Number of distinct names that the plugin gave.
    features : int
        Number of distinct features with these names: some names may be dropped, others share a hash. A
        feature of several plugins counts for the first plugin.
    per_sentence : float
        Number of features that fired in a sentence's forests, averaged over the first 100 finished sentences.
    """

    family: str
    names: int
    features: int
    per_sentence: float


@dataclass(frozen=True, slots=True)
class Fired:
    """The features that plugins fired in a process since the last report.

    Attributes
    ----------
    features : dict of str to array of int64
        By plugin, the key (`_native.name_keys`) of the name of each new feature.
    others : dict of str to array of int64
        By plugin, the key of each new name that was dropped or hashed and so is not a feature.
    counts : dict of str to int
        By plugin, the number of features that fired in the sentences' forests.
    sentences : int
    """

    features: dict[str, NDArray[np.int64]]
    others: dict[str, NDArray[np.int64]]
    counts: dict[str, int]
    sentences: int

    @classmethod
    def joined(cls, reports: Sequence[Fired]) -> Fired:
        """Join reports of decoders with the same plugins into one; at least one report."""
        families = list(reports[0].features)
        return cls(
            {family: np.concatenate([each.features[family] for each in reports]) for family in families},
            {family: np.concatenate([each.others[family] for each in reports]) for family in families},
            {family: sum(each.counts[family] for each in reports) for family in families},
            sum(each.sentences for each in reports),
        )


class Account:
    """The sum of the reports of several processes; repeated reports change it little."""

    def __init__(self) -> None:
        self._known = _native.KeyIndex()
        self._others: defaultdict[str, _native.KeyIndex] = defaultdict(_native.KeyIndex)
        self._features: Counter[str] = Counter()
        # The families of the known features in their order, and how many features each has in a row.
        self._blocks: list[tuple[str, int]] = []
        self._counts: Counter[str] = Counter()
        self._sentences = 0

    def add(self, fired: Fired) -> None:
        """Add the report of a process."""
        for family, keys in fired.features.items():
            _, new = self._known.rows(keys)
            if len(new):
                self._features[family] += len(new)
                self._blocks.append((family, len(new)))
        for family, keys in fired.others.items():
            self._others[family].rows(keys)
        if self._sentences < COUNTED:
            self._sentences += fired.sentences
            self._counts.update(fired.counts)

    def total(self, families: Iterable[str]) -> Fired:
        """Return the sum as one report."""
        ends = np.cumsum([count for _, count in self._blocks], dtype=np.int64)
        blocks = np.split(self._known.keys(0), ends[:-1]) if len(ends) else []
        by_family: dict[str, list[NDArray[np.int64]]] = {
            family: [np.zeros(0, np.int64)] for family in families
        }
        for (family, _), keys in zip(self._blocks, blocks, strict=True):
            by_family[family].append(keys)
        return Fired(
            {family: np.concatenate(keys) for family, keys in by_family.items()},
            {family: self._others[family].keys(0) for family in by_family},
            {family: self._counts[family] for family in by_family},
            self._sentences,
        )

    def report(self, families: Iterable[str], *, hashed: bool) -> list[FamilyReport]:
        """Return the counts, one entry per plugin."""
        return [
            FamilyReport(
                family,
                len(self._others[family]) + (0 if hashed else self._features[family]),
                self._features[family],
                self._counts[family] / max(self._sentences, 1),
            )
            for family in families
        ]
