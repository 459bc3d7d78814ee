"""The features that plugins name: their numbers, and counts of those that fired."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.plugins import Segment
from hopefear.plugins.levels import declared_near, fired_names

from .feature_account import COUNTED, Account, FamilyReport, Fired
from .selection import FeatureSelection
from .weights import Weights

Sequence.register(_native.IndicatorNames)

_DROPPED = -1
_MOST_COUNTED = 1 << 20
"""Different names that are counted for each plugin; names after these are not counted."""


class FeatureError(InputError):
    """A plugin failed on a sentence or in ``prepare``."""


class PluginFeatures:
    """Turns names from plugins into feature numbers, with a selection. Threads may share the object."""

    def __init__(self, weights: Weights, selection: FeatureSelection) -> None:
        self.weights, self.selection = weights, selection
        self._before = len(weights)
        self._families: dict[str, Family] = {}
        # By feature number: the number of the family from 1, that of the model's part from -1 down, or 0.
        self._owner = np.zeros(0, np.int32)
        self._model: list[str] = []  # the parts of the model that have features
        self._fired = np.zeros(1, np.int64)  # by number of the family
        self._sentences = 0
        self._unsent: list[NDArray[np.int32]] | None = None  # new features, if deltas are wanted
        self._sent = self._fired, 0
        self._account: Account | None = None  # features of replicas
        self._lock = threading.RLock()

    def family(self, plugin: Any, name: str) -> Family:
        """Return the features of a plugin, under its name; the second plugin of a name is ``NAME 2``."""
        count = sum(each.plugin_name == name for each in self._families.values())
        label = f"{name} {count + 1}" if count else name
        self._families[label] = Family(self, plugin, name, label, len(self._families) + 1)
        self._fired = np.zeros(len(self._families) + 1, np.int64)
        self._sent = self._fired, 0
        return self._families[label]

    def of_model(self, features: Sequence[int] | NDArray[np.integer], part: str) -> None:
        """Record features of a part of the model, such as its grammars."""
        if part not in self._model:
            self._model.append(part)
        number = -1 - self._model.index(part)
        numbers = np.asarray(features, np.int32)
        with self._lock:
            self._lengthen()
            owner = self._owner[numbers]
            for feature in numbers[owner > 0][:1].tolist():
                raise self._clash(feature, self._owner[feature], number)
            self._owner[numbers[owner == 0]] = number

    def of_sentence(self, forest: _native.Forest, segment: Segment) -> None:
        """Record the features that a forest has before plugins fire, unless all are known.

        Those of a sentence's grammars are unknown, and those of the model among names of earlier weights.
        """
        unknown = self._before or segment.grammars or segment.rules or segment.lattice
        if unknown and self._families and self._sentences < COUNTED:
            fires = np.zeros(len(self.weights), bool)
            fires[forest.edge_features()[1]] = True
            self.of_model(np.flatnonzero(fires), "the model")

    def take(self, numbers: NDArray[np.int32], family: Family) -> None:
        """Record the features of a family, -1 for none.

        Raises
        ------
        FeatureError
            The plugin does not declare a name, or the model or another plugin fires it.
        """
        with self._lock:
            self._lengthen()
            mine = numbers[numbers >= 0]
            owner = self._owner[mine]
            if not self.selection.hash_bits:  # which share features
                for feature in mine[(owner != 0) & (owner != family.number)][:1].tolist():
                    raise self._clash(feature, family.number, self._owner[feature])
            new = mine[owner == 0]
            if not self.selection.hash_bits:
                family.check(map(self.weights.native.name, new.tolist()))
            self._owner[new] = family.number
            if self._unsent is not None and len(new):
                self._unsent.append(new)

    def _lengthen(self) -> None:
        if len(self.weights) > len(self._owner):
            longer = np.zeros(max(len(self.weights), 2 * len(self._owner)), np.int32)
            longer[: len(self._owner)] = self._owner
            self._owner = longer

    def _clash(self, feature: int, family: int, other: int) -> FeatureError:
        labels = list(self._families)
        source = f"plugin {labels[other - 1]}" if other > 0 else self._model[-1 - other]
        name = self.weights.native.name(feature)
        message = (
            f"plugin {labels[family - 1]} fires {name}, a feature of {source}: expected a name of its own"
        )
        return FeatureError(message)

    def count(self, forest: _native.Forest) -> None:
        """Record the features that fired in the forests of a sentence."""
        if not self._families or self._sentences >= COUNTED:
            return
        fired = _native.fired_features(forest)
        fired = fired[self.owns(fired)]
        with self._lock:
            self._sentences += 1
            self._fired = self._fired + np.bincount(self._owner[fired], minlength=len(self._fired))

    def owns(self, features: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Mark the features that come from plugins; all of `features` have fired."""
        self.look()
        with self._lock:
            owner = self._owner
        features = np.ravel(features).astype(np.int32)
        owned = np.zeros(len(features), bool)
        numbered = np.flatnonzero(features < len(owner))
        owned[numbered] = owner[features[numbered]] > 0
        return owned

    def families(self, features: NDArray[np.int32]) -> list[str]:
        """Name the plugin of each feature, "" for features of the model itself; all of them have fired."""
        self.look()
        names = ["", *self._families]
        with self._lock:
            owner = np.maximum(self._owner, 0)
        return [
            names[owner[feature]] if feature < len(owner) else "" for feature in np.ravel(features).tolist()
        ]

    def look(self) -> None:
        """Record the features that native code has numbered, see `take`."""
        with (
            self._lock
        ):  # until all is recorded: another thread may need the features that this one has just seen
            for family in self._families.values():
                for native in family.watched:
                    with native.unseen() as new:
                        self.take(new, family)

    def delta(self) -> Fired | None:
        """Return the features that fired since the last call; None if there are none."""
        self.look()
        with self._lock:
            unsent = [np.flatnonzero(self._owner > 0)] if self._unsent is None else self._unsent
            new = np.unique(np.concatenate([[], *unsent])).astype(np.int32)
            owner = self._owner[new]
            counts, sentences = self._fired - self._sent[0], self._sentences - self._sent[1]
            self._unsent, self._sent = [], (self._fired, self._sentences)
        features, others = {}, {}
        for number, (name, family) in enumerate(self._families.items(), 1):
            features[name] = self.weights.native.name_keys(new[owner == number])
            others[name] = family.new_keys()
        if not sentences and not any(map(len, (*features.values(), *others.values()))):
            return None
        return Fired(features, others, dict(zip(self._families, counts[1:].tolist(), strict=True)), sentences)

    def merge(self, fired: Fired) -> None:
        """Add the features that a replica of this decoder fired."""
        if unknown := fired.features.keys() - self._families.keys():
            raise ValueError(
                f"expected the features of {sorted(self._families)}, got some of {min(unknown)!r}"
            )
        with self._lock:
            self._account = self._account or Account()
            self._account.add(fired)

    def total(self) -> Fired:
        """Return all features that fired so far, here and in replicas."""
        with self._lock:
            self._account = self._account or Account()
            fired = self.delta()
            if fired is not None:
                self._account.add(fired)
            return self._account.total(self._families)

    def report(self) -> list[FamilyReport]:
        """Return the counts, one row for each plugin."""
        self.look()
        with self._lock:
            if self._account is not None:
                delta = self.delta()
                if delta is not None:
                    self._account.add(delta)
                return self._account.report(self._families, hashed=self.selection.hash_bits > 0)
            features = np.bincount(np.maximum(self._owner, 0), minlength=len(self._families) + 1)
            fired = self._fired / max(self._sentences, 1)
        return [
            FamilyReport(name, family.names(count), count, per_sentence)
            for (name, family), count, per_sentence in zip(
                self._families.items(), features[1:].tolist(), fired[1:].tolist(), strict=True
            )
        ]


class _Watched:
    """Features that native code numbers, with the count of those already read."""

    def __init__(self, features: Callable[[int], NDArray[np.int32]]) -> None:
        self._features, self._seen = features, 0
        self._lock = threading.Lock()

    @contextmanager
    def unseen(self) -> Iterator[NDArray[np.int32]]:
        """Give the features that are new since the last call; after an error they are new again."""
        with self._lock:
            new = self._features(self._seen)
            yield new
            self._seen += len(new)


class Family:
    """The features of one plugin."""

    def __init__(
        self, features: PluginFeatures, plugin: Any, plugin_name: str, label: str, number: int
    ) -> None:
        self._features, self._plugin, self._label = features, plugin, label
        self.plugin_name, self.number = plugin_name, number
        self._declared = None if "*" in plugin.fires else fired_names(plugin)
        self._keys = _native.KeyIndex()  # of names without a feature of their own
        self._sent = 0  # of them
        self._lock = threading.Lock()
        self.watched: list[_Watched] = []

    def check(self, names: Iterable[str]) -> None:
        """Refuse names that the plugin does not declare."""
        if self._declared is None:
            return
        fits = self._declared.fullmatch
        for name in names:
            if not fits(name):
                near = ", ".join(declared_near(self._plugin, name))
                raise FeatureError(
                    f"plugin {self._label} fires {name}, which it does not declare; near: {near}"
                )

    def watch(self, features: Callable[[int], NDArray[np.int32]]) -> None:
        """Let native code number features: `features(n)` returns the features so far without the first n."""
        self.watched.append(_Watched(features))

    def numbers(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each name's feature, int32, -1 if the name is dropped."""
        native = self._features.weights.native
        if not self._features.selection.keeps_all:
            numbers = self._selected(names)
        elif isinstance(names, (_native.IndicatorNames, _native.WordNamesSlice)):
            numbers = names.intern(native)
        else:
            numbers = native.intern_all(list(names))
        self._features.take(numbers, self)
        return numbers

    def names(self, features: int) -> int:
        """Count the different names, given the number of features made from them."""
        return len(self._keys) + (0 if self._features.selection.hash_bits else features)

    def new_keys(self) -> NDArray[np.int64]:
        """Return the keys of new names, since the last call, without a feature of their own."""
        with self._lock:
            keys = self._keys.keys(self._sent)
            self._sent += len(keys)
        return keys

    def _selected(self, names: Sequence[str]) -> NDArray[np.int32]:
        selection, native = self._features.selection, self._features.weights.native
        number_of = native.find if selection.frozen else native.intern
        numbers = np.full(len(names), _DROPPED, np.int32)
        without = []  # names without a feature of their own
        if selection.hash_bits:
            self.check(filter(selection.allows, names))
        for i, name in enumerate(names):
            if selection.allows(name):
                numbers[i] = number_of(selection.hashed(name) if selection.hash_bits else name)
            if selection.hash_bits or numbers[i] < 0:
                without.append(name)
        with self._lock:
            if len(self._keys) < _MOST_COUNTED:
                self._keys.rows(_native.name_keys(without))
        return numbers
