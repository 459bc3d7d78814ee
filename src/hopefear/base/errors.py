"""Errors about input."""

from __future__ import annotations

import os
import re
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def shown(name: str | bytes | os.PathLike[Any]) -> str:
    """Return the name of a file, or another text of a message, without control characters and line ends."""
    text = os.fsdecode(name)
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class InputError(ValueError):
    """The input is wrong.

    Attributes
    ----------
    path : str or None
        The file, or a name for another source, such as standard input.
    line : int or None
        The line of the file, from 1.
    """

    def __init__(
        self, message: str, *, path: str | os.PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.path = None if path is None else os.fspath(path)
        self.line = line
        where = "" if path is None else f"{shown(path)}:{line}: " if line else f"{shown(path)}: "
        super().__init__(where + message)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """Pickle the error without a call of its constructor."""
        return BaseException.__new__, (type(self), *self.args), self.__dict__


@contextmanager
def naming_file(path: str | os.PathLike[str], line: int | None = None) -> Iterator[None]:
    """Let errors that name no file name this one."""
    try:
        yield
    except InputError as error:
        if error.path is not None:
            raise
        raise InputError(str(error), path=path, line=line or error.line) from None


class InvalidConfig(InputError):
    """A cdec.ini, or a configuration from another source, is wrong."""


class ParseFailed(InputError):
    """No derivation covers the sentence."""


class ScoreError(InputError):
    """The score of an edge is too large to be added to others; the message names the feature to blame."""


class PluginError(InputError):
    """A plugin is unknown, its class or its arguments are wrong, or it gave a wrong answer.

    The message begins with the plugin's name.
    """


class ForeignCode:
    """Context in which code of a plugin runs: what it raises becomes an error that says where it was raised.

    This includes SystemExit: only a KeyboardInterrupt ends the run.
    """

    __slots__ = ("_as_error", "_owner", "_passing")

    def __init__(
        self, owner: type | str, as_error: Callable[[str], Exception], *passing: type[BaseException]
    ) -> None:
        self._owner, self._as_error, self._passing = owner, as_error, passing

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and not isinstance(error, (KeyboardInterrupt, *self._passing)):
            raise self._as_error(_failure(error, self._owner)) from error


def is_ours(owner: type | str) -> bool:
    """Tell whether a class or a module is one of hopefear."""
    module = owner if isinstance(owner, str) else owner.__module__
    return module.startswith("hopefear.") or module == "hopefear"


class AuthorsCode(ForeignCode):
    """As `ForeignCode`, for classes that hopefear has, too: what their code raises is left as it is."""

    __slots__ = ()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not is_ours(self._owner):
            super().__exit__(kind, error, trace)


def _failure(error: BaseException, owner: type | str) -> str:
    """Describe in one line what the code of an owner raised, and where, see `ForeignCode`."""
    text = re.sub(r"\s+", " ", str(error)).strip(" ")
    if not isinstance(error, InputError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    module = owner if isinstance(owner, str) else owner.__module__
    modules = {module} if isinstance(owner, str) else {base.__module__ for base in owner.__mro__}
    if not is_ours(owner):  # its line, not that of a base class in hopefear
        modules = {name for name in modules if not is_ours(name)}
    package = module.rpartition(".")[0]
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        name = str(frame.f_globals.get("__name__"))
        if name in modules or (package and f"{name}.".startswith(f"{package}.")):
            if isinstance(error, InputError) and frame is frames[-1][0]:
                break
            code = frame.f_code
            return f"{text} ({_short(code.co_filename)}:{line}, in {code.co_name})"
    return text


def _short(file: str) -> str:
    """Return a path, relative to the working folder if it is inside it."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file
