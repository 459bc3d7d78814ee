"""How ``--help`` describes options: the form of their values, and their defaults."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from typer.core import TyperCommand, TyperGroup
from typer.models import ParameterInfo


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

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of the commands, group by group, each with the first sentence of its help."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            found: Any = self.commands[name]
            groups.setdefault(found.rich_help_panel or "Commands", []).append((name, _sentence(found.help)))
        width = max(len(name) for rows in groups.values() for name, _ in rows)
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl([(f"{name:{width}}", text) for name, text in rows])


def _sentence(text: str) -> str:
    """Return the first sentence of a text."""
    return re.split(r"(?<=\.)\s", text, maxsplit=1)[0].replace("\n", " ")


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
    """Iterate over the names and declarations of a command's parameters."""
    for name, parameter in inspect.signature(callback, eval_str=True).parameters.items():
        if get_origin(parameter.annotation) is Annotated:
            kind, info = get_args(parameter.annotation)
            yield name, _Declared(kind, parameter.default, info)


def _row(param: Any, declared: _Declared) -> tuple[str, str]:
    """Return a parameter with its placeholder, and its description."""
    info, notes = declared.info, []
    if param.param_type_name == "argument":
        left = _argument(param)
    else:
        left = ", ".join(sorted(param.opts, key=lambda name: name.startswith("--")))
    if _takes_value(param) and param.param_type_name == "option":
        left += f" {info.metavar or _value(declared.kind)}"
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


def _value(kind: Any) -> str:
    """Return the placeholder for a value of a type."""
    if get_origin(kind) in (Union, types.UnionType, list):
        return _value(get_args(kind)[0])
    if issubclass(kind, Enum):
        return "|".join(member.value for member in kind)
    if issubclass(kind, (int, float)):
        return "NUMBER"
    return "FILE" if issubclass(kind, Path) else "TEXT"


def _default(declared: _Declared) -> str:
    value = declared.default
    if isinstance(declared.info.show_default, str):
        return declared.info.show_default
    if value is None:
        return "none"
    return str(value.value if isinstance(value, Enum) else value)
