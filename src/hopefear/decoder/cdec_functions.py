"""cdec's feature functions that the engine refuses, and cdec's line for plugins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hopefear.base.arguments import options_of, parse_arguments
from hopefear.base.errors import InvalidConfig, PluginError
from hopefear.base.texts import first_word
from hopefear.plugins.levels import Plugin
from hopefear.plugins.plugin_file import read_plugins
from hopefear.plugins.registry import create

EXTERNAL = "External"
"""cdec's function that loads a library, such as the bridge with its plugins."""

_ALIGNMENT = "it is for the forests of cdec's word aligner; hopefear align makes word alignments"
REFUSED = {
    "BLEUModel": "it is unfinished in cdec; oracles and metrics of hopefear have BLEU",
    "BlunsomSynchronousParseHack": "lines source ||| reference of the input translate to the reference",
    "CSplit_BasicFeatures": "it is for the forests of cdec's compound splitter",
    "CSplit_ReverseCharLM": "it is for the forests of cdec's compound splitter",
    "ConstReorderFeature": "it needs classifiers from elsewhere; StructuralDistortion is about reordering",
    "Fertility": "it fires nothing in cdec",
    "IdentityCycleDetector": _ALIGNMENT,
    "LanguageModel": "KLanguageModel reads n-gram models",
    "LexNullJump": _ALIGNMENT,
    "LexicalPairIndicator": f"{_ALIGNMENT}; for translation there are WordPairs and LexicalFeatures",
    "NewJump": _ALIGNMENT,
    "RelativeSentencePosition": _ALIGNMENT,
    "SoftSynFeature": "SoftSyntax fires NP= and NP+ after the same papers",
    "SourceBigram": f"{_ALIGNMENT}; for translation there is SourcePath",
    "Tagger_BigramIndicator": "it is for cdec's tagger; for translation there is TargetBigrams",
}
"""Why the engine does not have some of cdec's functions, and what it has in their place."""


@dataclass(kw_only=True)
class _Arguments:
    """The arguments of the bridge that the engine understands; only cdec needs the second and third."""

    config: Path
    parse_ahead: Path | None = None
    attributes: str = ""


def plugins_of(line: str, base: Path, *, also: Iterable[str] = ()) -> list[tuple[str, Plugin]]:
    """Make the plugins of a line of a cdec.ini, with their names."""
    name, _, arguments = line.partition(" ")
    if name == EXTERNAL:
        return _external_plugins(arguments, base)
    if name in REFUSED:
        raise InvalidConfig(f"{name} is a function of cdec that hopefear does not have: {REFUSED[name]}")
    return [(name, create(line, base=base, also=also))]


def _external_plugins(arguments: str, base: Path) -> list[tuple[str, Plugin]]:
    library, rest = first_word(arguments)
    if not _is_bridge(base / library):
        raise InvalidConfig(
            "External: expected libhopefear_bridge.so, whose plugins hopefear loads itself, got "
            f"{library or 'nothing'!r}: a library of functions for cdec needs cdec's own search"
        )
    try:
        settings = _Arguments(**parse_arguments(rest, options_of(_Arguments, EXTERNAL), EXTERNAL, base))
    except PluginError as error:
        message = f"{error}; the other arguments of the bridge are options of hopefear's commands"
        raise InvalidConfig(message) from None
    return read_plugins(settings.config, prepare=False)


def _is_bridge(library: Path) -> bool:
    if library.name.startswith("libhopefear_bridge"):
        return True
    try:
        return library.is_file() and b"hopefear.cdec.bridge" in library.read_bytes()
    except OSError:
        return False
