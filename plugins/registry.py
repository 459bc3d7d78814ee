"""Plugins by name: built-in, from installed packages, registered in this process, or by module path."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar

from hopefear.base import ForeignCode

from .arguments import options_of, parse_arguments
from .errors import PluginError
from .levels import EdgeFeatures, NgramFeatures, Plugin, RuleFeatures, StateFeatures
from .loading import load_entry, load_path, near

GROUP = "hopefear.features"
"""The entry point group for the plugins of an installed package."""

CDEC_NAMES = {
    "CMR2008ReorderingFeatures": "CMRReordering",
    "RuleIdentityFeatures": "RuleIndicators",
    "RuleShape2": "RuleShape",
    "RuleSourceBigramFeatures": "RuleSourceBigrams",
    "RuleTargetBigramFeatures": "RuleTargetBigrams",
    "SourcePathFeatures": "SourcePath",
    "SourceSpanSizeFeatures": "LexicalSpanSize",
    "SpanFeatures": "SpanBoundary",
}
"""cdec's feature functions that are plugins here."""

_BUILT_INS = "hopefear.feature_extractors"

# The methods that the engine calls at each level, and their arguments.
_CALLS: dict[type[Plugin], dict[str, tuple[str, ...]]] = {
    RuleFeatures: {"fire": ("rules",)},
    EdgeFeatures: {"fire": ("edges", "segment"), "rule_attributes": ("rules",)},
    NgramFeatures: {"strings": ("rules",)},
    StateFeatures: {"begin": ("rules", "segment"), "fire": ("edges", "sentence")},
}
_LEVELS = {RuleFeatures: "rule", EdgeFeatures: "edge", NgramFeatures: "n-gram", StateFeatures: "state"}

_registered: dict[str, type[Plugin]] = {}

PluginClass = TypeVar("PluginClass", bound=type[Plugin])


def register(plugin_class: PluginClass, *, name: str | None = None) -> PluginClass:
    """Make a plugin known by name in this process; also a class decorator.

    Parameters
    ----------
    plugin_class : type
        A subclass of `RuleFeatures`, `EdgeFeatures`, `NgramFeatures` or `StateFeatures`.
    name : str, optional
        The name of the plugin. The default is the name of the class.

    Raises
    ------
    PluginError
        The name is already used, or `check_class` or `options_of` refuses the class.
    """
    name = name or plugin_class.__name__
    check_class(plugin_class, name)
    options_of(plugin_class, name)
    if name in _registered or name in _built_ins() or name in CDEC_NAMES:
        raise PluginError(f"{name}: a plugin of this name exists already: {_origins(name)[0][0]}")
    _registered[name] = plugin_class
    return plugin_class


def known() -> list[str]:
    """List the names that `find` accepts, without module paths, sorted."""
    return sorted({*_built_ins(), *CDEC_NAMES, *_registered, *entry_points(group=GROUP).names})


def find(name: str, *, base: Path | None = None, also: Iterable[str] = ()) -> type[Plugin]:
    """Load the plugin of a name or of a path ``package.module:Class``.

    Parameters
    ----------
    name : str
        Case counts.
    base : Path, optional
        A folder that is added to the end of Python's path for a module path, so that modules beside a
        cdec.ini need no installation.
    also : iterable of str
        Names that the caller handles itself, for the list of similar names in an error.

    Raises
    ------
    PluginError
        There is no such plugin, or two plugins have the name, or the plugin cannot be loaded, or
        `check_class` or `options_of` refuses it.
    """
    if ":" in name:
        plugin_class = load_path(name, base)
    else:
        origins = _origins(name)
        if len(origins) > 1:
            raise PluginError(
                f"{name}: several plugins have this name: {' and '.join(origin for origin, _ in origins)}"
            )
        if not origins:
            raise PluginError(f"{name}: unknown feature function, {near(name, {*known(), *also})}")
        plugin_class = origins[0][1]()
    check_class(plugin_class, name)
    options_of(plugin_class, name)
    return plugin_class  # type: ignore[no-any-return]


def create(
    line: str, arguments: str | None = None, *, base: Path | None = None, also: Iterable[str] = ()
) -> Plugin:
    """Make the plugin of a cdec.ini line ``feature_function=NAME arguments``.

    Parameters
    ----------
    line : str
        The name; or name and arguments if `arguments` is None.
    arguments : str, optional
        The arguments, see `parse_arguments`.
    base : Path, optional
        The folder of the cdec.ini, for relative paths.
    also : iterable of str
        See `find`.

    Raises
    ------
    PluginError
        See `find` and `parse_arguments`; or the constructor raised an exception.

    Examples
    --------
    >>> create("SoftSyntax trees=dev.trees --labels NP,PP").labels
    ('NP', 'PP')
    """
    if arguments is None:
        name, *rest = line.split(maxsplit=1) or [""]
        arguments = "".join(rest)
    else:
        name = line.strip()
    plugin_class = find(name, base=base, also=also)
    values = parse_arguments(arguments, options_of(plugin_class, name), name, base)
    with ForeignCode(plugin_class, lambda what: PluginError(f"{name}: cannot be made: {what}")):
        return plugin_class(**values)


def check_class(plugin_class: Any, name: str | None = None) -> None:
    """Refuse a class that the engine cannot use.

    Raises
    ------
    PluginError
        The class is not a subclass of one level, or does not define the methods of this level with their
        parameters, or `fires` is a single string.
    """
    name = str(name or getattr(plugin_class, "__name__", plugin_class))
    levels = [level for level in _CALLS if isinstance(plugin_class, type) and issubclass(plugin_class, level)]
    if len(levels) != 1:
        *most, last = (level.__name__ for level in _CALLS)
        wanted = f"{', '.join(most)} or {last}"
        raise PluginError(f"{name}: must be a subclass of {wanted}, got {plugin_class!r}")
    missing: frozenset[str] = getattr(plugin_class, "__abstractmethods__", frozenset())
    if missing:
        raise PluginError(f"{name}: must define {', '.join(sorted(missing))}")
    if isinstance(plugin_class.fires, str):
        got = f"a single string: {plugin_class.fires!r}"
        raise PluginError(
            f"{name}: fires must be a tuple of names, such as ({plugin_class.fires!r},), got {got}"
        )
    for method, parameters in _CALLS[levels[0]].items():
        signature = inspect.signature(getattr(plugin_class, method))
        try:
            signature.bind("self", *parameters)
        except TypeError:
            wanted = ", ".join(("self", *parameters))
            raise PluginError(f"{name}: must have {method}({wanted}), got {method}{signature}") from None


def level_of(plugin_class: type[Plugin]) -> str:
    """Give the level of a plugin: rule, edge, n-gram or state.

    Raises
    ------
    PluginError
        See `check_class`.
    """
    check_class(plugin_class)
    return next(name for level, name in _LEVELS.items() if issubclass(plugin_class, level))


def _built_ins() -> list[str]:
    # By name, not by an import statement: this folder must not depend on that one.
    return list(importlib.import_module(_BUILT_INS).__all__)


def _origins(name: str) -> list[tuple[str, Callable[[], Any]]]:
    """Give the sources of a plugin of the name: a description and a loader for each."""
    origins: list[tuple[str, Callable[[], Any]]] = []
    built_in = CDEC_NAMES.get(name, name)
    if built_in in _built_ins():
        origins.append((f"{_BUILT_INS}:{built_in}", partial(load_path, f"{_BUILT_INS}:{built_in}")))
    if name in _registered:
        plugin = _registered[name]
        origins.append((f"{plugin.__module__}:{plugin.__qualname__}", lambda: plugin))
    for entry in entry_points(group=GROUP, name=name):
        package = f" of package {entry.dist.name}" if entry.dist else ""
        origins.append((entry.value + package, partial(load_entry, entry)))
    return origins
