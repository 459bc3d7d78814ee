"""Load classes by entry point or by path ``package.module:Class``, and suggest names for unknown names."""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from .errors import ForeignCode, PluginError

_refused: ContextVar[str | None] = ContextVar("refused", default=None)
"""Why paths of classes are refused at present."""


@contextmanager
def names_only(reason: str) -> Iterator[None]:
    """Refuse paths ``package.module:Class`` in this context: what names the classes is data, not code."""
    token = _refused.set(reason)
    try:
        yield
    finally:
        _refused.reset(token)


def load_entry(entry: EntryPoint) -> Any:
    """Load the object of an installed package's entry point."""
    with ForeignCode(
        entry.module, lambda what: PluginError(f"{entry.name}: cannot load {entry.value}: {what}")
    ):
        return entry.load()


def load_path(path: str, base: Path | None = None) -> Any:
    """Load the class of a path ``package.module:Class``."""
    if reason := _refused.get():
        raise PluginError(f"{path}: expected the name of an installed class, got the path of one: {reason}")
    module_name, _, class_name = path.partition(":")
    if base is not None and str(base.resolve()) not in sys.path:
        sys.path.append(str(base.resolve()))
    with ForeignCode(module_name, lambda what: PluginError(f"{path}: cannot import {module_name}: {what}")):
        module = importlib.import_module(module_name)
    try:
        return getattr(module, class_name)
    except AttributeError:
        classes = {
            key
            for key, value in vars(module).items()
            if inspect.isclass(value)
            and value.__module__.startswith(module_name)
            and not inspect.isabstract(value)
        }
        raise PluginError(f"{path}: {module_name} has no {class_name}, {near(class_name, classes)}") from None


def near(name: str, names: Iterable[str]) -> str:
    """List the names that are similar to an unknown name, or all names if none is similar."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(names)}
    similar = difflib.get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    if similar:
        return "near: " + ", ".join(by_lower[lower] for lower in similar)
    return "known: " + (", ".join(by_lower.values()) or "none")
