"""Parse the text after a plugin's name in a cdec.ini line into keyword arguments of its constructor.

A parameter is of type str, int, float, bool, Path or Literal of str, a sequence of these, or of a class that
reads its own text: ``from_text(text, base)`` makes the value, or raises a ValueError, and ``forms`` says
which texts it accepts. `hopefear.plugins.TokenType` is such a class.
"""

from __future__ import annotations

import inspect
import math
import re
import shlex
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from .errors import InputError, PluginError

_FLAG = re.compile(r"--?[A-Za-z]")
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w-]*=")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Option:
    """One parameter of a plugin's constructor."""

    name: str
    kind: Any
    members: tuple[Any, ...]
    default: Any

    @property
    def flag(self) -> str:
        """The option in the form that users write."""
        return "--" + self.name.replace("_", "-")

    def convert(self, text: str, base: Path) -> Any:
        """Convert a text to the option's type; the ValueError for a wrong text names what was expected."""
        if self.kind is Sequence:
            return tuple(_scalar(self.members[0], item, base) for item in text.split(","))
        if self.kind is Literal:
            if text not in self.members:
                raise ValueError(f"one of {', '.join(self.members)}")
            return text
        return _scalar(self.kind, text, base)


def constructor_types(kind: type) -> dict[str, Any]:
    """Return the types of a constructor's parameters, for a dataclass also those of its base classes."""
    return get_type_hints(kind if is_dataclass(kind) else kind.__init__)  # type: ignore[misc]


def option_of(parameter: inspect.Parameter, annotation: Any) -> Option | None:
    """Return a parameter as an option; None if no text can be converted to its type."""
    kind, members = _kind(annotation)
    return None if kind is None else Option(parameter.name, kind, members, parameter.default)


def options_of(plugin_class: type, plugin_name: str) -> dict[str, Option]:
    """List the parameters of a plugin's constructor by name, in order."""
    try:
        annotations = constructor_types(plugin_class)
    except NameError as error:
        message = f"{plugin_name}: a type of the constructor is not defined at run time: {error}"
        raise PluginError(message) from error
    options = {}
    for parameter in inspect.signature(plugin_class).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            message = f"constructor parameters must be keyword-only (after a *), {parameter.name} is not"
            raise PluginError(f"{plugin_name}: {message}")
        annotation = annotations.get(parameter.name, str)
        option = option_of(parameter, annotation)
        if option is None:
            raise PluginError(
                f"{plugin_name}: parameter {parameter.name} must be of type str, int, float, bool, Path, "
                f"TokenType, Literal of str, or a sequence of these, got {annotation}"
            )
        options[parameter.name] = option
    return options


def parse_arguments(
    text: str,
    options: Mapping[str, Option],
    plugin_name: str,
    base: Path | None = None,
    spellings: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """Parse a text of arguments.

    The text is split as in a shell. ``--name value``, ``--name=value``, ``name=value``, and ``-n value`` with
    the first letter of an option's name set that option; any other word is the value of the first option that
    is not set yet. A switch is ``--name``, ``--no-name`` or ``--name true``; items of a sequence are
    separated by commas.
    """
    return _Reader(options, plugin_name, base or Path(), spellings).read(text)


class _Reader:
    def __init__(
        self, options: Mapping[str, Option], plugin_name: str, base: Path, spellings: Mapping[str, str]
    ) -> None:
        self.options = options
        self.plugin_name = plugin_name
        self.base = base
        self.spellings = spellings
        self.values: dict[str, Any] = {}

    def read(self, text: str) -> dict[str, Any]:
        try:
            words = shlex.split(text)[::-1]
        except ValueError as error:
            raise PluginError(f"{self.plugin_name}: {text}: {str(error).lower()}") from None
        others: list[str] = []
        while words:
            word = words.pop()
            if word in self.spellings:
                self.read_value(self.options[self.spellings[word]], word, words)
            elif _FLAG.match(word):
                self.read_flag(word, words)
            elif "*" in self.spellings:
                others.append(word)
            elif _ASSIGNMENT.match(word):
                name, _, value = word.partition("=")
                self.set(self.option(name, word), value)
            else:
                free = [option for option in self.options.values() if option.name not in self.values]
                self.set(free[0] if free else self.unknown(word), word)
        if others:
            option = self.options[self.spellings["*"]]
            self.check_new(option)
            self.values[option.name] = tuple(_scalar(option.members[0], item, self.base) for item in others)
        for option in self.options.values():
            if option.default is inspect.Parameter.empty and option.name not in self.values:
                raise PluginError(f"{self.plugin_name}: {option.flag} must be given")
        return self.values

    def read_flag(self, word: str, rest: list[str]) -> None:
        flag, assigned, value = word.partition("=")
        name = flag.lstrip("-")
        negated = self.options.get(_identifier(name.removeprefix("no-")))
        if name.startswith("no-") and negated and negated.kind is bool and not assigned:
            self.set(negated, "false")
            return
        option = self.option(name, word, short=not flag.startswith("--"))
        if assigned:
            self.set(option, value)
        else:
            self.read_value(option, word, rest)

    def read_value(self, option: Option, word: str, rest: list[str]) -> None:
        if option.kind is bool and not (rest and rest[-1].lower() in _TRUTH):
            self.set(option, "true")
        elif rest and not _FLAG.match(rest[-1]):
            self.set(option, rest.pop())
        else:
            raise PluginError(f"{self.plugin_name}: {word} needs a value")

    def option(self, name: str, word: str, short: bool = False) -> Option:
        if not short:
            return self.options.get(_identifier(name)) or self.unknown(word)
        fitting = [option for option in self.options.values() if option.name.startswith(name)]
        if len(fitting) > 1:
            flags = " or ".join(option.flag for option in fitting)
            raise PluginError(f"{self.plugin_name}: {word} may mean {flags}")
        return fitting[0] if fitting else self.unknown(word)

    def unknown(self, word: str) -> Option:
        flags = ", ".join(option.flag for option in self.options.values())
        raise PluginError(
            f"{self.plugin_name}: unknown argument {word}, "
            + (f"known are {flags}" if flags else "it takes no arguments")
        )

    def check_new(self, option: Option) -> None:
        if option.name in self.values:
            raise PluginError(f"{self.plugin_name}: {option.flag} is given twice")

    def set(self, option: Option, text: str) -> None:
        self.check_new(option)
        try:
            self.values[option.name] = option.convert(text, self.base)
        except ValueError as error:
            message = f"{self.plugin_name}: {option.flag} must be {error}, got {text!r}"
            raise PluginError(message) from None


def _identifier(name: str) -> str:
    return name.replace("-", "_")


def _kind(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """Split an annotation into an `Option`'s kind and members; kind None if no text can be converted."""
    origin, members = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):  # None means "not given"; of several types the first counts
        return _kind(next(member for member in members if member is not type(None)))
    if _is_scalar(annotation):
        return annotation, ()
    if origin is Literal and all(isinstance(member, str) for member in members):
        return Literal, members
    if origin in (Sequence, list, tuple) and members[1:] in ((), (...,)):
        member, _ = _kind(members[0])
        return (Sequence, (member,)) if _is_scalar(member) else (None, ())
    return None, ()


def _truth(text: str) -> bool:
    if text.lower() not in _TRUTH:
        raise ValueError
    return _TRUTH[text.lower()]


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _text(text: str) -> str:
    if not text:
        raise ValueError
    return text


_SCALARS: dict[Any, tuple[str, Callable[[str, Path], Any]]] = {
    str: ("a text", lambda text, base: _text(text)),
    int: ("a whole number", lambda text, base: int(text)),
    float: ("a finite number", lambda text, base: _finite(text)),
    bool: ("true or false", lambda text, base: _truth(text)),
    Path: ("a path", lambda text, base: base / Path(_text(text)).expanduser()),
}


def _is_scalar(kind: Any) -> bool:
    return kind in _SCALARS or hasattr(kind, "from_text")


def _scalar(kind: Any, text: str, base: Path) -> Any:
    expected, convert = (
        (f"one of {kind.forms}", kind.from_text) if hasattr(kind, "from_text") else _SCALARS[kind]
    )
    try:
        return convert(text, base)
    except InputError:
        raise
    except (ValueError, RuntimeError):  # RuntimeError: no home directory for a path with ~
        raise ValueError(expected) from None
