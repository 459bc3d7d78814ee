"""How ``--help`` describes options: the form of their values, and their defaults."""

from __future__ import annotations

import inspect
import re
import sys
from enum import Enum
from itertools import pairwise
from typing import Any, get_args

from typer.core import TyperCommand, TyperGroup


class _Described:
    """A command whose help has a line for each argument and option."""

    def collect_usage_pieces(self: Any, ctx: Any) -> list[str]:
        """List the words of the usage line after the command's name."""
        words = [self.options_metavar]
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                words.append(_argument(param) if param.required else f"[{_argument(param)}]")
        return words

    def format_options(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the lines of the arguments and of the options."""
        callback = self.callback
        declared = {} if callback is None else inspect.signature(callback, eval_str=True).parameters
        for kind in ("argument", "option"):
            rows = [
                _row(param, declared[param.name]) if param.name in declared else param.get_help_record(ctx)
                for param in self.get_params(ctx)
                if param.param_type_name == kind
            ]
            if rows:
                with formatter.section(f"{kind.capitalize()}s"):
                    formatter.write_dl(rows)


class Command(_Described, TyperCommand):
    """A command that takes no option's name as a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments."""
        return super().parse_args(ctx, args if ctx.resilient_parsing else _checked(self, ctx, args))


class Group(_Described, TyperGroup):
    """A command that has subcommands."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """List the words of the usage line after the command's name."""
        return [*super().collect_usage_pieces(ctx), self.subcommand_metavar]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the lines of the options and of the commands."""
        super().format_options(ctx, formatter)
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


def _row(param: Any, declared: inspect.Parameter) -> tuple[str, str]:
    """Return a parameter with its placeholder, and its description."""
    _, info = get_args(declared.annotation)
    notes = []
    if param.param_type_name == "argument":
        left = _argument(param)
    else:
        left = ", ".join(sorted(param.opts, key=lambda name: name.startswith("--")))
        left += f" {info.metavar}" * _takes_value(param)
    if param.required:
        notes.append("required")
    elif _takes_value(param):
        shown = info.show_default if isinstance(info.show_default, str) else _text(declared.default)
        notes.append(f"default: {shown}")
    if info.min is not None:
        is_open = info.max in (None, sys.maxsize)
        notes.append(f"at least {info.min}" if is_open else f"{info.min} to {info.max}")
    return left, " ".join(filter(None, [info.help, f"[{'; '.join(notes)}]" if notes else ""]))


def _argument(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _takes_value(param: Any) -> bool:
    return param.param_type_name == "argument" or not (param.is_flag or param.count)


def _text(default: Any) -> str:
    if default is None:
        return "none"
    return str(default.value if isinstance(default, Enum) else default)
