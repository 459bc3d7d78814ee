"""Values of JSON and TOML as types, by msgspec: an error names the part that is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
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


class WrongPart(ValueError):
    """A part of a value is wrong.

    Attributes
    ----------
    keys : tuple of str and int
        The keys and places that lead to the part.
    message : str
        What is wrong, without the part.
    """

    def __init__(self, keys: tuple[Key, ...], message: str) -> None:
        place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
        super().__init__(f"{place.removeprefix('.')}: {message}" if keys else message)
        self.keys, self.message = keys, message


def typed(kind: type[T], value: object, made: Callable[[type, Any], Any] | None = None) -> T:
    """Return a value as a type that msgspec knows, checked with its constraints.

    Parameters
    ----------
    made : callable, optional
        Makes values of other types, as msgspec's ``dec_hook``.

    Raises
    ------
    WrongPart
        The value is not of this type, or its ``__post_init__`` raised a `WrongPart`.
    """
    try:
        return msgspec.convert(value, kind, dec_hook=made)
    except msgspec.ValidationError as error:
        message, *where = str(error).rsplit(" - at ", 1)
        found = re.findall(r"\.(\w+)|\[(\d+)\]", "".join(where))
        keys = tuple[Key, ...](name or int(place) for name, place in found)
        if isinstance(error.__cause__, WrongPart):
            raise WrongPart(keys + error.__cause__.keys, error.__cause__.message) from None
        if missing := re.fullmatch(r"Object missing required field `(.*)`", message):
            raise WrongPart((*keys, missing[1]), "expected a value, got nothing") from None
        if unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message):
            known = "" if where else f", {near(unknown[1], getattr(kind, '__struct_fields__', ()))}"
            raise WrongPart((*keys, unknown[1]), f"unknown{known}") from None
        plain = re.sub(r"`([\w| ]+)`", _spoken, message[0].lower() + message[1:])
        raise WrongPart(keys, plain) from None


def _spoken(kinds: re.Match[str]) -> str:
    return " or ".join(_KINDS.get(kind, kind) for kind in kinds[1].split(" | ") if kind != "null")
