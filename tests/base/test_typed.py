from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import pytest
from msgspec import Meta, Struct

from hopefear.base.typed import WrongPart, from_json, to_json, typed


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


@dataclass(frozen=True)
class Leaf:
    word: str
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Tree:
    leaves: list[Leaf]
    root: Leaf | None = None
    span: tuple[int, float] = (0, 0.0)
    facts: Mapping[str, int | str] = field(default_factory=dict)
    content: bytes = b""


TREE = Tree([Leaf("a", (1, 2)), Leaf("é")], Leaf("r"), (1, 0.5), {"a": 1, "b": "c"}, b"\0\xff")


def test_what_is_written_is_read() -> None:
    for tree in (TREE, Tree([])):
        assert from_json(Tree, json.loads(json.dumps(to_json(tree))), "the tree") == tree


def test_defaults_are_left_out() -> None:
    assert to_json(Tree([Leaf("a")])) == {"leaves": [{"word": "a"}]}


def test_the_least_value() -> None:
    assert from_json(dict[str, int], {"a": 0}, "x", least=0) == {"a": 0}
    with pytest.raises(ValueError, match="expected x to be at least 0, got -1"):
        from_json(list[int], [0, -1], "x", least=0)
    with pytest.raises(ValueError, match=r"x\[1\].word: expected text, got nothing"):
        from_json(list[Leaf], [{"word": "a"}, {"word": None}], "x")
