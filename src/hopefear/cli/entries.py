"""Descriptions of the feature functions, oracles and metrics that a user can name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hopefear.base import InputError, PluginError
from hopefear.base.arguments import Option, options_of
from hopefear.base.catalogue import Catalogue
from hopefear.base.loading import near
from hopefear.plugins import features, level_of

from .errors import warn

EntryKind = Literal["feature", "oracle", "metric"]
KINDS: tuple[EntryKind, ...] = get_args(EntryKind)
LEVELS = ("rule", "edge", "n-gram", "state", "oracle", "metric")
_PLACEHOLDERS = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "Path": "PATH", "TokenType": "TYPE"}


@dataclass(frozen=True)
class Entry:
    """A description of a feature function, an oracle or a metric.

    Attributes
    ----------
    level : str
        One of `LEVELS`.
    name : str
    text : str
        The description; its first line is a summary.
    fires : sequence of str
        Patterns of the names of the features.
    arguments : sequence of (str, str)
        Each argument as users write it, and its default.
    origin : str
        The class.
    """

    level: str
    name: str
    text: str
    fires: Sequence[str] = ()
    arguments: Sequence[tuple[str, str]] = ()
    origin: str = ""

    @property
    def summary(self) -> str:
        """The first line of `text`."""
        return summary(self.text)

    @property
    def usage(self) -> str:
        """The line of a cdec.ini, or the option of a tuner."""
        words = [f"[{flag}]" if default else flag for flag, default in self.arguments]
        line = " ".join((self.name, *words))
        return line if self.level in ("oracle", "metric") else f"feature_function={line}"


ENGINE = (
    Entry(
        "state",
        "KLanguageModel",
        "An n-gram model, with a class model's map and explicit sentence markers if given.",
        ("LanguageModel", "LanguageModel_OOV"),
        (("PATH", ""), ("-n NAME", "LanguageModel"), ("-m MAP", "none"), ("-x", "false")),
    ),
    Entry("rule", "WordPenalty", "-1/ln 10 for each target word.", ("WordPenalty",)),
    Entry("rule", "SourceWordPenalty", "-1/ln 10 for each source word.", ("SourceWordPenalty",)),
    Entry("rule", "ArityPenalty", "-1/ln 10 for each rule with k nonterminals.", ("Arity_*",)),
)
"""The engine's own feature functions."""


def entries(*kinds: EntryKind) -> Iterator[Entry]:
    """Describe all entries of some kinds; leave out those that cannot be loaded, with a message."""
    for kind in kinds:
        if kind == "feature":
            yield from ENGINE
        for name in _catalogues()[kind].known():
            try:
                yield _entry(kind, name)
            except InputError as error:
                warn(str(error))


def summary(text: str) -> str:
    """Return the first line of a docstring without its markup."""
    return text.partition("\n")[0].replace("`", "")


def _catalogues() -> dict[EntryKind, Catalogue[Any]]:
    from hopefear.metrics.catalogue import metrics
    from hopefear.tuners.oracles.catalogue import oracles

    return {"feature": features, "oracle": oracles, "metric": metrics}


def entries_of(name: str) -> list[Entry]:
    """Describe what has a name, a name in the list or ``package.module:Class``.

    Raises
    ------
    PluginError
        Nothing has this name.
    """
    if ":" in name:
        return [_entry("feature", name)]
    found = [entry for entry in ENGINE if entry.name == name]
    kinds = {kind: catalogue.known() for kind, catalogue in _catalogues().items()}
    found += [_entry(kind, name) for kind, names in kinds.items() if name in names]
    if not found:
        every = {*(entry.name for entry in ENGINE), *(name for names in kinds.values() for name in names)}
        raise PluginError(f"{name}: unknown name, {near(name, every)}")
    return found


def _entry(kind: EntryKind, name: str) -> Entry:
    from hopefear.feature_extractors import CDEC_NAMES

    found = _catalogues()[kind].find(name, base=Path())
    level, fires = (level_of(found), tuple(found.fires)) if kind == "feature" else (kind, ())
    text = inspect.getdoc(found) or ""
    if kind == "feature" and name in CDEC_NAMES:
        text = f"The name in cdec of {CDEC_NAMES[name]}.\n\n{text}"
    arguments = [(_flag(option), _default(option)) for option in options_of(found, name).values()]
    return Entry(level, name, text, fires, arguments, f"{found.__module__}:{found.__qualname__}")


def _flag(option: Option) -> str:
    if option.kind is bool:
        return option.flag.replace("--", "--no-", 1) if option.default is True else option.flag
    if option.kind is Literal:
        return f"{option.flag} {'|'.join(option.members)}"
    if option.kind is Sequence:
        item = _PLACEHOLDERS[option.members[0].__name__]
        return f"{option.flag} {item},..."
    return f"{option.flag} {_PLACEHOLDERS[option.kind.__name__]}"


def _default(option: Option) -> str:
    """Return the default as users write it; an empty text if a value is required."""
    value = option.default
    if value is inspect.Parameter.empty:
        return ""
    if value is None or value == "" or value == ():
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
