"""Feature weights: one growing array that the decoder and the tuners share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hopefear import _native
from hopefear.base.errors import InputError
from hopefear.base.files import written_whole
from hopefear.base.lines import each_line
from hopefear.base.tables import data_frame
from hopefear.base.texts import BLANK, shortened
from hopefear.parallel import Published

from .selection import FeatureSelection, read_selection

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 3  # greatest weights in a representation


class Weights(Published):
    """Feature names and their weights.

    The decoder reads the same memory, so a change takes effect with the next sentence. Names are numbered in
    the order in which they are added, and a number never changes.

    Unpickled weights are replicas: empty until an `Executor` publishes the values.

    Attributes
    ----------
    selection : FeatureSelection or None
        How plugins' features were selected, if a decoder or a file has set it; `write` records it.
    """

    def __init__(
        self, values: Mapping[str, float] | None = None, *, native: _native.Weights | None = None
    ) -> None:
        self.native = native or _native.Weights()
        self.selection: FeatureSelection | None = None
        self._fixed = False
        for name, value in (values or {}).items():
            self[name] = value

    @property
    def array(self) -> NDArray[np.float64]:
        """View of all current weights, by feature number: float64, shape (features,)."""
        values = self.native.array
        if self._fixed:
            values.flags.writeable = False
        return values

    def id(self, name: str) -> int:
        """Return the number of a feature; a new feature is added with weight 0."""
        return self.native.intern(name)

    def name(self, feature: int) -> str:
        """Return the name of a feature number.

        Raises
        ------
        IndexError
            There is no feature with this number.
        """
        return self.native.name(feature)

    def intern_all(self, names: list[str]) -> NDArray[np.int32]:
        """Return the numbers of features: int32, shape (names,); new features are added with weight 0."""
        return self.native.intern_all(names)

    def __getitem__(self, name: str) -> float:
        """Return a weight, 0 if the feature is unknown."""
        feature = self.native.find(name)
        return float(self.array[feature]) if feature >= 0 else 0.0

    def __setitem__(self, name: str, value: float) -> None:
        """Set a weight."""
        feature = self.native.intern(name)
        self.array[feature] = value

    def __contains__(self, name: str) -> bool:
        """Tell whether the feature is known."""
        return self.native.find(name) >= 0

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Iterate over (name, weight) of all features, in the order of their numbers."""
        for feature, value in enumerate(self.array.tolist()):
            yield self.native.name(feature), value

    def __len__(self) -> int:
        """Count the features."""
        return len(self.native)

    def __repr__(self) -> str:
        """Count the features, and name those of the greatest weights."""
        values = self.array
        size = np.abs(values)
        candidates = np.argpartition(-size, _SHOWN)[:_SHOWN] if len(size) > _SHOWN else np.flatnonzero(size)
        greatest = sorted(
            candidates[size[candidates] != 0].tolist(), key=lambda feature: (-size[feature], feature)
        )
        shown = [f"{shortened(self.name(feature))}={values[feature]:g}" for feature in greatest]
        if np.count_nonzero(values) > len(shown):
            shown.append("…")
        return f"<Weights: {len(values)} features{', ' if shown else ''}{', '.join(shown)}>"

    def to_frame(self) -> pd.DataFrame:
        """Return the weights that are not 0 as a `pandas.DataFrame`: feature and weight, the greatest first.

        Raises
        ------
        InputError
            pandas is not installed.
        """
        weights = sorted(self.nonzero().items(), key=lambda item: (-abs(item[1]), item[0]))
        return data_frame(
            {"feature": [name for name, _ in weights], "weight": [value for _, value in weights]}
        )

    def nonzero(self) -> dict[str, float]:
        """Return the weights that are not 0, by name."""
        return self.named(self.array)

    def named(self, values: NDArray[np.float64]) -> dict[str, float]:
        """Convert values by feature number, shape at most (features,), to nonzero values by name."""
        return {self.native.name(int(i)): float(values[i]) for i in np.flatnonzero(values)}

    def replace(self, values: NDArray[np.float64]) -> None:
        """Set all weights, by feature number; 0 for features beyond the end of `values`."""
        array = self.array
        array[: len(values)] = values
        array[len(values) :] = 0.0

    def sibling(self, values: NDArray[np.float64]) -> Weights:
        """Return other weights of the same features, as `replace` sets them."""
        other = Weights(native=self.native.sibling())
        other.selection = self.selection
        other.replace(values)
        return other

    def snapshot(self) -> Snapshot:
        """Return the present values, from which other weights can begin."""
        return Snapshot(_native.WeightSnapshot(self.native), self.selection)

    def fixed(self) -> Weights:
        """Return these weights, which refuse changes of their array from now on."""
        self._fixed = True
        return self

    @contextmanager
    def replaced(self, values: NDArray[np.float64]) -> Iterator[None]:
        """Have other weights, as `replace` sets them; these weights are there again in the end."""
        current = self.array.copy()
        self.replace(values)
        try:
            yield
        finally:
            self.replace(current)

    def update(self, values: Mapping[str, float] | Iterable[tuple[str, float]]) -> None:
        """Set several weights."""
        for name, value in dict(values).items():
            self[name] = value

    def clear(self) -> None:
        """Set all weights to 0."""
        self.array[:] = 0.0

    def read(self, path: str | os.PathLike[str], *, scaling: float = 1.0, may_be_empty: bool = False) -> None:
        """Set the weights that a file in cdec's format names, times `scaling`.

        Parameters
        ----------
        may_be_empty : bool
            Whether a file without weights is a vector of zeros, as of a run that has learned nothing. Else
            it is what a dead program or a full disk left.

        Raises
        ------
        InputError
            A line is not ``Name value`` (the error names file and line), the file has none, or the features
            are hashed in another way.
        """
        stored = read_selection(path)
        if stored is not None:
            self.selection = self.selection or stored
            self.selection.check_agrees(stored, path)
        _native.read_weights(os.fspath(path), scaling, self.native)
        if not may_be_empty and not _names_weights(path):
            raise InputError("expected weights, got an empty file or one of comments alone", path=path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the nonzero weights in cdec's format, sorted by name; no partly written file is left.

        Raises
        ------
        InputError
            The file cannot be written, or a weight is not finite, which `read` would refuse.
        """
        wrong = np.flatnonzero(~np.isfinite(self.array))
        if len(wrong):
            name, value = self.name(int(wrong[0])), self.array[wrong[0]]
            raise InputError(f"expected finite weights to write, got {value} for {name}", path=path)
        comment = self.selection.comment() if self.selection is not None else ""
        try:
            with written_whole(path) as beside:
                _native.write_weights(os.fspath(beside), comment, self.native)
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", path=path) from None

    def _factory(self) -> Callable[[], Weights]:
        return partial(_blank, self.selection)


class Snapshot:
    """The values of weights at one moment.

    Weights that begin with them share their memory, but for the parts that they change: sessions and experts
    are overlays of one array.
    """

    def __init__(self, native: _native.WeightSnapshot, selection: FeatureSelection | None) -> None:
        self._native, self._selection = native, selection

    def overlay(self, changes: Mapping[str, float] | None = None) -> Weights:
        """Return weights that have these values, but for some changes."""
        weights = Weights(changes, native=self._native.overlay())
        weights.selection = self._selection
        return weights


def _names_weights(path: str | os.PathLike[str]) -> bool:
    lines = (line.strip(BLANK) for line in each_line(path))
    return any(line and not line.startswith("#") for line in lines)


def _blank(selection: FeatureSelection | None) -> Weights:
    weights = Weights()
    weights.selection = selection
    return weights


def set_priors(weights: NDArray[np.float64], times: Mapping[int, float]) -> None:
    """Give features without a weight a multiple of the greatest absolute weight of the others."""
    greatest = float(np.abs(np.delete(weights, [*times])).max(initial=0.0)) or 1.0
    for feature, multiple in times.items():
        weights[feature] = weights[feature] or multiple * greatest
