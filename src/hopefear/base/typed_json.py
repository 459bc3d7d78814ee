"""Values as JSON, dataclasses among them, and values of declared types from what JSON kept of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .texts import shortened

_Reader = Callable[[Any, str, "float | None"], Any]

_ATOMS = frozenset({int, str, bool, float, NoneType})


def to_json(value: Any) -> Any:
    """Return a value as JSON can hold it; of a dataclass, the fields that differ from their defaults."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, (list, tuple)):
        return [one if type(one) in _ATOMS else to_json(one) for one in value]
    if isinstance(value, Mapping):
        return {key: to_json(one) for key, one in value.items()}
    if is_dataclass(value):
        kind: Any = type(value)
        found = ((name, getattr(value, name), default) for name, default in _defaults(kind).items())
        return {name: to_json(own) for name, own, default in found if own != default}
    return value


def from_json(kind: Any, value: Any, name: str, *, least: float | None = None) -> Any:
    """Return a value of a declared type from what JSON kept of it.

    Parameters
    ----------
    kind
        The type, made of bool, int, float (which is finite), str, None, list, tuple, dict, mappings,
        dataclasses, and unions of these. A dataclass may refuse values in its ``__post_init__``.
    name : str
        What the value is, for messages.
    least : float, optional
        The least value of a number, or of each number of a list or dict.

    Raises
    ------
    ValueError
        The value is of another type, or below `least`.
    """
    return _reader(kind)(value, name, least)


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """Return the defaults of the fields of a dataclass, MISSING where there is none."""
    return {
        each.name: each.default if each.default_factory is MISSING else each.default_factory()
        for each in fields(kind)
        if each.init
    }


@cache
def _reader(kind: Any) -> _Reader:
    """Return what reads a value of a type, so that the type is looked at once."""
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if kind is Any:
        return lambda value, name, least: value
    if origin in (Union, UnionType):
        return _union_reader(kind, arguments)
    if origin is float:
        return _read_float
    if origin is tuple and arguments[1:] != (...,):
        return _row_reader(kind, arguments)
    if origin in (list, tuple):
        return _list_reader(kind, origin, arguments[0])
    if origin is dict or origin is Mapping:
        return _dict_reader(kind, arguments[1])
    if is_dataclass(kind):
        return _record_reader(kind)
    return _atom_reader(kind)


def _fits(kind: Any, value: Any) -> bool:
    """Tell whether a value of JSON may be of a type, without a look inside."""
    origin = get_origin(kind) or kind
    if origin is float:
        return type(value) in (int, float)
    if origin in (list, tuple):
        return type(value) in (list, tuple)
    if origin is dict or origin is Mapping or is_dataclass(origin):
        return type(value) is dict
    return origin in _ATOMS and type(value) is origin


def _wrong(kind: Any, value: Any, name: str) -> ValueError:
    text = getattr(kind, "__name__", kind) if get_origin(kind) is None else kind
    return ValueError(f"expected {name} to be {text}, got {shortened(repr(value))}")


def _bounded(value: Any, name: str, least: float | None) -> Any:
    if least is not None and value < least:
        raise ValueError(f"expected {name} to be at least {least}, got {value!r}")
    return value


def _read_float(value: Any, name: str, least: float | None) -> Any:
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        raise _wrong(float, value, name)
    return _bounded(float(value), name, least)


def _atom_reader(kind: Any) -> _Reader:
    def read(value: Any, name: str, least: float | None) -> Any:
        if type(value) is not kind or kind not in _ATOMS:
            raise _wrong(kind, value, name)
        return value if least is None else _bounded(value, name, least)

    return read


def _union_reader(kind: Any, kinds: tuple[Any, ...]) -> _Reader:
    readers = [(one, _reader(one)) for one in kinds]

    def read(value: Any, name: str, least: float | None) -> Any:
        for one, read_one in readers:
            if _fits(one, value):
                return read_one(value, name, least)
        raise _wrong(kind, value, name)

    return read


def _list_reader(kind: Any, make: Callable[[Any], Any], inner: Any) -> _Reader:
    read_one = _reader(inner)

    def read(value: Any, name: str, least: float | None) -> Any:
        if type(value) not in (list, tuple):
            raise _wrong(kind, value, name)
        return make([read_one(one, name, least) for one in value])

    return read


def _row_reader(kind: Any, kinds: tuple[Any, ...]) -> _Reader:
    readers = [_reader(one) for one in kinds]

    def read(value: Any, name: str, least: float | None) -> Any:
        if type(value) not in (list, tuple):
            raise _wrong(kind, value, name)
        if len(value) != len(readers):
            raise ValueError(f"expected {len(readers)} values of {name}, got {shortened(repr(value))}")
        return tuple([read_one(one, name, least) for read_one, one in zip(readers, value, strict=True)])

    return read


def _dict_reader(kind: Any, inner: Any) -> _Reader:
    read_one = _reader(inner)

    def read(value: Any, name: str, least: float | None) -> Any:
        if type(value) is not dict:
            raise _wrong(kind, value, name)
        return {key: read_one(one, name, least) for key, one in value.items()}

    return read


def _record_reader(kind: Any) -> _Reader:
    types, defaults = get_type_hints(kind), _defaults(kind)
    readers = {name: _reader(types[name]) for name in defaults}
    required = {name for name, default in defaults.items() if default is MISSING}

    def read(value: Any, name: str, least: float | None) -> Any:
        if type(value) is not dict:
            raise _wrong(kind, value, name)
        for key in (*(required - value.keys()), *(value.keys() - defaults.keys())):
            problem = "a field" if key in required else "no field"
            raise ValueError(f"expected {problem} {shortened(repr(key))} of {name}")
        return kind(**{key: readers[key](one, f"{name}.{key}", None) for key, one in value.items()})

    return read
