"""Files of plugins: lines ``feature_function=NAME arguments``, as in a cdec.ini."""

from __future__ import annotations

from pathlib import Path

from hopefear.base import ForeignCode, InputError
from hopefear.base.errors import naming_file
from hopefear.base.lines import each_line
from hopefear.base.texts import BLANK, split_words

from .levels import Plugin
from .registry import create

_OPTION = "feature_function"


def read_plugins(path: Path, *, prepare: bool) -> list[tuple[str, Plugin]]:
    """Make the plugins that a file names, with their names; paths are relative to the file's folder."""
    plugins = []
    for number, line in enumerate(each_line(path), 1):
        content = line.split("#", 1)[0].strip(BLANK)
        if not content:
            continue
        option, _, what = (part.strip(BLANK) for part in content.partition("="))
        if option != _OPTION or not what:
            message = f"expected {_OPTION}=NAME arguments, got {content[:80]!r}"
            raise InputError(message, path=path, line=number)
        with naming_file(path, number):
            name = split_words(what)[0]
            plugin = create(what, base=path.parent)
            plugins.append((name, _prepared(plugin, name) if prepare else plugin))
    if not plugins:
        raise InputError(f"expected a line {_OPTION}=NAME arguments, got none", path=path)
    return plugins


def _prepared(plugin: Plugin, name: str) -> Plugin:
    with ForeignCode(
        type(plugin), lambda what: InputError(f"{name}: cannot be prepared: {what}"), InputError
    ):
        plugin.prepare()
    return plugin
