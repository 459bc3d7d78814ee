"""TOML files, read strictly: errors name the file, the line, the key and what was expected."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from hopefear.base import InputError
from hopefear.base.loading import near
from hopefear.base.texts import split_lines
from hopefear.base.typed import Key, T, WrongPart, typed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_NAME = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_NAMES = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_NAMES})\s*\]")
_ENTRY = re.compile(rf"\s*({_NAMES})\s*=")


def expect_known(key: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise `WrongPart` for a name that is not among the known names."""
    known = list(known)
    for name in names:
        if name not in known:
            raise WrongPart((key,), f"{name}: unknown, {near(name, known)}")


_DEEP_KEY = re.compile(r"""(?:\.[ \t]*["']?[\w-]{1,40}["']?[ \t]*){100}""")


class TomlFile:
    """A TOML file."""

    def __init__(self, path: Path, made: Callable[[type, Any], Any] | None = None) -> None:
        self.path, self.made = path, made
        try:
            text = path.read_text("utf-8")
            if _DEEP_KEY.search(text):  # the parser takes time that grows with its square
                raise RecursionError
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
        self._lines = split_lines(text)

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
        """Name the key, and the part of it that is wrong, in errors that its value causes."""
        try:
            yield
        except WrongPart as error:
            self.fail((*keys, *error.keys), error.message)
        except ValueError as error:
            self.fail(keys, str(error))

    def decoded(self, kind: type[T], value: object, *keys: Key) -> T:
        """Return the value of a key as a type."""
        with self.blamed(*keys):
            return typed(kind, value, self.made)


def shown(keys: tuple[Key, ...]) -> str:
    """Write a key with the tables around it; a number counts the tables of a list from 1."""
    return "".join(f" {key + 1}" if isinstance(key, int) else f".{key}" for key in keys)[1:]


def _names(dotted: str) -> tuple[Key, ...]:
    """Return the names of a dotted key, without quotes."""
    return tuple(name.strip("\"'") for name in re.findall(_NAME, dotted))
