"""Oracles and metrics by name: built-in, from installed packages, or by module path."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from hopefear.base import ForeignCode

from .arguments import options_of, parse_arguments
from .errors import PluginError
from .loading import load_entry, load_path, near


class Catalogue:
    """The classes of one kind, by name.

    Parameters
    ----------
    kind : str
        The name of the kind in messages; ``hopefear.`` with its plural is the entry point group of packages.
    built_ins : str
        The module whose ``__all__`` lists the built-in classes. By name, not by an import statement: this
        folder must not depend on that one.
    complaint : callable
        ``complaint(class) -> str`` says what a class must be or have, as "must …"; empty if nothing is wrong.
    """

    def __init__(self, kind: str, built_ins: str, complaint: Callable[[type], str]) -> None:
        self.kind = kind
        self.group = f"hopefear.{kind}s"
        self._module = built_ins
        self._complaint = complaint

    def known(self) -> list[str]:
        """List the names that `find` accepts, without module paths, sorted."""
        return sorted({*self._built_ins(), *entry_points(group=self.group).names})

    def find(self, name: str, *, base: Path | None = None) -> type[Any]:
        """Load the class of a name, in upper or lower case, or of a path ``package.module:Class``.

        Raises
        ------
        PluginError
            There is no such class, or two classes have the name, or the class cannot be loaded or is not of
            the kind.
        """
        if ":" in name:
            found = load_path(name, base)
        else:
            origins = self._origins(name)
            if len(origins) > 1:
                raise PluginError(f"{name}: several {self.kind}s have this name: {' and '.join(origins)}")
            if not origins:
                raise PluginError(f"{name}: unknown {self.kind}, {near(name, self.known())}")
            ((_, load),) = origins.items()
            found = load()
        wrong = self._complaint(found) if inspect.isclass(found) else f"must be a class, got {found!r}"
        missing: frozenset[str] = getattr(found, "__abstractmethods__", frozenset())
        if wrong or missing:
            raise PluginError(f"{name}: {wrong or 'must define ' + ', '.join(sorted(missing))}")
        return found  # type: ignore[no-any-return]

    def create(self, line: str, *, base: Path | None = None) -> Any:
        """Make the object of a line ``NAME arguments``.

        Parameters
        ----------
        line : str
            Name and arguments, see `hopefear.plugins.arguments`.
        base : Path, optional
            The folder for relative paths; modules are also searched in it.

        Raises
        ------
        PluginError
            See `find`; or an argument is wrong, or the constructor raised an exception.
        """
        name, *rest = line.split(maxsplit=1) or [""]
        found = self.find(name, base=base)
        values = parse_arguments("".join(rest), options_of(found, name), name, base)
        with ForeignCode(found, lambda what: PluginError(f"{name}: cannot be made: {what}")):
            return found(**values)

    def _built_ins(self) -> list[str]:
        module = importlib.import_module(self._module)
        values = {name: getattr(module, name) for name in module.__all__}
        return [
            name
            for name, value in values.items()
            if inspect.isclass(value) and not inspect.isabstract(value) and not self._complaint(value)
        ]

    def _origins(self, name: str) -> dict[str, Callable[[], Any]]:
        """Give the sources of a class of the name: a description and a loader for each."""
        wanted = name.lower()
        origins: dict[str, Callable[[], Any]] = {}
        for built_in in self._built_ins():
            if built_in.lower() == wanted:
                path = f"{self._module}:{built_in}"
                origins[path] = partial(load_path, path)
        for entry in entry_points(group=self.group):
            if entry.name.lower() == wanted:
                package = f" of package {entry.dist.name}" if entry.dist else ""
                origins[entry.value + package] = partial(load_entry, entry)
        return origins
