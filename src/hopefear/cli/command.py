"""Commands: functions whose parameters, and the fields of whose dataclass parameters, become options.

Each option is declared once, by `option` or `argument`, as a field or as a parameter::

    @dataclass(frozen=True, kw_only=True)
    class Limits:
        max_words: int = option("The most words in a sentence.", default=100, min=1)

    @command
    def decode(*, config: Path = option("The cdec.ini.", "-c"), limits: Limits) -> None: ...
"""

from __future__ import annotations

import functools
import inspect
import signal
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import MISSING, Field, field, fields, is_dataclass
from enum import Enum
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

from hopefear.base import InputError
from hopefear.base.files import alone_writing

from .errors import refusing
from .names import NamedKind, completing


def option(
    text: str,
    *names: str,
    default: Any = MISSING,
    shown: bool | str = True,
    completion: NamedKind | None = None,
    make: Callable[..., Any] = typer.Option,
    writes: bool = False,
    **settings: Any,
) -> Any:
    """Declare an option as a field of a dataclass or as a parameter of a command.

    With a completion, its value is a name.
    """
    settings |= {"help": text, "show_default": shown}
    if completion is not None:
        settings = {"metavar": "NAME", "autocompletion": completing(completion), **settings}
    metadata = {"names": names, "make": make, "writes": writes, "settings": settings}
    return field(default=default, metadata=metadata)


def argument(text: str, **settings: Any) -> Any:
    """Declare an argument; the parameters are those of `option`."""
    return option(text, make=typer.Argument, **settings)


def named_values(text: str, name: str = "--set") -> Any:
    """Declare an option that takes ``name=value`` again and again."""
    return option(text, name, metavar="NAME=VALUE", default=())


def only(*names: str) -> Callable[[str], bool]:
    """Let ``Annotated[Options, only("resume")]`` take these fields of a dataclass only."""
    return lambda name: name in names


def without(*names: str) -> Callable[[str], bool]:
    """Let ``Annotated[Options, without("resume")]`` take all fields of a dataclass but these."""
    return lambda name: name not in names


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function a command: its options are flat, and wrong input is reported."""

    @functools.wraps(function)
    def run(**given: Any) -> None:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:  # from here on, a command can clean up
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with refusing(debug=given["debug"]), ExitStack() as outputs:
            read = [path for path in _files(function, given, writes=False) if path.is_file()]
            for path in dict.fromkeys(_files(function, given, writes=True)):  # one may be given twice
                if path.is_file() and any(map(path.samefile, read)):
                    raise InputError("expected another file than one that is read", path=path)
                outputs.enter_context(alone_writing(path))
            function(**gathered(function, given))

    flat = [one for made in (function, _debug) for _, _, parts in _arguments(made) for one in parts.values()]
    run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    return run


def gathered(function: Callable[..., None], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command, dataclasses among them, for the values of its flat options."""
    arguments = {}
    for name, make, parts in _arguments(inspect.unwrap(function)):
        values = {part: given[flat.name] for part, flat in parts.items()}
        arguments[name] = make(**{part: value for part, value in values.items() if value not in (None, [])})
    return arguments


def _files(function: Callable[..., None], given: Mapping[str, Any], *, writes: bool) -> Iterator[Path]:
    """Iterate over the files that the options of a command name, those that it writes or the others."""
    for _, _, parts in _arguments(function):
        for flat in parts.values():
            value = given.get(flat.name)
            if isinstance(flat, _Flat) and flat.writes is writes:
                yield from (
                    each for each in (value if isinstance(value, list) else [value]) if isinstance(each, Path)
                )


def options_given(*groups: Any) -> dict[str, Any]:
    """Return the values that differ from their defaults, by the names of the options."""
    declared = [(group, one) for group in groups for one in fields(group)]
    values = {_long_name(one.name, one): (getattr(group, one.name), one.default) for group, one in declared}
    return {name: value for name, (value, default) in values.items() if value not in (default, [])}


def files_given(*groups: Any) -> dict[str, Any]:
    """Return the files that options name, by the names of the options without ``--``."""
    return {
        name.removeprefix("--"): value
        for name, value in options_given(*groups).items()
        if isinstance(value[0] if isinstance(value, list) else value, Path)
    }


Argument = tuple[str, Callable[..., Any], dict[str, inspect.Parameter]]


@functools.cache
def _arguments(function: Callable[..., None]) -> Sequence[Argument]:
    """Return the arguments of a command: the name, what makes it, and its parts as flat parameters."""
    return tuple(
        _argument(name, one) for name, one in inspect.signature(function, eval_str=True).parameters.items()
    )


def _argument(name: str, parameter: inspect.Parameter) -> Argument:
    is_annotated = get_origin(parameter.annotation) is Annotated
    kind: Any
    kind, *takes = get_args(parameter.annotation) if is_annotated else (parameter.annotation,)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        taken = [one for one in fields(kind) if all(take(one.name) for take in takes)]
        return name, kind, {one.name: _flat(one.name, hints[one.name], one) for one in taken}
    if isinstance(declared := parameter.default, Field):
        return name, lambda value=declared.default: value, {"value": _flat(name, kind, declared)}
    return name, lambda value: value, {"value": parameter}


class _Flat(inspect.Parameter):
    """A parameter that an option was declared for."""

    writes: bool


def _flat(name: str, kind: Any, declared: Field[Any]) -> inspect.Parameter:
    names, make, settings = (declared.metadata[key] for key in ("names", "make", "settings"))
    if make is typer.Option:
        long = _long_name(name, declared)
        names = (*(each for each in names if each != long), long)
        name = long.strip("-").replace("-", "_")
        name += "_" * iskeyword(name)
        settings = {"metavar": _placeholder(kind), **settings}
        if _is_whole(kind):  # what counts up to a limit cannot take more
            settings = {"max": sys.maxsize, **settings}
    default = {MISSING: inspect.Parameter.empty, (): None}.get(declared.default, declared.default)
    annotation = Annotated[kind, make(*names, **settings)]
    flat = _Flat(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    flat.writes = declared.metadata["writes"]
    return flat


def _long_name(name: str, declared: Field[Any]) -> str:
    long = [each for each in declared.metadata["names"] if each.startswith("--")]
    return long[0] if long else f"--{name.replace('_', '-')}"


def _is_whole(kind: Any) -> bool:
    """Tell whether a type is that of whole numbers, or None, or a list of them."""
    return kind is int or any(map(_is_whole, get_args(kind)))


def _placeholder(kind: Any) -> str | None:
    """Return the placeholder for a value of a type in the help; None for a switch."""
    if kind is bool:
        return None
    if get_origin(kind) in (Union, types.UnionType, list):
        return _placeholder(get_args(kind)[0])
    if issubclass(kind, Enum):
        return "|".join(member.value for member in kind)
    if issubclass(kind, (int, float)):
        return "NUMBER"
    return "FILE" if issubclass(kind, Path) else "TEXT"


def _debug(*, debug: bool = option("Print the whole traceback of an error.", default=False)) -> None:
    """Declare the option of all commands."""
