"""Names that options and files can use, with a description of each, and their completion in a shell."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from hopefear.base import InputError, PluginError
from hopefear.base.arguments import Option, options_of
from hopefear.base.catalogue import Catalogue
from hopefear.base.loading import near
from hopefear.base.texts import BLANK, split_words
from hopefear.plugins import features

from .errors import warn

Value = TypeVar("Value")


class NamedKind(str, Enum):
    """A kind of named objects."""

    plugins = "plugins"
    tuners = "tuners"
    learners = "learners"
    metrics = "metrics"
    oracles = "oracles"
    plans = "plans"


WITH_ARGUMENTS = (NamedKind.plugins, NamedKind.oracles, NamedKind.metrics)
"""The kinds whose objects take arguments behind their names."""

LEVELS = ("rule", "edge", "n-gram", "state", "list", "oracle", "metric")
_PLACEHOLDERS = {"str": "TEXT", "int": "NUMBER", "float": "NUMBER", "Path": "PATH", "TokenType": "TYPE"}
_PLACEHOLDERS |= {"PluginLine": "PLUGIN"}


@dataclass(frozen=True)
class Description:
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
        return _summary(self.text)

    @property
    def usage(self) -> str:
        """The line of a cdec.ini, or the option of a tuner."""
        words = [f"[{flag}]" if default else flag for flag, default in self.arguments]
        line = " ".join((self.name, *words))
        return line if self.level in ("oracle", "metric") else f"feature_function={line}"


ENGINE = (
    Description(
        "state",
        "KLanguageModel",
        "An n-gram model, with a class model's map and explicit sentence markers if given.\n\n"
        "Parameters\n----------\n"
        "path : Path\n    An ARPA file, or a binary of KenLM.\n"
        "n : str\n    The name of the feature.\n"
        "m : Path\n    A file with lines `word class`, for a model over classes.\n"
        "x : bool\n    The rules have `<s>` and `</s>`, so none are added.",
        ("LanguageModel", "LanguageModel_OOV"),
        (("PATH", ""), ("-n NAME", "LanguageModel"), ("-m MAP", "none"), ("-x", "false")),
    ),
    Description(
        "state",
        "JointModel",
        "A neural joint model: the log probability of each target word, given the words before it and the "
        "source words around the one it is linked to (Devlin et al. 2014); hopefear train-joint makes it.\n\n"
        "Parameters\n----------\n"
        "path : Path\n    A file of hopefear train-joint.\n"
        "n : str\n    The name of the feature.",
        ("JointModel",),
        (("PATH", ""), ("-n NAME", "JointModel")),
    ),
    Description("rule", "WordPenalty", "-1/ln 10 for each target word.", ("WordPenalty",)),
    Description("rule", "SourceWordPenalty", "-1/ln 10 for each source word.", ("SourceWordPenalty",)),
)
"""The engine's own feature functions."""


def settings_of(name: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return what a tuner learns, and its settings: each with default, what is allowed, and meaning."""
    from hopefear.tuners.catalogue import tuners
    from hopefear.tuners.contract import constraints

    tuner = tuners.find(name, base=Path())
    told, allowed = parameters_of(tuner), constraints(tuner)
    rows = [
        (
            setting,
            str(parameter.default),
            allowed[setting].text if setting in allowed else "",
            told.get(setting, "").replace("`", ""),
        )
        for setting, parameter in inspect.signature(tuner).parameters.items()
    ]
    return _summary(inspect.getdoc(tuner) or ""), rows


def parameters(text: str) -> dict[str, str]:
    """Return what the section on parameters of a docstring tells of each."""
    _, _, rest = text.partition("Parameters\n----------\n")
    body = re.split(r"\n\n?\S[^\n]*\n---", rest)[0]
    found = {}
    for entry in re.split(r"\n(?=\S)", body):
        names, _, told = entry.partition("\n")
        for name in names.partition(" : ")[0].split(", "):
            name = name.strip(BLANK)
            found[name.lower()] = found[name] = " ".join(split_words(told.replace("\n", " ")))
    return found


def parameters_of(kind: type) -> dict[str, str]:
    """Return what a class and its bases tell of their parameters; what only refers to a base counts last."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        told = parameters(inspect.cleandoc(vars(base).get("__doc__") or ""))
        found |= {name: text for name, text in told.items() if name not in found or text[:4] != "See "}
    return found


def completing(kind: NamedKind) -> Callable[[str], list[tuple[str, str]]]:
    """Make the function that completes names in a shell; only for names of plugins, case counts."""

    def complete(incomplete: str) -> list[tuple[str, str]]:
        typed = len(incomplete)
        return [
            (incomplete + name[typed:] if kind is not NamedKind.plugins else name, text)
            for name, text in described(kind)
            if name[:typed].lower() == incomplete.lower()
        ]

    return complete


def described(kind: NamedKind) -> Iterator[tuple[str, str]]:
    """Yield the names of a kind, sorted, with descriptions; standard error gets what cannot be loaded."""
    from hopefear.experiments.plan.plan_file import known_plans, plan_title
    from hopefear.tuners.catalogue import known_learners

    if kind is NamedKind.plans:
        yield from ((name, plan_title(path)) for name, path in known_plans().items())
    elif kind in WITH_ARGUMENTS:
        yield from sorted((entry.name, entry.summary) for entry in entries(kind))
    else:
        of_kind = catalogue(kind)
        names = known_learners() if kind is NamedKind.learners else of_kind.known()
        yield from _loaded(names, lambda name: (name, _summary(inspect.getdoc(of_kind.find(name)) or "")))


def entries(kind: NamedKind) -> Iterator[Description]:
    """Describe all objects of a kind with arguments; standard error gets what cannot be loaded."""
    if kind is NamedKind.plugins:
        yield from ENGINE
    yield from _loaded(catalogue(kind).known(), partial(_entry, kind))


def entries_of(name: str) -> list[Description]:
    """Describe what has a name, a name in the list or ``package.module:Class``."""
    if ":" in name:
        return [_entry(NamedKind.plugins, name)]
    found = [entry for entry in ENGINE if entry.name == name]
    kinds = {kind: catalogue(kind).known() for kind in WITH_ARGUMENTS}
    found += [_entry(kind, name) for kind, names in kinds.items() if name in names]
    if not found:
        every = {*(entry.name for entry in ENGINE), *(name for names in kinds.values() for name in names)}
        raise PluginError(f"{name}: unknown name, {near(name, every)}")
    return found


def show(found: Sequence[Description]) -> None:
    """Print descriptions: arguments, defaults and features."""
    for number, entry in enumerate(found):
        if number:
            print()
        print(f"{entry.name}: {entry.level}" + (f", {entry.origin}" if entry.origin else ""))
        print(f"\n{entry.text}\n")
        if entry.fires:
            print(f"Fires: {' '.join(entry.fires)}")
        if entry.arguments:
            print("Arguments:")
            width = max(len(flag) for flag, _ in entry.arguments)
            for flag, default in entry.arguments:
                print(f"  {flag:{width}}  {f'default: {default}' if default else 'required'}")
        print(f"Line: {entry.usage}")


def catalogue(kind: NamedKind) -> Catalogue[Any]:
    """Return the catalogue of a kind."""
    from hopefear.metrics.catalogue import metrics
    from hopefear.tuners.catalogue import tuners
    from hopefear.tuners.oracles.catalogue import oracles

    found: dict[NamedKind, Catalogue[Any]]
    found = {NamedKind.plugins: features, NamedKind.metrics: metrics, NamedKind.oracles: oracles}
    return found.get(kind, tuners)


def _loaded(names: Iterable[str], describe: Callable[[str], Value]) -> Iterator[Value]:
    """Describe names; leave out what cannot be loaded, with a message."""
    for name in names:
        try:
            yield describe(name)
        except InputError as error:
            warn(str(error))


def _entry(kind: NamedKind, name: str) -> Description:
    from hopefear.feature_extractors import CDEC_NAMES

    found = catalogue(kind).find(name, base=Path())
    text, level, fires = inspect.getdoc(found) or "", kind.value.removesuffix("s"), ()
    if kind is NamedKind.plugins:
        level, fires = found.level, tuple(found.fires)
        if name in CDEC_NAMES:
            text = f"The name in cdec of {CDEC_NAMES[name]}.\n\n{text}"
    arguments = [(_flag(option), _default(option)) for option in options_of(found, name).values()]
    return Description(level, name, text, fires, arguments, f"{found.__module__}:{found.__qualname__}")


def _summary(text: str) -> str:
    """Return the first line of a docstring without its markup."""
    return text.partition("\n")[0].replace("`", "")


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
