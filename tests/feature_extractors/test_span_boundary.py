from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

from support.plugin_batches import Sentence, Span, fired_on_edges

from hopefear.feature_extractors import SpanBoundary
from hopefear.plugins import create

RULES = "[X] ||| a ||| b", "[S] ||| [X,1] ||| [1]"
WORDS = ("a", "b", "c", "d", "e", "f")


def fire(
    plugin: SpanBoundary, edges: list[tuple[int, Span]], words: tuple[str, ...] = WORDS
) -> list[dict[str, float]]:
    return fired_on_edges(plugin, RULES, [(rule, span, []) for rule, span in edges], Sentence(words))


def ones(*names: str) -> dict[str, float]:
    return dict.fromkeys(names, 1.0)


def test_cdecs_names() -> None:
    assert fire(SpanBoundary(), [(0, (2, 5)), (1, (0, 6)), (0, (0, 6)), (0, (2, 5))]) == [
        ones("BS:b", "BBI:b_c", "ES:f", "EBI:e_f", "S:b_f", "LS:3_b_f"),
        ones("BS:BOS", "BBI:BOS_a", "ES:EOS", "EBI:f_EOS", "S_S:BOS_EOS", "S_LS:4_BOS_EOS"),
        ones("BS:BOS", "BBI:BOS_a", "ES:EOS", "EBI:f_EOS", "S:BOS_EOS", "LS:4_BOS_EOS"),
        ones("BS:b", "BBI:b_c", "ES:f", "EBI:e_f", "S:b_f", "LS:3_b_f"),
    ]


def test_against_cdecs_tables() -> None:
    words = ("x", "y=", "x", ";", "z", "x", "u", "x", "y=")
    spans = list(combinations(range(len(words) + 1), 2))
    expected = []
    for i, j in spans:
        before, after = ("BOS", *words)[i], (*words, "EOS")[j]
        size = int(math.log(j - i + 1) / math.log(1.39)) - 1
        names = (
            f"ES:{after}",
            f"BS:{before}",
            f"EBI:{words[j - 1]}_{after}",
            f"BBI:{before}_{words[i]}",
            f"S:{before}_{after}",
            f"LS:{size}_{before}_{after}",
        )
        expected.append(ones(*(name.replace("=", "_").replace(";", "_") for name in names)))
    assert fire(SpanBoundary(), [(0, span) for span in spans], words) == expected


def test_classes_and_oov(tmp_path: Path) -> None:
    (tmp_path / "map").write_text("b B\nf FF\n")
    plugin = create("SpanFeatures map", base=tmp_path)
    assert fire(plugin, [(0, (2, 5)), (0, (0, 6))]) == [
        ones("BS:B", "BBI:B_OOV", "ES:FF", "EBI:OOV_FF", "S:B_FF", "LS:3_B_FF"),
        ones("BS:BOS", "BBI:BOS_OOV", "ES:EOS", "EBI:FF_EOS", "S:BOS_EOS", "LS:4_BOS_EOS"),
    ]


def test_types() -> None:
    words = ("ventanas", "x")
    assert fire(SpanBoundary(types=("surface", "prefix")), [(0, (1, 2))], words) == [
        ones(
            *("BS:ventanas", "BS:vent+", "BBI:ventanas_x", "BBI:vent+_x", "ES:EOS", "EBI:x_EOS"),
            *("S:ventanas_EOS", "S:vent+_EOS", "LS:1_ventanas_EOS", "LS:1_vent+_EOS"),
        )
    ]


def test_goal() -> None:
    fired = fire(SpanBoundary(goal="X"), [(0, (5, 6)), (1, (5, 6))])
    assert [sorted(set(features) - set(fired[1 - k])) for k, features in enumerate(fired)] == [
        ["S_LS:1_e_EOS", "S_S:e_EOS"],
        ["LS:1_e_EOS", "S:e_EOS"],
    ]


def test_no_words() -> None:
    assert fire(SpanBoundary(), [], ()) == []
