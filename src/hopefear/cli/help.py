"""How ``--help`` describes options: the form of their values, and their defaults."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from typer.core import TyperCommand, TyperGroup
from typer.models import ParameterInfo

_VALUES = {
    "allow": "PATTERN",
    "cluster": "ADDRESS",
    "deny": "PATTERN",
    "dev_setting": "NAME=VALUE",
    "dictionary": "LANGUAGE",
    "discount_fallback": "NUMBERS",
    "feature": "NAME",
    "hypothesis": "FILE",
    "learn": "NAME",
    "mert_setting": "NAME=VALUE",
    "metric": "NAME",
    "oracle": "NAME",
    "prune": "NUMBERS",
    "setting": "NAME=VALUE",
    "source": "FILE",
    "spacy": "MODEL",
    "stanza": "LANGUAGE",
    "text": "FILE",
    "tuner": "NAME",
}
"""The placeholder for the value of an option that takes text, by the parameter's name."""


class _Declared(NamedTuple):
    """The declaration of one parameter of a command."""

    kind: Any
    default: Any
    info: ParameterInfo


class Command(TyperCommand):
    """A command whose help has a line for each option, and which takes no option's name as a value."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """List the words of the usage line after the command's name."""
        return _usage(self, ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments.

        Raises
        ------
        UsageError
            The word after an option is another option, not a value.
        """
        if not ctx.resilient_parsing:
            args = _checked(self, ctx, args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lines of the options."""
        _write_options(self, ctx, formatter)


class Group(TyperGroup):
    """A command that has subcommands."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """List the words of the usage line after the command's name."""
        return [*_usage(self, ctx), self.subcommand_metavar]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lines of the options and of the commands."""
        _write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)


def _checked(command: TyperCommand, ctx: Any, args: list[str]) -> list[str]:
    """Refuse options in place of values; if the help option is there, drop all other arguments."""
    options = [param for param in command.params if param.param_type_name == "option"]
    names = {name for option in options if _takes_value(option) for name in option.opts}
    words = args[: args.index("--")] if "--" in args else args
    for option, value in pairwise(words):
        if option in names and value in ctx.help_option_names:
            return [value]
        if option in names and value.startswith("--"):
            ctx.fail(f"{option}: expected a value, got {value}")
    return args


def _usage(command: Any, ctx: Any) -> list[str]:
    arguments = [param for param in command.get_params(ctx) if param.param_type_name == "argument"]
    names = [_argument(param) for param in arguments]
    words = [name if param.required else f"[{name}]" for param, name in zip(arguments, names, strict=True)]
    return [command.options_metavar, *words]


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    declared = {} if command.callback is None else dict(_declared(command.callback))
    for kind in ("argument", "option"):
        rows = [
            _row(param, declared[param.name]) if param.name in declared else param.get_help_record(ctx)
            for param in command.get_params(ctx)
            if param.param_type_name == kind
        ]
        if rows:
            with formatter.section(f"{kind.capitalize()}s"):
                formatter.write_dl(rows)


def _declared(callback: Callable[..., Any]) -> Iterator[tuple[str, _Declared]]:
    """Give the declarations of a command's parameters, by name."""
    command = inspect.unwrap(callback)
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        if get_origin(hints[name]) is Annotated:
            kind, info = get_args(hints[name])
            yield name, _Declared(kind, parameter.default, info)


def _row(param: Any, declared: _Declared) -> tuple[str, str]:
    """Give a parameter with its placeholder, and its description."""
    info, notes = declared.info, []
    if param.param_type_name == "argument":
        left = _argument(param)
    else:
        left = ", ".join(sorted(param.opts, key=lambda name: name.startswith("--")))
    if _takes_value(param) and param.param_type_name == "option":
        left += f" {info.metavar or _value(declared.kind, param.name)}"
    if param.required:
        notes.append("required")
    elif _takes_value(param):
        notes.append(f"default: {_default(declared)}")
    if info.min is not None:
        notes.append(f"at least {info.min}" if info.max is None else f"{info.min} to {info.max}")
    return left, " ".join(filter(None, [info.help, f"[{'; '.join(notes)}]" if notes else ""]))


def _argument(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _takes_value(param: Any) -> bool:
    return param.param_type_name == "argument" or not (param.is_flag or param.count)


def _value(kind: Any, name: str) -> str:
    """Give the placeholder for a value of a type."""
    if get_origin(kind) in (Union, types.UnionType, list):
        return _value(get_args(kind)[0], name)
    if issubclass(kind, Enum):
        return "|".join(member.value for member in kind)
    if issubclass(kind, (int, float)):
        return "NUMBER"
    return "FILE" if issubclass(kind, Path) else _VALUES.get(name, "TEXT")


def _default(declared: _Declared) -> str:
    value = declared.default
    if isinstance(declared.info.show_default, str):
        return declared.info.show_default
    if value is None:
        return "none"
    return str(value.value if isinstance(value, Enum) else value)
