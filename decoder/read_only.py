"""Arrays that plugins are shown: several plugins see the same ones, so nobody may write to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def read_only(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Make an array read-only, and give it back."""
    array.flags.writeable = False
    return array


class shown_array(cached_property[NDArray[Scalar]], Generic[Scalar]):
    """An array that is made when it is first read, and read-only."""

    def __init__(self, make: Callable[[Any], NDArray[Scalar]]) -> None:
        super().__init__(lambda owner: read_only(make(owner)))
        self.__doc__ = make.__doc__
