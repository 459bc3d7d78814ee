"""How many features plugins fire, in several processes too."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _native

COUNTED = 100  # sentences: to look at all that fired takes time


@dataclass(frozen=True, slots=True)
class FamilyReport:
    """How many features a plugin fired.

    Attributes
    ----------
    family : str
        The plugin's name.
    names : int
        Different names that it gave.
    features : int
        Different features that came of them: some names may be dropped, others hashed together. A feature
        of several plugins counts for the first of them.
    per_sentence : float
        Features that fired in a sentence's forests, on average over the first 100 sentences that were done.
    """

    family: str
    names: int
    features: int
    per_sentence: float


@dataclass(frozen=True, slots=True)
class Fired:
    """What plugins fired in a process since it was last asked.

    Attributes
    ----------
    features : dict of str to array of int64
        By plugin, of each feature that is new 64 bits that stand for its name.
    others : dict of str to array of int64
        By plugin, of each new name that is no feature, since it was dropped or hashed, its `name_key`.
    counts : dict of str to int
        By plugin, features that fired in the sentences' forests.
    sentences : int
    """

    features: dict[str, NDArray[np.int64]]
    others: dict[str, NDArray[np.int64]]
    counts: dict[str, int]
    sentences: int


class Account:
    """What several processes told, added up; it matters little how often they tell the same."""

    def __init__(self) -> None:
        self._known = _native.KeyIndex()
        self._others: defaultdict[str, _native.KeyIndex] = defaultdict(_native.KeyIndex)
        self._features: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._sentences = 0

    def add(self, fired: Fired) -> None:
        """Add what one of them told."""
        for family, keys in fired.features.items():
            _, new = self._known.rows(keys)
            self._features[family] += len(new)
        for family, keys in fired.others.items():
            self._others[family].rows(keys)
        if self._sentences < COUNTED:
            self._sentences += fired.sentences
            self._counts.update(fired.counts)

    def report(self, families: Iterable[str], *, hashed: bool) -> list[FamilyReport]:
        """Give the account, a line a plugin.

        Parameters
        ----------
        hashed : bool
            Whether all features have other names than plugins gave.
        """
        return [
            FamilyReport(
                family,
                len(self._others[family]) + (0 if hashed else self._features[family]),
                self._features[family],
                self._counts[family] / max(self._sentences, 1),
            )
            for family in families
        ]
