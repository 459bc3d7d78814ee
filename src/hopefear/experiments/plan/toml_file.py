"""TOML files, read strictly: errors name the file, the line, the key and what was expected."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec

from hopefear.base import InputError
from hopefear.base.loading import near

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")

Key = str | int
"""A key of a table, or a place in a list, counted from 0."""

_NAME = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_NAMES = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_NAMES})\s*\]")
_ENTRY = re.compile(rf"\s*({_NAMES})\s*=")

_KINDS = {
    "object": "a table",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}
"""What msgspec calls the kinds of values, and what a plan's author calls them."""


class WrongKey(ValueError):
    """The value of a key is wrong.

    Attributes
    ----------
    key : str
        The key, in its table.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def expect_known(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise `WrongKey` for a name that is not among the known names."""
    known = list(known)
    for name in names:
        if name not in known:
            raise WrongKey(key, f"{name}: unknown, {near(name, known)}")


class TomlFile:
    """A TOML file.

    Parameters
    ----------
    path : Path
        The file.
    made : callable, optional
        Makes values of types that msgspec does not know, as its ``dec_hook``.

    Attributes
    ----------
    content : dict
        The content of the file.

    Raises
    ------
    InputError
        The file cannot be read or is not TOML; the error names file and line.
    """

    def __init__(self, path: Path, made: Callable[[type, Any], Any] | None = None) -> None:
        self.path, self.made = path, made
        try:
            text = path.read_text("utf-8")
            self.content: dict[str, Any] = tomllib.loads(text)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        except RecursionError:
            raise InputError("expected TOML, got TOML that is nested too deeply", path=path) from None
        except ValueError as error:  # no UTF-8, no TOML, or a number of too many digits
            line = re.search(r"at line (\d+)", str(error))
            raise InputError(
                f"expected TOML: {error}", path=path, line=int(line[1]) if line else None
            ) from None
        self._lines = text.splitlines()

    def line_of(self, keys: tuple[Key, ...]) -> int | None:
        """Return the line of a key, or of the nearest table around it that has a line; None without one."""
        best, found, table = 0, None, tuple[Key, ...]()
        listed = Counter[tuple[Key, ...]]()

        def placed(names: tuple[Key, ...]) -> tuple[Key, ...]:
            place = tuple[Key, ...]()
            for name in names:
                place += (name,)
                place += (listed[place] - 1,) if listed[place] else ()
            return place

        for number, line in enumerate(self._lines, 1):
            header, entry = _HEADER.match(line), _ENTRY.match(line)
            if header:
                names = _names(header[2])
                if header[1] == "[[":
                    listed[(*placed(names[:-1]), names[-1])] += 1
                here = table = placed(names)
            elif entry:
                here = table + _names(entry[1])
            else:
                continue
            if len(here) > best and keys[: len(here)] == here:
                best, found = len(here), number
        return found

    def fail(self, keys: tuple[Key, ...], message: str) -> NoReturn:
        """Raise `InputError` about a key."""
        raise InputError(f"{shown(keys)}: {message}", path=self.path, line=self.line_of(keys))

    @contextmanager
    def blamed(self, *keys: Key) -> Iterator[None]:
        """Name the key, or the key of `WrongKey` in its table, in errors that its value causes."""
        try:
            yield
        except WrongKey as error:
            self.fail((*keys, error.key), str(error))
        except ValueError as error:
            self.fail(keys, str(error))

    def decoded(self, kind: type[T], value: object, *keys: Key) -> T:
        """Return the value of a key as a type.

        Raises
        ------
        InputError
            The value is not of this type.
        """
        try:
            return msgspec.convert(value, kind, dec_hook=self.made)
        except msgspec.ValidationError as error:
            message, *where = str(error).rsplit(" - at ", 1)
            for name, place in re.findall(r"\.(\w+)|\[(\d+)\]", "".join(where)):
                keys += (name or int(place),)
            if isinstance(error.__cause__, WrongKey):
                self.fail((*keys, error.__cause__.key), message)
            if missing := re.fullmatch(r"Object missing required field `(.*)`", message):
                self.fail((*keys, missing[1]), "expected a value, got nothing")
            if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message):
                known = "" if where else f", {near(unknown[1], getattr(kind, '__struct_fields__', ()))}"
                self.fail((*keys, unknown[1]), f"unknown{known}")
            self.fail(keys, plain(message))


def shown(keys: tuple[Key, ...]) -> str:
    """Write a key with the tables around it; a number counts the tables of a list from 1."""
    return "".join(f" {key + 1}" if isinstance(key, int) else f".{key}" for key in keys)[1:]


def plain(message: str) -> str:
    """Return a message of msgspec with the words of a plan's author for kinds of values."""

    def spoken(kinds: re.Match[str]) -> str:
        return " or ".join(_KINDS.get(kind, kind) for kind in kinds[1].split(" | ") if kind != "null")

    return re.sub(r"`([\w| ]+)`", spoken, message[0].lower() + message[1:])


def _names(dotted: str) -> tuple[Key, ...]:
    """Return the names of a dotted key, without quotes."""
    return tuple(name.strip("\"'") for name in re.findall(_NAME, dotted))
