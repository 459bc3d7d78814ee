"""What goes wrong with input."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from pathlib import Path
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


def failure(error: BaseException, owner: type | str) -> str:
    """Say in one line what a plugin raised, and where in the plugin's own code.

    Parameters
    ----------
    error : BaseException
        With the traceback that it was caught with.
    owner : type or str
        The plugin's class, or the name of the module that was imported. The plugin's own code is this module
        and those beside it in its package, and the modules of the classes that it is derived from.

    Returns
    -------
    str
        ``LookupError: no such word (features.py:9, in fire)``; the kind of error is left out for an
        `InputError`, and the place where there is none, or where the plugin itself raises an `InputError`.
    """
    text = " ".join(str(error).split())
    if not isinstance(error, InputError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    module = owner if isinstance(owner, str) else owner.__module__
    own = {module} if isinstance(owner, str) else {base.__module__ for base in owner.__mro__}
    package = module.rpartition(".")[0]
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        name = str(frame.f_globals.get("__name__"))
        if name in own or (package and f"{name}.".startswith(f"{package}.")):
            if isinstance(error, InputError) and frame is frames[-1][0]:
                break
            code = frame.f_code
            return f"{text} ({_short(code.co_filename)}:{line}, in {code.co_name})"
    return text


def _short(file: str) -> str:
    """Give a path relative to the working folder where it is below it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
