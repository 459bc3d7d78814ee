from __future__ import annotations

from pathlib import Path

import pytest
from support.plugin_batches import fired_on_rules

from hopefear.feature_extractors import RuleShape
from hopefear.plugins import InputError, PluginError, create


def names(plugin: RuleShape, *rules: str) -> list[str]:
    found = fired_on_rules(plugin, *rules)
    assert all(list(features.values()) == [1] for features in found)
    return [name for features in found for name in features]


# What RuleShapeFeatures (ff_ruleshape.cc of cdec) makes of each rule: places X before, 1, between, 2, behind.
CDEC = {
    "[X] ||| a ||| b": "Shape_S10000_T10000",
    "[X] ||| a b c ||| d": "Shape_S10000_T10000",
    "[X] ||| [X,1] ||| [1]": "Shape_S01000_T01000",
    "[X] ||| a [X,1] ||| [1] b c": "Shape_S11000_T01100",
    "[X] ||| [X,1] a ||| [1]": "Shape_S01100_T01000",
    "[X] ||| [X,1] de [X,2] ||| [2] 's [1]": "Shape_S01110_T01110",
    "[S] ||| [S,1] [X,2] ||| [1] [2]": "Shape_S01010_T01010",
    "[X] ||| a [X,1] [X,2] b ||| [2] c [1] d": "Shape_S11011_T01111",
    "[X] ||| a [X,1] b [X,2] c ||| d [1] e [2] f": "Shape_S11111_T11111",
}


def test_cdecs_names() -> None:
    assert names(RuleShape(), *CDEC) == list(CDEC.values())


def test_more_than_two_nonterminals_have_more_places() -> None:
    rule = "[X] ||| [X,1] a [X,2] [X,3] b ||| [3] [2] c [1]"
    assert names(RuleShape(), rule) == ["Shape_S0111011_T0101110"]
    side = " ".join(f"[X,{k}]" for k in range(1, 16))
    with pytest.raises(PluginError, match="expected at most 14 nonterminals in a rule, got 15"):
        names(RuleShape(), f"[X] ||| {side} ||| {side}")


@pytest.fixture
def classes(tmp_path: Path) -> tuple[Path, Path]:
    source, target = tmp_path / "f.map", tmp_path / "e.map"
    source.write_text("0110 de 12\n0111\ta\n")
    target.write_text("C3 's\nC44 d 7\n")
    return source, target


RULES = "[X] ||| [X,1] de [X,2] ||| [2] 's [1]", "[X] ||| a q ||| d d"


def test_word_classes_as_rule_shape_2_has_them(classes: tuple[Path, Path]) -> None:
    source, target = classes
    both = RuleShape(f_classes=source, e_classes=target)
    assert names(both, *RULES) == ["RS:NT_0110_NT__NT_C3_NT", "RS:0111_<unk>__C44_C44"]
    assert names(RuleShape(f_classes=source), *RULES) == ["RS:NT_0110_NT", "RS:0111_<unk>"]
    assert names(RuleShape(e_classes=target), *RULES) == ["RS:NT_C3_NT", "RS:C44_C44"]
    shorter = RuleShape(f_classes=source, e_classes=target, prefix_size=2)
    assert names(shorter, *RULES) == ["RS:NT_01_NT__NT_C3_NT", "RS:01_<unk>__C4_C4"]


def test_cdecs_arguments(classes: tuple[Path, Path]) -> None:
    plugin = create("RuleShape2 -e e.map -f f.map -p 2", base=classes[0].parent)
    assert names(plugin, RULES[0]) == ["RS:NT_01_NT__NT_C3_NT"]


def test_malformed_classes(tmp_path: Path) -> None:
    path = tmp_path / "f.map"
    path.write_text("1 a\n2 b c d\n")
    with pytest.raises(InputError, match=r"f\.map:2: expected CLASS WORD or .*, got '2 b c d'"):
        RuleShape(f_classes=path).prepare()
