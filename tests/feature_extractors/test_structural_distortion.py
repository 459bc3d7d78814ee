from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plugin_batches import Edges, Rules, Sentence, Span, fired_on_edges

from hopefear.feature_extractors import StructuralDistortion
from hopefear.plugins import FeatureTable, InputError, PluginError, create

Spans = list[tuple[int, int]]


def name(reordered: bool, size: int | str) -> str:
    return f"Distortion_{int(reordered)}_{size}"


def flags(*rules: str, plugin: StructuralDistortion | None = None) -> list[int]:
    attributes = (plugin or StructuralDistortion()).rule_attributes(Rules(*rules))
    assert attributes.dtype == np.int32
    return list(map(int, attributes))


def fire(rules: list[str], edges: list[tuple[int, Span, Spans]], **arguments: Any) -> list[dict[str, float]]:
    return fired_on_edges(StructuralDistortion(**arguments), rules, edges, Sentence(), 40)


def test_rules_12_and_13_of_the_paper() -> None:
    alignment = "||| p=1 ||| 0-{} 1-{}"
    rule12 = "[X] ||| il dit [X,1] ||| he said [X,1] " + alignment.format(0, 1)
    rule13 = "[X] ||| il dit [X,1] ||| [X,1] he said " + alignment.format(1, 2)
    assert flags(rule12, rule13) == [0, 1]
    edge = (0, 13), [(2, 13)]
    assert fire([rule12, rule13], [(0, *edge), (1, *edge), (1, (0, 5), [(2, 5)])]) == [
        {"Distortion_0_10+": 1, "Distortion_0_*": 1},
        {"Distortion_1_10+": 1, "Distortion_1_*": 1},  # the paper: (true, >= 10) and (true, *)
        {"Distortion_1_3": 1, "Distortion_1_*": 1},
    ]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("[X] ||| a b ||| c d ||| ||| 0-1 1-0", 0b0),  # words that cross are no nonterminals
        ("[X] ||| [X,1] a [X,2] ||| [2] b [1]", 0b11),
        ("[X] ||| [X,1] a [X,2] ||| [1] b [2] ||| ||| 1-1", 0b00),
        ("[X] ||| [X,1] a [X,2] ||| b [1] [2] ||| ||| 1-0", 0b01),
        ("[X] ||| [X,1] a [X,2] ||| [1] [2] b ||| ||| 1-2", 0b10),
        ("[X] ||| [X,1] a [X,2] ||| [1] [2] b", 0b00),  # without alignment nothing says so
        ("[X] ||| a [X,1] b ||| c [1] d ||| ||| 0-2 2-0", 0b1),
        ("[X] ||| a [X,1] b ||| c [1] d ||| ||| 0-0 2-2", 0b0),
        ("[X] ||| [A,1] [B,2] [C,3] ||| [2] [3] [1]", 0b111),
        ("[X] ||| [A,1] [B,2] [C,3] ||| [1] [3] [2]", 0b110),
        ("[S] ||| [X,1] ||| [1]", 0b0),
        ("[S] ||| [S,1] [X,2] ||| [1] [2] ||| Glue=1", 0b00),
    ],
)
def test_reordered(rule: str, expected: int) -> None:
    assert flags(rule) == [expected]


def test_the_22_names() -> None:
    sizes = [*map(str, range(1, 10)), "10+", "*"]
    table = StructuralDistortion().fire(Edges(1, []), Sentence())
    assert sorted(table.names) == sorted(f"Distortion_{r}_{s}" for r in "01" for s in sizes)


def test_nonterminals_of_one_rule_add_up() -> None:
    rules = ["[X] ||| [X,1] [X,2] ||| [2] [1]", "[X] ||| [X,1] a [X,2] ||| b [1] [2] ||| ||| 1-0"]
    assert fire(rules, [(0, (0, 4), [(0, 2), (2, 4)]), (1, (0, 5), [(0, 2), (3, 5)])]) == [
        {"Distortion_1_2": 2, "Distortion_1_*": 2},
        {"Distortion_1_2": 1, "Distortion_0_2": 1, "Distortion_1_*": 1, "Distortion_0_*": 1},
    ]


def test_size_is_that_of_the_tail_not_of_the_rule() -> None:
    rules = ["[X] ||| a b [X,1] c ||| d [1]"]
    assert fire(rules, [(0, (3, 10), [(5, 9)])]) == [{"Distortion_0_4": 1, "Distortion_0_*": 1}]


def test_lexical_rules_fire_nothing() -> None:
    assert fire(["[X] ||| a ||| b"], [(0, (0, 1), [])]) == [{}]


GLUE = ["[S] ||| [X,1] ||| [1]", "[S] ||| [S,1] [X,2] ||| [1] [2]", "[X] ||| [X,1] a ||| [1] b"]
GLUED: list[tuple[int, tuple[int, int], Spans]] = [
    (0, (0, 12), [(0, 12)]),
    (1, (0, 12), [(0, 10), (10, 12)]),
    (2, (0, 3), [(0, 2)]),
]


def test_glue() -> None:
    assert fire(GLUE, GLUED) == [
        {"Distortion_0_10+": 1, "Distortion_0_*": 1},
        {"Distortion_0_10+": 1, "Distortion_0_2": 1, "Distortion_0_*": 2},
        {"Distortion_0_2": 1, "Distortion_0_*": 1},
    ]
    assert fire(GLUE, GLUED, glue=False) == [{}, {}, {"Distortion_0_2": 1, "Distortion_0_*": 1}]
    assert fire(GLUE, GLUED, glue=False, goal="X")[:2] == fire(GLUE, GLUED)[:2]
    assert fire(GLUE, GLUED, glue=False, goal="X")[2] == {}
    plugin = create("StructuralDistortion --no-glue --goal TOP")
    assert flags("[TOP] ||| [A,1] [B,2] [C,3] ||| [1] [2] [3]", plugin=plugin) == [-1]


def test_wide_glue_fires_nothing_either() -> None:
    rule = "[S] ||| [A,1] [B,2] [C,3] ||| [1] [2] [3]"
    edges: list[tuple[int, tuple[int, int], Spans]] = [(0, (0, 3), [(0, 1), (1, 2), (2, 3)])]
    assert fire([rule], edges, glue=False) == [{}]
    assert fire([rule], edges) == [{"Distortion_0_1": 3, "Distortion_0_*": 3}]


def test_too_many_nonterminals() -> None:
    side = " ".join(f"[X,{k}]" for k in range(1, 32))
    with pytest.raises(PluginError, match="expected at most 30 nonterminals in a rule, got 31"):
        flags(f"[X] ||| {side} ||| {side}")


@st.composite
def rules(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]], list[tuple[int, int]]]:
    """A rule, its nonterminals' links in source order, and its words' links."""
    arity = draw(st.integers(0, 4))
    source = ["[X]"] * arity + ["a"] * draw(st.integers(arity == 0, 3))
    source = draw(st.permutations(source))
    target: list[int | str] = [*range(1, arity + 1), *["b"] * draw(st.integers(0, 3))]
    target = draw(st.permutations(target))
    at = [position for position, symbol in enumerate(source) if symbol == "[X]"]
    links = [(position, target.index(k)) for k, position in enumerate(at, 1)]
    source_words = [position for position in range(len(source)) if position not in at]
    target_words = [position for position, symbol in enumerate(target) if symbol == "b"]
    words = [(i, j) for i in source_words for j in target_words]
    alignment = draw(st.lists(st.sampled_from(words), unique=True)) if words else []
    right = " ".join(symbol if isinstance(symbol, str) else f"[{symbol}]" for symbol in target)
    text = " ".join(f"{i}-{j}" for i, j in alignment)
    return f"[X] ||| {' '.join(source)} ||| {right} ||| p=1 ||| {text}", links, alignment


@given(st.lists(rules(), max_size=6), st.data())
def test_against_pairs_of_links(
    drawn: list[tuple[str, list[tuple[int, int]], list[tuple[int, int]]]], data: st.DataObject
) -> None:
    edges: list[tuple[int, tuple[int, int], Spans]] = []
    expected = []
    for rule, (_, links, alignment) in enumerate(drawn):
        for _ in range(2):
            cuts = data.draw(st.lists(st.integers(0, 40), min_size=5, max_size=5, unique=True).map(sorted))
            tails = list(pairwise(cuts))[: len(links)]
            edges.append((rule, (cuts[0], cuts[-1]), tails))
            counts: Counter[str] = Counter()
            for (s, t), (i, j) in zip(links, tails, strict=True):
                reordered = any((s < u) != (t < v) for u, v in links + alignment if (u, v) != (s, t))
                counts[name(reordered, min(j - i, 10) if j - i < 10 else "10+")] += 1
                counts[name(reordered, "*")] += 1
            expected.append(counts)
    assert fire([rule for rule, _, _ in drawn], edges) == expected


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Counts N0 = 3 S and N1 = S, but for size 2: 1 and 4."""
    lines = [f"{size} {3 * s} {s}" for s, size in enumerate([*range(1, 10), "10+"], 1)]
    lines[1] = "2 1 4"
    (tmp_path / "table").write_text("# a comment\n\n" + "\n".join(reversed(lines)) + "\n")
    return tmp_path / "table"


def test_coarse_by_hand(table: Path) -> None:
    rules = [
        "[X] ||| [X,1] [X,2] ||| [2] [1]",
        "[X] ||| [X,1] a [X,2] ||| b [1] [2] ||| ||| 1-0",
        "[X] ||| a ||| b",
        "[X] ||| [A,1] [B,2] [C,3] ||| [1] [3] [2]",
    ]
    edges: list[tuple[int, tuple[int, int], Spans]] = [
        (0, (0, 14), [(0, 2), (2, 14)]),
        (1, (0, 5), [(0, 2), (3, 5)]),
        (2, (0, 1), []),
        (3, (0, 5), [(0, 2), (2, 4), (4, 5)]),
    ]
    fired = fire(rules, edges, granularity="coarse", table=table)
    assert fired == [
        {"DistortionLogProb": pytest.approx(log(4 / 5) + log(1 / 4))},
        {"DistortionLogProb": pytest.approx(log(4 / 5) + log(1 / 5))},
        {},
        {"DistortionLogProb": pytest.approx(log(1 / 5) + log(4 / 5) + log(1 / 4))},
    ]


def test_coarse_glue(table: Path) -> None:
    arguments = {"granularity": "coarse", "table": table}
    assert fire(GLUE, GLUED, **arguments)[0] == {"DistortionLogProb": pytest.approx(log(3 / 4))}
    assert fire(GLUE, GLUED, **arguments, glue=False)[:2] == [{}, {}]


def test_coarse_from_a_line(table: Path) -> None:
    plugin = create("StructuralDistortion --granularity coarse --table table", base=table.parent)
    plugin.prepare()
    assert plugin.fire(Edges(1, []), Sentence()).names == ("DistortionLogProb",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2 1 4", "2 1", "table:11: expected a size, 1 to 9 or 10\\+, and two counts, got '2 1'"),
        ("2 1 4", "11 1 4", "table:11: expected a size, 1 to 9 or 10\\+, and two counts, got '11 1 4'"),
        ("2 1 4", "2 0 4", "table:11: expected two counts above zero, got '2 0 4'"),
        ("2 1 4", "2 x 4", "table:11: expected two counts above zero, got '2 x 4'"),
        ("2 1 4", "2 inf 4", "table:11: expected two counts above zero, got '2 inf 4'"),
        ("2 1 4", "3 1 4", "table:11: expected each size once, got 3 again"),
        ("2 1 4", "", "table: expected a line for each size, got none for 2"),
    ],
)
def test_tables_are_checked(table: Path, old: str, new: str, message: str) -> None:
    table.write_text(table.read_text().replace(old, new))
    with pytest.raises(InputError, match=f"(^|/){message}"):
        StructuralDistortion(granularity="coarse", table=table).prepare()


def test_one_table_serves_all_sentences() -> None:
    plugin = StructuralDistortion()

    def table(spans: Spans) -> FeatureTable:
        return plugin.fire(Edges(9, [(0, (0, 9), spans)]), Sentence())

    assert table([(0, 1)]).names is table([(0, 1), (1, 2)]).names
    assert table([(0, 1)]).values is table([(0, 1), (1, 2)]).values
