"""Values of JSON and TOML as types, by msgspec: an error names the part that is wrong; and values as JSON."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, TypeVar

import msgspec

from .loading import near

T = TypeVar("T")

Key = str | int
"""A key of a table, or a place in a list, counted from 0."""

_KINDS = {
    "object": "a table",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}
"""What msgspec calls the kinds of values, and what people call them."""


_ATOMS = frozenset({bool, int, float, str, NoneType})


class WrongPart(ValueError):
    """A part of a value is wrong."""

    def __init__(self, keys: tuple[Key, ...], message: str) -> None:
        where = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
        super().__init__(f"{where.removeprefix('.')}: {message}" if keys else message)
        self.keys, self.message = keys, message


def typed(kind: type[T], value: object, made: Callable[[type, Any], Any] | None = None) -> T:
    """Return a value as a type that msgspec knows, checked with its constraints."""
    try:
        return msgspec.convert(value, kind, dec_hook=made)
    except msgspec.ValidationError as error:
        message, *where = str(error).rsplit(" - at ", 1)
        parts = re.findall(r"\.(\w+)|\[(\d+)\]", "".join(where))
        keys = tuple[Key, ...](name or int(index) for name, index in parts)
        if isinstance(error.__cause__, WrongPart):
            raise WrongPart(keys + error.__cause__.keys, error.__cause__.message) from None
        if missing := re.fullmatch(r"Object missing required field `(.*)`", message):
            raise WrongPart((*keys, missing[1]), "expected a value, got nothing") from None
        if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message):
            suggestions = "" if where else f", {near(unknown[1], getattr(kind, '__struct_fields__', ()))}"
            raise WrongPart((*keys, unknown[1]), f"unknown{suggestions}") from None
        plain = re.sub(r"`([\w| ]+)`", _spoken, message[0].lower() + message[1:])
        raise WrongPart(keys, plain) from None


def from_json(kind: Any, value: object, name: str, *, least: float | None = None) -> Any:
    """Return a saved value as `typed` does."""
    try:
        made = typed(kind, value)
    except WrongPart as error:
        raise WrongPart((name, *error.keys), error.message) from None
    if least is not None:
        numbers = made.values() if isinstance(made, dict) else made
        for number in numbers if isinstance(made, (dict, list, tuple)) else [made]:
            if number < least:
                raise ValueError(f"expected {name} to be at least {least}, got {number!r}")
    return made


def refuse_unknown(kind: Any, saved: Mapping[str, Any], name: str) -> None:
    """Refuse a table with a key that is no field of a dataclass."""
    if unknown := saved.keys() - {each.name for each in fields(kind)}:
        raise WrongPart((name, min(unknown)), "unknown")


def to_json(value: Any) -> Any:
    """Return a value as JSON can hold it; of a dataclass, the fields that differ from their defaults."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _ATOMS else to_json(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(to_json, value))
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if is_dataclass(value):
        kind: Any = type(value)
        members = ((name, getattr(value, name), default) for name, default in _defaults(kind).items())
        return {
            name: to_json(field_value) for name, field_value, default in members if field_value != default
        }
    return value


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    """Return the defaults of the fields of a dataclass, MISSING where there is none."""
    return {
        each.name: each.default if each.default_factory is MISSING else each.default_factory()
        for each in fields(kind)
        if each.init
    }


def _spoken(kinds: re.Match[str]) -> str:
    return (
        " or ".join(_KINDS.get(kind, kind) for kind in kinds[1].split(" | ") if kind != "null") or "nothing"
    )
