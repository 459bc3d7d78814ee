"""Read-only data for plugins: several plugins share the same arrays and mappings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)
Value = TypeVar("Value")


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Make an array, and the arrays that it is a part of, read-only; return the array."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base.flags.writeable = False
        base = base.base
    return array


class shown_array(cached_property[NDArray[Scalar]], Generic[Scalar]):
    """A read-only array that is made when it is first read."""

    def __init__(self, make: Callable[[Any], NDArray[Scalar]]) -> None:
        super().__init__(lambda owner: read_only(make(owner)))
        self.__doc__ = make.__doc__


class ReadOnlyMapping(Mapping[str, Value]):
    """A copy of a mapping that cannot be changed. Unlike `types.MappingProxyType` it can be pickled."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Value:
        """Return the value of a name."""
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._values)

    def __len__(self) -> int:
        """Count the names."""
        return len(self._values)

    def __repr__(self) -> str:
        """Show the mapping as a dictionary."""
        return repr(self._values)
