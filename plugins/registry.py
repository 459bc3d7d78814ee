"""Plugins by name: built-in, from installed packages, registered in this process, or by module path."""

from __future__ import annotations

from typing import TypeVar

from hopefear.base.arguments import options_of
from hopefear.base.catalogue import Catalogue, method_fault

from .levels import EdgeFeatures, ListFeatures, NgramFeatures, Plugin, RuleFeatures, StateFeatures

# The methods that the engine calls at each level, and their arguments.
_CALLS: dict[type[Plugin], dict[str, tuple[str, ...]]] = {
    RuleFeatures: {"fire": ("rules",)},
    EdgeFeatures: {"fire": ("edges", "segment"), "rule_attributes": ("rules",)},
    NgramFeatures: {"strings": ("rules",)},
    StateFeatures: {"begin": ("rules", "segment"), "fire": ("edges", "sentence")},
    ListFeatures: {"fire": ("translations", "segment")},
}

PluginClass = TypeVar("PluginClass", bound=type[Plugin])


def _complaint(plugin_class: type) -> str:
    levels = [level for level in _CALLS if issubclass(plugin_class, level)]
    if len(levels) != 1:
        *most, last = (level.__name__ for level in _CALLS)
        return f"must be a subclass of {', '.join(most)} or {last}, got {plugin_class!r}"
    fires = getattr(plugin_class, "fires", ())
    if isinstance(fires, str):
        return f"fires must be a tuple of names, such as ({fires!r},), got a single string: {fires!r}"
    return method_fault(plugin_class, _CALLS[levels[0]])


features: Catalogue[Plugin] = Catalogue("feature function", "hopefear.features", _complaint, case_counts=True)
"""Plugins by name; packages add plugins in the entry point group ``hopefear.features``."""

known, find, create, check_class = features.known, features.find, features.create, features.check


def register(plugin_class: PluginClass, *, name: str | None = None) -> PluginClass:
    """Make a plugin known by name in this process; also a class decorator.

    Parameters
    ----------
    plugin_class : type
        A subclass of `RuleFeatures`, `EdgeFeatures`, `NgramFeatures`, `StateFeatures` or `ListFeatures`.
    name : str, optional
        The name of the plugin. The default is the name of the class.

    Raises
    ------
    PluginError
        The name is already used, or `check_class` or `options_of` refuses the class.
    """
    options_of(plugin_class, name or plugin_class.__name__)
    features.register(plugin_class, name=name)
    return plugin_class
