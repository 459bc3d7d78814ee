"""The features that plugins name: their numbers, and an account of how many fire."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _native
from .feature_account import COUNTED, Account, FamilyReport, Fired
from .selection import FeatureSelection, name_key
from .weights import Weights

Sequence.register(_native.IndicatorNames)

_DROPPED = -1


class PluginFeatures:
    """Turns the names that plugins give into feature numbers, as a selection has it. Threads may share it.

    Parameters
    ----------
    weights : Weights
        Where features are numbered.
    selection : FeatureSelection
        What fires.
    """

    def __init__(self, weights: Weights, selection: FeatureSelection) -> None:
        self.weights, self.selection = weights, selection
        self._families: dict[str, Family] = {}
        self._owner = np.zeros(0, np.uint16)  # by feature number: a family's number from 1, 0 for none
        self._fired = np.zeros(1, np.int64)  # by a family's number
        self._sentences = 0
        self._untold: list[NDArray[np.int32]] | None = None  # features, where somebody asks for news
        self._told = self._fired, 0
        self._account: Account | None = None  # where others tell
        self._lock = threading.RLock()

    def family(self, name: str) -> Family:
        """Give the features of a plugin; plugins of one name share them."""
        if name not in self._families:
            self._families[name] = Family(self, len(self._families) + 1)
            self._fired = np.zeros(len(self._families) + 1, np.int64)
            self._told = self._fired, 0
        return self._families[name]

    def take(self, numbers: NDArray[np.int32], family: int) -> None:
        """Note the features of a family, -1 for none."""
        with self._lock:
            if len(self.weights) > len(self._owner):
                longer = np.zeros(max(len(self.weights), 2 * len(self._owner)), np.uint16)
                longer[: len(self._owner)] = self._owner
                self._owner = longer
            mine = numbers[numbers >= 0]
            new = mine[self._owner[mine] == 0]
            self._owner[new] = family
            if self._untold is not None and len(new):
                self._untold.append(new)

    def count(self, forest: _native.Forest) -> None:
        """Note what fired in a sentence's forests."""
        if not self._families or self._sentences >= COUNTED:
            return
        fired = self.fired(forest)
        with self._lock:
            self._sentences += 1
            self._fired = self._fired + np.bincount(self._owner[fired], minlength=len(self._fired))

    def fired(self, forest: _native.Forest) -> NDArray[np.int32]:
        """Give the different features of plugins that fired in a forest and those it was made from."""
        self._look()
        fired = _native.fired_features(forest)
        fired = fired[fired < len(self._owner)]
        return fired[self._owner[fired] > 0]

    def owns(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Tell which features are plugins', of any that have fired."""
        self._look()
        with self._lock:
            owner = self._owner
        owned = np.zeros(len(features), bool)
        known = np.flatnonzero(features < len(owner))
        owned[known] = owner[features[known]] > 0
        return owned

    def _look(self) -> None:
        with self._lock:  # till all is noted: another thread may ask for what this one has just seen
            for number, family in enumerate(self._families.values(), 1):
                for native in family.watched:
                    self.take(native.unseen(), number)

    def news(self) -> Fired | None:
        """Give what fired since the last time, None for nothing."""
        self._look()
        with self._lock:
            untold = [np.flatnonzero(self._owner)] if self._untold is None else self._untold
            new = np.unique(np.concatenate([[], *untold])).astype(np.int32)
            owner = self._owner[new]
            counts, sentences = self._fired - self._told[0], self._sentences - self._told[1]
            self._untold, self._told = [], (self._fired, self._sentences)
        features, others = {}, {}
        for number, (name, family) in enumerate(self._families.items(), 1):
            features[name] = self.weights.native.name_keys(new[owner == number])
            others[name] = family.new_keys()
        if not sentences and not any(map(len, (*features.values(), *others.values()))):
            return None
        return Fired(features, others, dict(zip(self._families, counts[1:].tolist(), strict=True)), sentences)

    def hear(self, fired: Fired) -> None:
        """Count what decoders like this one fired."""
        with self._lock:
            self._account = self._account or Account()
            self._account.add(fired)

    def report(self) -> list[FamilyReport]:
        """Give the account, a line a plugin."""
        self._look()
        with self._lock:
            if self._account is not None:
                own = self.news()
                if own is not None:
                    self._account.add(own)
                return self._account.report(self._families, hashed=self.selection.hash_bits > 0)
            features = np.bincount(self._owner, minlength=len(self._families) + 1)
            fired = self._fired / max(self._sentences, 1)
        return [
            FamilyReport(name, family.names(count), count, per_sentence)
            for (name, family), count, per_sentence in zip(
                self._families.items(), features[1:].tolist(), fired[1:].tolist(), strict=True
            )
        ]


class _Watched:
    """Features that native code numbers, as far as they have been looked at."""

    def __init__(self, features: Callable[[int], NDArray[np.int32]]) -> None:
        self._features, self._seen = features, 0
        self._lock = threading.Lock()

    def unseen(self) -> NDArray[np.int32]:
        """Give the features that are new since the last time."""
        with self._lock:
            new = self._features(self._seen)
            self._seen += len(new)
        return new


class Family:
    """The features of one plugin."""

    def __init__(self, features: PluginFeatures, number: int) -> None:
        self._features, self._number = features, number
        self._keys = _native.KeyIndex()  # of names that are no features of their own
        self._told = 0  # of them
        self._lock = threading.Lock()
        self.watched: list[_Watched] = []

    def watch(self, features: Callable[[int], NDArray[np.int32]]) -> None:
        """Let native code number features: `features(n)` gives those so far but the first n."""
        self.watched.append(_Watched(features))

    def numbers(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Give the number of each name's feature, int32, -1 where the name is dropped."""
        native = self._features.weights.native
        if not self._features.selection.keeps_all:
            numbers = self._selected(names)
        elif isinstance(names, (_native.IndicatorNames, _native.PairNamesSlice)):
            numbers = names.intern(native)
        else:
            numbers = native.intern_all(list(names))
        self._features.take(numbers, self._number)
        return numbers

    def names(self, features: int) -> int:
        """Count the different names that were given, of which so many features came."""
        return len(self._keys) + (0 if self._features.selection.hash_bits else features)

    def new_keys(self) -> NDArray[np.int64]:
        """Give the `name_key` of names that are no features of their own and new since the last time."""
        with self._lock:
            keys = self._keys.keys(self._told)
            self._told += len(keys)
        return keys

    def _selected(self, names: Sequence[str]) -> NDArray[np.int32]:
        selection, native = self._features.selection, self._features.weights.native
        number_of = native.find if selection.frozen else native.intern
        numbers = np.full(len(names), _DROPPED, np.int32)
        keys = []
        for i, name in enumerate(names):
            if selection.hash_bits:
                keys.append(name_key(name))
            if selection.allows(name):
                numbers[i] = number_of(selection.hashed(keys[-1]) if selection.hash_bits else name)
            if numbers[i] < 0 and not selection.hash_bits:
                keys.append(name_key(name))
        with self._lock:
            self._keys.rows(np.array(keys, np.int64))
        return numbers
