from __future__ import annotations

import pytest
from support.plugin_batches import fired_on_rules

from hopefear.feature_extractors import LexicalFeatures
from hopefear.plugins import create

RULES = (
    "[X] ||| [X,1] de la [X,2] ||| [2] 's [1] ||| p=1 ||| 1-1",
    "[X] ||| a b a ||| c d d ||| p=1 ||| 0-0 0-1 2-0",
    "[X] ||| x=y ; ||| e ||| p=1",
    "[S] ||| [S,1] [X,2] ||| [1] [2]",
    "[X] ||| a ||| c d ||| p=1 ||| 0-1 0-1",
)
# What ff_lexical.h of cdec makes of them.
LINKED: list[dict[str, float]] = [{"LT:de:'s": 1}, {"LT:a:c": 2, "LT:a:d": 1}, {}, {}, {"LT:a:d": 2}]
DELETED: list[dict[str, float]] = [{"LD:la": 1}, {"LD:b": 1}, {"LD:x_y": 1, "LD:_": 1}, {}, {}]
INSERTED: list[dict[str, float]] = [{}, {"LI:d": 1}, {"LI:e": 1}, {}, {"LI:c": 1}]


def test_cdecs_names() -> None:
    expected = [{**t, **d, **i} for t, d, i in zip(LINKED, DELETED, INSERTED, strict=True)]
    assert fired_on_rules(LexicalFeatures(), *RULES) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("1 0 0", LINKED), ("0 1 0", INSERTED), ("0 0 1", DELETED), ("0 0 0", [{}] * len(RULES))],
)
def test_cdecs_arguments(line: str, expected: list[dict[str, float]]) -> None:
    plugin = create(f"LexicalFeatures {line}")
    assert fired_on_rules(plugin, *RULES) == expected


def test_types() -> None:
    plugin = LexicalFeatures(source_types=("surface", "suffix"), target_types=("prefix", "digits"))
    (found,) = fired_on_rules(plugin, "[X] ||| ventanas en el ||| windows ||| p=1 ||| 0-0 1-0")
    # "en" is its own suffix, and fires once.
    linked = {f"LT:{f}:{e}": 1 for f in ("ventanas", "+anas", "en") for e in ("wind+", "windows")}
    assert found == {**linked, "LD:el": 1}
