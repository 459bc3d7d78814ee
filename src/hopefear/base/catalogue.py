"""Classes by name: features, metrics, oracles and tuners, built-in and of installed packages."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from hopefear.base.texts import first_word

from .arguments import options_of, parse_arguments
from .errors import ForeignCode, PluginError
from .loading import load_entry, load_path, near

Made = TypeVar("Made")


class Catalogue(Generic[Made]):
    """The classes of one kind, by name.

    A class has a name through an entry point of an installed package, as hopefear's own classes do
    (``pyproject.toml`` lists them), or because this process has registered the class. Every class can also be
    found by its path ``package.module:Class``.
    """

    def __init__(
        self, kind: str, group: str, complaint: Callable[[type], str], *, case_counts: bool = False
    ) -> None:
        self.kind, self.group = kind, group
        self._complaint = complaint
        self._case_counts = case_counts
        self.registered: dict[str, type[Made]] = {}

    def known(self) -> list[str]:
        """List the names that `find` accepts, without module paths, sorted."""
        return sorted({*self.registered, *installed(self.group).names})

    def register(self, found: type[Made], *, name: str | None = None) -> None:
        """Make a class known by name in this process; the default is the class's own name."""
        name = name or found.__name__
        self.check(found, name)
        if origins := self._origins(name):
            raise PluginError(f"{name}: a {self.kind} of this name exists already: {next(iter(origins))}")
        self.registered[name] = found

    def find(self, name: str, *, base: Path | None = None, also: Iterable[str] = ()) -> type[Made]:
        """Load the class of a name or of a path ``package.module:Class``."""
        if ":" in name:
            found = load_path(name, base)
        else:
            origins = self._origins(name)
            if len(origins) > 1:
                raise PluginError(
                    f"{name}: several {self.kind}s have this name: {' and '.join(sorted(origins))}"
                )
            if not origins:
                raise PluginError(f"{name}: unknown {self.kind}, {near(name, {*self.known(), *also})}")
            (load,) = origins.values()
            found = load()
        self.check(found, name)
        return found  # type: ignore[no-any-return]

    def create(self, line: str, *, base: Path | None = None, also: Iterable[str] = ()) -> Made:
        """Make the object of a line ``NAME arguments``, such as the value of a line of a cdec.ini."""
        name, rest = first_word(line)
        found = self.find(name, base=base, also=also)
        spellings: Mapping[str, str] = getattr(found, "spellings", {})
        values = parse_arguments(rest, options_of(found, name), name, base, spellings)
        with ForeignCode(found, lambda what: PluginError(f"{name}: cannot be made: {what}")):
            return found(**values)

    def check(self, found: Any, name: str | None = None) -> None:
        """Refuse what is not a class of the kind."""
        wrong = self._complaint(found) if inspect.isclass(found) else f"must be a class, got {found!r}"
        missing: frozenset[str] = getattr(found, "__abstractmethods__", frozenset())
        if wrong or missing:
            name = name or getattr(found, "__name__", str(found))
            raise PluginError(f"{name}: {wrong or 'must define ' + ', '.join(sorted(missing))}")

    def _origins(self, name: str) -> dict[str, Callable[[], Any]]:
        """Return the sources of a class of the name: a description and a loader for each."""
        wanted = self._key(name)
        origins: dict[str, Callable[[], Any]] = {}
        for known, found in self.registered.items():
            if self._key(known) == wanted:
                origins[f"{found.__module__}:{found.__qualname__}"] = partial(_identity, found)
        for entry in installed(self.group):
            if self._key(entry.name) == wanted:
                package = f" of package {entry.dist.name}" if entry.dist else ""
                origins[entry.value + package] = partial(load_entry, entry)
        return origins

    def _key(self, name: str) -> str:
        return name if self._case_counts else name.lower()


def installed(group: str) -> EntryPoints:
    """Return the entry points of a group; they are read anew if a folder of Python's path has changed."""
    return _installed(group, tuple((folder, _changed(folder)) for folder in sys.path))


@lru_cache(maxsize=32)
def _installed(group: str, folders: tuple[tuple[str, int], ...]) -> EntryPoints:
    return entry_points(group=group)


def _changed(folder: str) -> int:
    """Return when something was added to a folder or removed from it; 0 if there is no such folder."""
    try:
        return os.stat(folder or os.curdir).st_mtime_ns
    except OSError:
        return 0


def _identity(found: type) -> type:
    return found


def method_fault(found: type, methods: Mapping[str, Sequence[str]]) -> str:
    """Say which method a class must have; empty if it has all methods."""
    for method, parameters in methods.items():
        wanted = f"must have {method}({', '.join(('self', *parameters))})"
        if not callable(getattr(found, method, None)):
            return f"{wanted}, has none"
        signature = inspect.signature(getattr(found, method))
        try:
            signature.bind("self", *parameters)
        except TypeError:
            return f"{wanted}, got {method}{signature}"
    return ""
