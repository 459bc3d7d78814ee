from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from hopefear.base.typed_json import from_json, to_json


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


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (int, True, "expected x to be int, got True"),
        (float, float("inf"), "expected x to be finite"),
        (list[int], [1, "a"], "expected x to be int, got 'a'"),
        (tuple[int, str], [1], "expected 2 values of x"),
        (bytes, "?", "."),
        (int | None, "a", r"expected x to be int \| None"),
        (object, 1, "expected x to be object"),
        (Leaf, {}, "expected a field 'word' of x"),
        (Leaf, {"word": "a", "words": 1}, "expected no field 'words' of x"),
        (Tree, {"leaves": [{"word": 1}]}, r"expected x.leaves.word to be str, got 1"),
    ],
)
def test_other_values_are_refused(kind: Any, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_json(kind, value, "x")


def test_the_least_value() -> None:
    assert from_json(dict[str, int], {"a": 0}, "x", least=0) == {"a": 0}
    with pytest.raises(ValueError, match="expected x to be at least 0, got -1"):
        from_json(dict[str, int], {"a": -1}, "x", least=0)
