"""Tables of a TOML file, read strictly: errors name the file, the line, the key and what was expected."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from hopefear.base import InputError
from hopefear.base.loading import near

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
        Folders that replace ``{data}`` and similar names in the file; None if not given.

    Attributes
    ----------
    content : dict
        The content of the file.

    Raises
    ------
    InputError
        The file cannot be read or is not TOML; the error names file and line.
    """

    def __init__(self, path: Path, folders: Mapping[str, Path | None]) -> None:
        self.path, self.folders = path, folders
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
        self._headers = [_header(line) for line in self._lines]

    def line_of(self, name: str) -> int | None:
        """Find the line of a table's header, or of a key in a table; the header's line if there is no key."""
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
        """Replace the names of folders in a text."""
        for name, folder in self.folders.items():
            if folder is not None:
                text = text.replace(f"{{{name}}}", str(folder.absolute()))
            elif f"{{{name}}}" in text:
                keys.fail(key, f"expected a folder for {{{name}}}: give --{name} FOLDER")
        return text

    def resolved(self, keys: Keys, key: str, text: str) -> Path:
        """Make a path from a text; a relative path is relative to the file's folder."""
        return self.path.parent / self.expanded(keys, key, text)


class Keys:
    """A table of the file; `done` refuses the keys that nothing has read.

    Parameters
    ----------
    name : str
        Name of the table, with dots; a number after it counts the tables of a list from 1.
    content : object
        The table; any other type is refused.

    Attributes
    ----------
    left : dict
        The keys that have not been read.
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
        """Read the value of a key."""
        self.known.append(key)
        return self.left.pop(key, default)

    def typed(self, key: str, kind: type[T] | tuple[type[T], ...], what: str, default: Any = ...) -> Any:
        """Read the value of a key, which must be of a type."""
        value = self.take(key, default)
        if value is ...:
            self.fail(key, f"expected {what}, got nothing")
        fits = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
        if value is not default and not fits:
            self.fail(key, f"expected {what}, got {value!r}")
        return value

    def text(self, key: str, default: Any = ...) -> Any:
        """Read a text."""
        return self.typed(key, str, "text", default)

    def positive(self, key: str, default: float) -> float:
        """Read a number above 0."""
        value = float(self.typed(key, (int, float), "a number", default))
        if not (isfinite(value) and value > 0):
            self.fail(key, f"expected a number above 0, got {value:g}")
        return value

    def whole(self, key: str, default: int, *, least: int = 0) -> int:
        """Read a whole number of at least `least`."""
        value: int = self.typed(key, int, "a whole number", default)
        if value < least:
            self.fail(key, f"expected a whole number from {least}, got {value}")
        return value

    def path(self, key: str) -> Path | None:
        """Read a path; None if the key is missing."""
        value = self.text(key, None)
        return None if value is None else self.file.resolved(self, key, value)

    def some(self, key: str, kind: type[T], what: str, default: Iterable[T] | None) -> tuple[T, ...]:
        """Read a list whose items are all of a type."""
        value = self.take(key)
        if value is None and default is not None:
            return tuple(default)
        if not isinstance(value, list) or not all(type(item) is kind for item in value):
            self.fail(key, f"expected a list of {what}, got {'nothing' if value is None else repr(value)}")
        return tuple(value)

    def texts(self, key: str, default: Iterable[str] | None = None) -> tuple[str, ...]:
        """Read a list of texts."""
        return self.some(key, str, "texts", default)

    def some_texts(self, key: str, default: Iterable[str] | None = None) -> tuple[str, ...]:
        """Read a list of at least one text."""
        values = self.texts(key, default)
        if not values:
            self.fail(key, "expected at least one, got none")
        return values

    def counts(self, key: str, default: Iterable[int]) -> tuple[int, ...]:
        """Read a list of at least one whole number from 0."""
        values = self.some(key, int, "whole numbers", default)
        if not values or min(values) < 0:
            self.fail(key, f"expected whole numbers from 0, got {list(values)}")
        return values

    def tables(self, key: str) -> dict[str, Any]:
        """Read a table of tables or values."""
        value = self.take(key, {})
        if not isinstance(value, dict):
            self.fail(key, f"expected tables, got {value!r}")
        return dict(value)

    def named(self, key: str, names: Iterable[str], known: Iterable[str]) -> None:
        """Refuse unknown names."""
        known = list(known)
        for name in names:
            if name not in known:
                self.fail(key, f"{name}: unknown, {near(name, known)}")

    @contextmanager
    def blamed(self, key: str) -> Iterator[None]:
        """Add the name of the key to errors that its value causes where it is used."""
        try:
            yield
        except ValueError as error:
            self.fail(key, str(error))

    def done(self) -> None:
        """Refuse keys that were not read."""
        for key in self.left:
            self.fail(key, f"unknown, known are {', '.join(self.known)}")


def _header(line: str) -> str | None:
    """Return the name of the table that a line begins, without quotes; None for other lines."""
    found = re.fullmatch(r"\s*\[+\s*(.*?)\s*\]+\s*(#.*)?", line)
    return None if found is None else re.sub(r"[\"']", "", found[1])
