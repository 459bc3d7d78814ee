"""Values as JSON, dataclasses among them, and values of declared types from what JSON kept of them."""

from __future__ import annotations

import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .texts import shortened

_Reader = Callable[[Any, str, "float | None"], Any]
"""Makes a value from that of JSON, its name for messages, and the least value of a number."""

_ATOMS = frozenset({bool, int, float, str, NoneType})


def to_json(value: Any) -> Any:
    """Return a value as JSON can hold it; of a dataclass, the fields that differ from their defaults."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, bytes):
        return b64encode(value).decode()
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
        The type, made of bool, int, float (which is finite), str, bytes (base64), None, list, tuple, dict,
        mappings, dataclasses, and unions of these. A dataclass may refuse values in its ``__post_init__``.
    name : str
        What the value is, for messages.
    least : float, optional
        The least value of a number, or of each number of a list, tuple or dict.

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
    """Return what reads a value of a type: a type is looked at once, as logs have many values of it."""
    if kind is Any:
        return lambda value, name, least: value
    is_union = get_origin(kind) in (Union, UnionType)
    forms = [_form(one) for one in (get_args(kind) if is_union else (kind,))]
    text = kind.__name__ if isinstance(kind, type) and not get_args(kind) else kind

    def read(value: Any, name: str, least: float | None) -> Any:
        for types, make in forms:
            if type(value) in types:
                return make(value, name, least)
        raise ValueError(f"expected {name} to be {text}, got {shortened(repr(value))}")

    return read


def _form(kind: Any) -> tuple[tuple[type, ...], _Reader]:
    """Return the types that JSON may give for a type that is no union, and what makes a value from them."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if origin is float:
        return (int, float), _finite
    if origin in _ATOMS:
        return (origin,), _bounded
    if origin is bytes:
        return (str,), lambda value, name, least: b64decode(value, validate=True)
    if origin is tuple and inner[1:] != (...,):
        return (list, tuple), _row([_reader(one) for one in inner])
    if origin in (list, tuple):
        one = _reader(inner[0])
        return (list, tuple), lambda value, name, least: origin([one(each, name, least) for each in value])
    if origin in (dict, Mapping):
        one = _reader(inner[1])
        return (dict,), lambda value, name, least: {k: one(each, name, least) for k, each in value.items()}
    if is_dataclass(kind):
        return (dict,), _record(kind)
    return (), _bounded  # JSON cannot hold it


def _finite(value: float, name: str, least: float | None) -> float:
    if not abs(value) <= sys.float_info.max:
        raise ValueError(f"expected {name} to be finite, got {shortened(repr(value))}")
    return float(_bounded(value, name, least))


def _bounded(value: Any, name: str, least: float | None) -> Any:
    if least is not None and value < least:
        raise ValueError(f"expected {name} to be at least {least}, got {value!r}")
    return value


def _row(readers: list[_Reader]) -> _Reader:
    def make(value: Any, name: str, least: float | None) -> tuple[Any, ...]:
        if len(value) != len(readers):
            raise ValueError(f"expected {len(readers)} values of {name}, got {shortened(repr(value))}")
        return tuple([read(one, name, least) for read, one in zip(readers, value, strict=True)])

    return make


def _record(kind: Any) -> _Reader:
    types, defaults = get_type_hints(kind), _defaults(kind)
    readers = {name: _reader(types[name]) for name in defaults}
    required = {name for name, default in defaults.items() if default is MISSING}

    def make(value: Any, name: str, least: float | None) -> Any:
        for key in (*(required - value.keys()), *(value.keys() - readers.keys())):
            what = "a" if key in required else "no"
            raise ValueError(f"expected {what} field {shortened(repr(key))} of {name}")
        return kind(**{key: readers[key](one, f"{name}.{key}", None) for key, one in value.items()})

    return make
