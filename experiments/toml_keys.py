"""Tables of a TOML file, read strictly: errors name the file, the line, the key and what was expected."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from hopefear.decoder import InputError
from hopefear.plugins.loading import near

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

T = TypeVar("T")


class TomlFile:
    """A TOML file.

    Parameters
    ----------
    path : Path
        Relative paths in it are relative to its folder.
    folders : dict of str to Path or None
        What ``{data}`` and such stand for in it, by name; None where it was not said.

    Attributes
    ----------
    content : dict
        What it says.

    Raises
    ------
    InputError
        With file and line: it cannot be read, or is no TOML.
    """

    def __init__(self, path: Path, folders: Mapping[str, Path | None]) -> None:
        self.path, self.folders = path, folders
        try:
            text = path.read_text("utf-8")
            self.content: dict[str, Any] = tomllib.loads(text)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=path) from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            line = re.search(r"at line (\d+)", str(error))
            raise InputError(
                f"expected TOML: {error}", path=path, line=int(line[1]) if line else None
            ) from None
        self._lines = text.splitlines()
        self._headers = [_header(line) for line in self._lines]

    def line_of(self, name: str) -> int | None:
        """Find the line of a table's header, or of a key behind that of its table; else that, else none."""
        own = self._line_of_header(name)
        if own or not name:
            return own
        table, _, key = name.rpartition(".")
        first = self._line_of_header(table) if table else 0
        if first is None:
            return self.line_of(table)
        wanted = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[.=]")
        for i in range(first, len(self._lines)):
            if self._headers[i] is not None:
                break
            if wanted.match(self._lines[i]):
                return i + 1
        return first or None

    def _line_of_header(self, table: str) -> int | None:
        """Find the header of a table; "runs 2" is the second [[runs]]."""
        listed = re.fullmatch(r"(\w+) (\d+)", table)
        title, number = (listed[1], int(listed[2])) if listed else (table, 1)
        lines = [i for i, header in enumerate(self._headers, 1) if header == title]
        return lines[min(number, len(lines)) - 1] if lines else None

    def expanded(self, keys: Keys, key: str, text: str) -> str:
        """Put the folders in."""
        for name, folder in self.folders.items():
            if folder is not None:
                text = text.replace(f"{{{name}}}", str(folder.absolute()))
            elif f"{{{name}}}" in text:
                keys.fail(key, f"expected to be told what {{{name}}} is: --{name} FOLDER")
        return text

    def resolved(self, keys: Keys, key: str, text: str) -> Path:
        """Make a path of a text; relative ones are relative to the file's folder."""
        return self.path.parent / self.expanded(keys, key, text)


class Keys:
    """A table of the file; what has not been asked for in the end is unknown.

    Parameters
    ----------
    name : str
        Of the table, with dots; a number behind it counts the tables of a list from 1.
    content : object
        The table; anything else is refused.

    Attributes
    ----------
    left : dict
        What has not been asked for.
    """

    def __init__(self, file: TomlFile, name: str, content: Any) -> None:
        self.file, self.name = file, name
        if not isinstance(content, dict):
            self.fail("", f"expected a table, got {content!r}")
        self.left: dict[str, Any] = dict(content)
        self.known: list[str] = []

    def fail(self, key: str, message: str) -> NoReturn:
        """Raise `InputError` about a key."""
        name = ".".join(filter(None, [self.name, key]))
        raise InputError(f"{name}: {message}", path=self.file.path, line=self.file.line_of(name))

    def take(self, key: str, default: Any = None) -> Any:
        """Give what a key says."""
        self.known.append(key)
        return self.left.pop(key, default)

    def typed(self, key: str, kind: type[T] | tuple[type[T], ...], what: str, default: Any = ...) -> Any:
        """Give what a key says if it is of a type."""
        value = self.take(key, default)
        if value is ...:
            self.fail(key, f"expected {what}, got nothing")
        fits = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
        if value is not default and not fits:
            self.fail(key, f"expected {what}, got {value!r}")
        return value

    def text(self, key: str, default: Any = ...) -> Any:
        """Give a text."""
        return self.typed(key, str, "text", default)

    def positive(self, key: str, default: float) -> float:
        """Give a number above 0."""
        value = float(self.typed(key, (int, float), "a number", default))
        if not (isfinite(value) and value > 0):
            self.fail(key, f"expected a number above 0, got {value:g}")
        return value

    def whole(self, key: str, default: int, *, least: int = 0) -> int:
        """Give a whole number from `least`."""
        value: int = self.typed(key, int, "a whole number", default)
        if value < least:
            self.fail(key, f"expected a whole number from {least}, got {value}")
        return value

    def path(self, key: str) -> Path | None:
        """Give a path, None where the key is missing."""
        value = self.text(key, None)
        return None if value is None else self.file.resolved(self, key, value)

    def some(self, key: str, kind: type[T], what: str, default: Iterable[T] | None) -> tuple[T, ...]:
        """Give a list whose items are all of a type."""
        value = self.take(key)
        if value is None and default is not None:
            return tuple(default)
        if not isinstance(value, list) or not all(type(item) is kind for item in value):
            self.fail(key, f"expected a list of {what}, got {'nothing' if value is None else repr(value)}")
        return tuple(value)

    def texts(self, key: str, default: Iterable[str] | None = None) -> tuple[str, ...]:
        """Give a list of texts."""
        return self.some(key, str, "texts", default)

    def some_texts(self, key: str, default: Iterable[str] | None = None) -> tuple[str, ...]:
        """Give a list, not empty, of texts."""
        values = self.texts(key, default)
        if not values:
            self.fail(key, "expected at least one, got none")
        return values

    def counts(self, key: str, default: Iterable[int]) -> tuple[int, ...]:
        """Give a list, not empty, of whole numbers from 0."""
        values = self.some(key, int, "whole numbers", default)
        if not values or min(values) < 0:
            self.fail(key, f"expected whole numbers from 0, got {list(values)}")
        return values

    def tables(self, key: str) -> dict[str, Any]:
        """Give a table of tables or values."""
        value = self.take(key, {})
        if not isinstance(value, dict):
            self.fail(key, f"expected tables, got {value!r}")
        return dict(value)

    def named(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        """Check that names are known."""
        known = list(known)
        for name in names:
            if name not in known:
                self.fail(key, f"{name}: unknown, {near(name, known)}")

    @contextmanager
    def blamed(self, key: str) -> Iterator[None]:
        """Say of what a wrong value raises, where it is used, that it stands in a key."""
        try:
            yield
        except ValueError as error:
            self.fail(key, str(error))

    def done(self) -> None:
        """Check that every key was asked for."""
        for key in self.left:
            self.fail(key, f"unknown, known are {', '.join(self.known)}")


def _header(line: str) -> str | None:
    """Give the table that a line begins, without quotes; None for other lines."""
    found = re.fullmatch(r"\s*\[+\s*(.*?)\s*\]+\s*(#.*)?", line)
    return None if found is None else re.sub(r"[\"']", "", found[1])
