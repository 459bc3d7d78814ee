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

    def register(self, class_: type[Made], *, name: str | None = None) -> None:
        """Make a class known by name in this process; the default is the class's own name."""
        name = name or class_.__name__
        self.check(class_, name)
        if origins := self._origins(name):
            raise PluginError(f"{name}: a {self.kind} of this name exists already: {next(iter(origins))}")
        self.registered[name] = class_

    def find(self, name: str, *, base: Path | None = None, also: Iterable[str] = ()) -> type[Made]:
        """Load the class of a name or of a path ``package.module:Class``."""
        if ":" in name:
            class_ = load_path(name, base)
        else:
            origins = self._origins(name)
            if len(origins) > 1:
                raise PluginError(
                    f"{name}: several {self.kind}s have this name: {' and '.join(sorted(origins))}"
                )
            if not origins:
                raise PluginError(f"{name}: unknown {self.kind}, {near(name, {*self.known(), *also})}")
            (load,) = origins.values()
            class_ = load()
        self.check(class_, name)
        return class_  # type: ignore[no-any-return]

    def create(self, line: str, *, base: Path | None = None, also: Iterable[str] = ()) -> Made:
        """Make the object of a line ``NAME arguments``, such as the value of a line of a cdec.ini."""
        name, rest = first_word(line)
        class_ = self.find(name, base=base, also=also)
        spellings: Mapping[str, str] = getattr(class_, "spellings", {})
        values = parse_arguments(rest, options_of(class_, name), name, base, spellings)
        with ForeignCode(class_, lambda what: PluginError(f"{name}: cannot be made: {what}")):
            return class_(**values)

    def check(self, class_: Any, name: str | None = None) -> None:
        """Refuse what is not a class of the kind."""
        wrong = self._complaint(class_) if inspect.isclass(class_) else f"must be a class, got {class_!r}"
        missing: frozenset[str] = getattr(class_, "__abstractmethods__", frozenset())
        if wrong or missing:
            name = name or getattr(class_, "__name__", str(class_))
            raise PluginError(f"{name}: {wrong or 'must define ' + ', '.join(sorted(missing))}")

    def _origins(self, name: str) -> dict[str, Callable[[], Any]]:
        """Return the sources of a class of the name: a description and a loader for each."""
        wanted = self._key(name)
        origins: dict[str, Callable[[], Any]] = {}
        for registered_name, class_ in self.registered.items():
            if self._key(registered_name) == wanted:
                origins[f"{class_.__module__}:{class_.__qualname__}"] = partial(_identity, class_)
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


def _identity(class_: type) -> type:
    return class_


def method_fault(class_: type, methods: Mapping[str, Sequence[str]]) -> str:
    """Say which method a class must have; empty if it has all methods."""
    for method, parameters in methods.items():
        wanted = f"must have {method}({', '.join(('self', *parameters))})"
        if not callable(getattr(class_, method, None)):
            return f"{wanted}, has none"
        signature = inspect.signature(getattr(class_, method))
        try:
            signature.bind("self", *parameters)
        except TypeError:
            return f"{wanted}, got {method}{signature}"
    return ""
