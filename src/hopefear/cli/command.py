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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer

from .errors import refusing
from .io import ending_quietly
from .names import Kind, completing


def option(
    text: str,
    *names: str,
    default: Any = MISSING,
    shown: str | None = None,
    completion: Kind | None = None,
    **settings: Any,
) -> Any:
    """Declare an option as a field of a dataclass or as a parameter of a command.

    Parameters
    ----------
    text : str
        The help.
    names : str
        Names of the option; ``--`` and the name of the field is one if no long one is given.
    default
        The value without the option; an option without a default is required. That of a list is ``()``.
    shown : str, optional
        How the help describes the default.
    completion : Kind, optional
        What a shell completes.
    settings
        What else `typer.Option` takes, such as ``metavar`` and ``min``.
    """
    return _declared(typer.Option, text, names, default, shown, completion, settings)


def argument(
    text: str,
    *,
    default: Any = MISSING,
    shown: str | None = None,
    completion: Kind | None = None,
    **settings: Any,
) -> Any:
    """Declare an argument; the parameters are those of `option`."""
    return _declared(typer.Argument, text, (), default, shown, completion, settings)


def only(*names: str) -> Callable[[str], bool]:
    """Let ``Annotated[Options, only("resume")]`` take these fields of a dataclass only."""
    return lambda name: name in names


def without(*names: str) -> Callable[[str], bool]:
    """Let ``Annotated[Options, without("resume")]`` take all fields of a dataclass but these."""
    return lambda name: name not in names


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Make a function a command: its options are flat, wrong input is reported, and it ends quietly."""

    @functools.wraps(function)
    @ending_quietly()
    def run(**given: Any) -> None:
        with refusing(debug=given["debug"]):
            function(**gathered(function, given))

    declared = [one.parameter for one in (*_options(function), *_options(_debug))]
    run.__signature__ = inspect.Signature(declared)  # type: ignore[attr-defined]
    return run


def gathered(function: Callable[..., None], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a command, dataclasses among them, for the values of its flat options."""
    arguments: dict[str, Any] = {}
    groups: dict[str, type] = {}
    for one in _options(inspect.unwrap(function)):
        value = given[one.parameter.name]
        if one.field is not None and value in (None, []):
            value = one.field.default
        if one.group is None:
            arguments[one.name] = value
        else:
            groups[one.argument] = one.group
            arguments.setdefault(one.argument, {})[one.name] = value
    return arguments | {name: group(**arguments[name]) for name, group in groups.items()}


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


class _Option(NamedTuple):
    """A flat parameter; the argument of the command, its dataclass, the name in it, the declaration."""

    parameter: inspect.Parameter
    argument: str
    group: type | None
    name: str
    field: Field[Any] | None


def _declared(
    kind: Callable[..., Any],
    text: str,
    names: tuple[str, ...],
    default: Any,
    shown: str | None,
    completion: Kind | None,
    settings: dict[str, Any],
) -> Any:
    settings |= {"help": text, "show_default": True if shown is None else shown}
    if completion is not None:
        settings["autocompletion"] = completing(completion)
    return field(default=default, metadata={"kind": kind, "names": names, "settings": settings})


def _options(function: Callable[..., None]) -> Iterator[_Option]:
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        group, *takes = _parts(parameter.annotation)
        if is_dataclass(group):
            assert isinstance(group, type)
            hints = get_type_hints(group)
            for one in fields(group):
                if all(take(one.name) for take in takes):
                    flat = _flat(one.name, hints[one.name], one)
                    yield _Option(flat, parameter.name, group, one.name, one)
        elif isinstance(parameter.default, Field):
            flat = _flat(parameter.name, parameter.annotation, parameter.default)
            yield _Option(flat, parameter.name, None, parameter.name, parameter.default)
        else:
            yield _Option(parameter, parameter.name, None, parameter.name, None)


def _parts(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)


def _flat(name: str, kind: Any, declared: Field[Any]) -> inspect.Parameter:
    made, names, settings = (declared.metadata[key] for key in ("kind", "names", "settings"))
    if made is typer.Option:
        long = _long_name(name, declared)
        names = (*(each for each in names if each != long), long)
        name = long.strip("-").replace("-", "_")
        name += "_" * iskeyword(name)
    default = {MISSING: inspect.Parameter.empty, (): None}.get(declared.default, declared.default)
    annotation = Annotated[kind, made(*names, **settings)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _long_name(name: str, declared: Field[Any]) -> str:
    long = [each for each in declared.metadata["names"] if each.startswith("--")]
    return long[0] if long else f"--{name.replace('_', '-')}"


def _debug(*, debug: bool = option("Print the whole traceback of an error.", default=False)) -> None:
    """Declare the option of all commands."""
