"""A line through the weights of sparse features; dense ones are free (Flanigan et al. 2013, section 5.1)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopefear.base.arrays import Floats, Ints
from hopefear.decoder import KBestList, Translator
from hopefear.parallel import Named

from ..solvers import list_of_entries, row_sums
from .dense_features import DenseFeatures

OLD, NEW = "Hols_w_f", "Hols_g_f"
"""The features f1 = w_s·f_s and f2 = g·f_s."""

Reduced = Mapping[str, float]
"""Weights by name: b and α as those of `OLD` and `NEW`, and w_d of the dense features seen so far."""


class SparseLine:
    """Weights w_d + b w_s + α g, of which a search knows w_d, b and α only."""

    def __init__(
        self,
        decoder: Translator,
        dense: DenseFeatures,
        start: Floats,
        direction: Floats,
    ) -> None:
        self.decoder = decoder
        self._dense = dense
        self._start, self._direction = start, direction
        self._old, self._new = decoder.weights.id(OLD), decoder.weights.id(NEW)
        self._installed: Reduced | None = None
        self._lock = threading.Lock()

    @property
    def begin(self) -> dict[str, float]:
        """The weights at the start."""
        return {OLD: 1.0, NEW: 0.0}

    def with_seen(self, weights: Reduced, names: Iterable[str]) -> dict[str, float]:
        """Return weights with those of features seen, in the order of their numbers; new ones have b w_d."""
        number = self.decoder.weights.id
        return {
            name: weights[name] if name in weights else weights[OLD] * self._start_of(number(name))
            for name in sorted(dict.fromkeys((*weights, *names)), key=number)
        }

    def full(self, weights: Reduced) -> Floats:
        """Return the weights of all features there are, by feature number."""
        full = np.zeros(len(self.decoder.weights))
        full[: len(self._start)] += weights[OLD] * self._start[: len(full)]
        full[: len(self._direction)] += weights[NEW] * self._direction
        for name, weight in weights.items():
            full[self.decoder.weights.id(name)] = weight
        full[[self._old, self._new]] = 0.0
        return full

    def install(self, weights: Reduced) -> None:
        """Set the decoder's weights, unless they are those that were set last; several threads may."""
        with self._lock:
            if weights != self._installed:
                self.decoder.weights.replace(self.full(weights))
                self._installed = dict(weights)

    def array(self, weights: Reduced) -> Floats:
        """Return weights by the numbers of the features that `reduce` gives."""
        numbers = [self.decoder.weights.id(name) for name in weights]
        array = np.zeros(len(self.decoder.weights))
        array[numbers] = list(weights.values())
        return array

    def reduce(self, translations: KBestList) -> KBestList:
        """Return translations of the decoder with the features (f_d, f1, f2)."""
        count, features, values = len(translations), translations.features, translations.values
        dense = self._dense.mask(self.decoder, features)
        row = np.repeat(np.arange(count), np.diff(translations.indptr))
        sparse = np.flatnonzero(~dense)
        lines = [
            row_sums(row[sparse], _pick(w, features[sparse]) * values[sparse], count)
            for w in (self._start, self._direction)
        ]
        row = np.concatenate((row[dense], np.arange(count), np.arange(count)))
        both = np.repeat(np.array([self._old, self._new], np.int32), count)
        features = np.concatenate((features[dense], both))
        return list_of_entries(translations.texts, row, features, np.concatenate((values[dense], *lines)))

    def __reduce__(self) -> tuple[Callable[..., SparseLine], tuple[Any, ...]]:
        """Return names in place of numbers."""
        numbers = np.union1d(np.flatnonzero(self._start), np.flatnonzero(self._direction)).astype(np.int32)
        named = Named.of(self.decoder.weights, numbers)
        return _renumbered, (
            self.decoder,
            self._dense,
            named,
            _pick(self._start, numbers),
            _pick(self._direction, numbers),
        )

    def _start_of(self, feature: int) -> float:
        return float(self._start[feature]) if feature < len(self._start) else 0.0


def _renumbered(
    decoder: Translator,
    dense: DenseFeatures,
    named: Named,
    start: Floats,
    direction: Floats,
) -> SparseLine:
    numbers = named.numbers(decoder.weights)
    arrays = np.zeros((2, len(decoder.weights)))
    arrays[:, numbers] = start, direction
    return SparseLine(decoder, dense, arrays[0], arrays[1])


def _pick(values: NDArray[Any], features: NDArray[np.int32] | Ints) -> NDArray[Any]:
    """Return the values of features, 0 beyond the end."""
    picked = np.zeros(len(features), values.dtype)
    known = np.flatnonzero(features < len(values))
    picked[known] = values[features[known]]
    return picked
