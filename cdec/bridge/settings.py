"""The arguments after the library's path in a cdec.ini, and the file of plugins that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hopefear.base import ForeignCode, InputError
from hopefear.plugins.annotations import Annotations
from hopefear.plugins.arguments import options_of, parse_arguments
from hopefear.plugins.levels import EdgeFeatures, Plugin, RuleFeatures
from hopefear.plugins.lines import each_line
from hopefear.plugins.registry import create, level_of

_OPTION = "feature_function"


@dataclass(kw_only=True)
class Settings:
    """The bridge's arguments.

    Parameters
    ----------
    config : Path
        A file with a line ``feature_function=NAME arguments`` for each plugin, as in a cdec.ini.
    live_weights : Path, optional
        File of the weights that score the bridge's features, and that may change while cdec decodes.
    attributes : sequence of str
        The attributes of a ``<seg>`` tag that plugins get.
    trees, conllu, tags, classes : Path, optional
        Annotations of the input, see `hopefear.plugins.Annotations`.
    """

    config: Path
    live_weights: Path | None = None
    attributes: Sequence[str] = ("parse", "src_tree")
    trees: Path | None = None
    conllu: Path | None = None
    tags: Path | None = None
    classes: Path | None = None

    @classmethod
    def read(cls, arguments: str) -> Settings:
        """Parse the arguments, such as ``--config FILE``.

        Raises
        ------
        PluginError
            An argument is unknown, wrong or missing.
        """
        name = "the bridge"
        return cls(**parse_arguments(arguments, options_of(cls, name), name))

    def annotations(self) -> Annotations:
        """Open the files of annotations.

        Raises
        ------
        InputError
            A file is missing or malformed.
        """
        return Annotations(trees=self.trees, conllu=self.conllu, tags=self.tags, classes=self.classes)


def read_plugins(path: Path) -> list[tuple[str, Plugin]]:
    """Make the plugins that a file names, with their names; paths are relative to the file's folder.

    Raises
    ------
    InputError
        A line is not ``feature_function=NAME arguments``, there is no such plugin, or the plugin cannot be
        used inside cdec; the error names file and line.
    """
    plugins = []
    for number, line in enumerate(each_line(path), 1):
        content = line.split("#", 1)[0].strip()
        if not content:
            continue
        option, _, what = (part.strip() for part in content.partition("="))
        if option != _OPTION or not what:
            message = f"expected {_OPTION}=NAME arguments, got {content[:80]!r}"
            raise InputError(message, path=path, line=number)
        try:
            plugins.append((what.split()[0], _usable(create(what, base=path.parent), what.split()[0])))
        except InputError as error:
            if error.path is not None:
                raise
            raise InputError(str(error), path=path, line=number) from None
    if not plugins:
        raise InputError(f"expected a line {_OPTION}=NAME arguments, got none", path=path)
    return plugins


def _usable(plugin: Plugin, name: str) -> Plugin:
    if not isinstance(plugin, (RuleFeatures, EdgeFeatures)):
        level = level_of(type(plugin))
        raise InputError(
            f"{name}: cannot be used inside cdec: expected rule or edge features, got {level} features"
        )
    with ForeignCode(
        type(plugin), lambda what: InputError(f"{name}: cannot be prepared: {what}"), InputError
    ):
        plugin.prepare()
    return plugin
