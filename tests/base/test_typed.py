from __future__ import annotations

from typing import Annotated

import pytest
from msgspec import Meta, Struct

from hopefear.base.typed import WrongPart, typed


class Part(Struct, forbid_unknown_fields=True):
    name: str
    sizes: tuple[Annotated[int, Meta(ge=1)], ...] = ()

    def __post_init__(self) -> None:
        if self.name == "none":
            raise WrongPart(("name",), "expected another name")


class Whole(Struct):
    parts: list[Part]


@pytest.mark.parametrize(
    ("part", "keys", "message"),
    [
        ({"name": 3}, ("name",), "expected text, got a whole number"),
        ({}, ("name",), "expected a value, got nothing"),
        ({"name": "a", "size": 1}, ("size",), "unknown"),
        ({"name": "a", "sizes": [2, 0]}, ("sizes", 1), "expected a whole number >= 1"),
        ({"name": "none"}, ("name",), "expected another name"),
        (5, (), "expected a table, got a whole number"),
    ],
)
def test_the_part_that_is_wrong_is_named(part: object, keys: tuple[str | int, ...], message: str) -> None:
    with pytest.raises(WrongPart) as caught:
        typed(Whole, {"parts": [{"name": "a"}, part]})
    assert caught.value.keys == ("parts", 1, *keys)
    assert caught.value.message == message
    assert str(caught.value).startswith("parts[1]")


def test_names_like_an_unknown_one_are_named() -> None:
    with pytest.raises(WrongPart, match="size: unknown, near: sizes"):
        typed(Part, {"name": "a", "size": 1})
