"""What goes wrong with input."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


class InputError(ValueError):
    """Input is not what was expected.

    Attributes
    ----------
    path : str or None
        The file, or what stands for it.
    line : int or None
        Its line, from 1.
    """

    def __init__(
        self, message: str, *, path: str | os.PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.path = None if path is None else os.fspath(path)
        self.line = line
        where = "" if self.path is None else f"{self.path}:{line}: " if line else f"{self.path}: "
        super().__init__(where + message)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """Pickle the error as it is, whatever its constructor takes."""
        return BaseException.__new__, (type(self), *self.args), self.__dict__


class InvalidConfig(InputError):
    """A cdec.ini, or what stands for it, is wrong."""


class ParseFailed(InputError):
    """No derivation covers the sentence."""
