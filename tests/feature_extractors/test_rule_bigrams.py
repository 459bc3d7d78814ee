from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.plugin_batches import Rules, fired

from hopefear.feature_extractors import RuleSourceBigrams, RuleTargetBigrams
from hopefear.plugins import create

Family = RuleSourceBigrams | RuleTargetBigrams


def fire(plugin: Family, rules: Rules) -> list[dict[str, float]]:
    plugin.prepare()
    return fired(plugin, rules)


def counts(*names: str) -> dict[str, float]:
    return {**Counter(names)}


def test_cdecs_names() -> None:
    rules = Rules(
        "[X] ||| [X,1] de [X,2] ||| [2] 's [1]",
        "[S] ||| [S,1] [X,2] ||| [1] [2]",
        "[X] ||| a a a ||| b",
        "[X] ||| x=y ; ||| z=;",
    )
    assert fire(RuleSourceBigrams(), rules) == [
        counts("RBS:<r>_X", "RBS:X_de", "RBS:de_X", "RBS:X_</r>"),
        counts("RBS:<r>_S", "RBS:S_X", "RBS:X_</r>"),
        {"RBS:<r>_a": 1, "RBS:a_a": 2, "RBS:a_</r>": 1},
        counts("RBS:<r>_x_y", "RBS:x_y__", "RBS:__</r>"),
    ]
    assert fire(RuleTargetBigrams(), rules) == [
        counts("RBT:<r>_X2", "RBT:X2_'s", "RBT:'s_X1", "RBT:X1_</r>"),
        counts("RBT:<r>_S1", "RBT:S1_X2", "RBT:X2_</r>"),
        counts("RBT:<r>_b", "RBT:b_</r>"),
        counts("RBT:<r>_z__", "RBT:z___</r>"),
    ]


def test_a_category_of_the_text_of_a_word() -> None:
    assert fire(RuleSourceBigrams(), Rules("[A] ||| [A,1] A ||| [1]")) == [
        counts("RBS:<r>_A", "RBS:A_A", "RBS:A_</r>")
    ]


def test_types() -> None:
    rules = Rules("[X] ||| casas [X,1] ||| 1984 [1] b")
    assert fire(RuleSourceBigrams(types=("surface", "prefix")), rules) == [
        counts("RBS:<r>_casas", "RBS:<r>_casa+", "RBS:casas_X", "RBS:casa+_X", "RBS:X_</r>")
    ]
    plugin = create("RuleTargetBigrams --types digits")
    assert fire(plugin, rules) == [counts("RBT:<r>_@@@@", "RBT:@@@@_X1", "RBT:X1_b", "RBT:b_</r>")]


def test_names_last_from_batch_to_batch() -> None:
    plugin = RuleSourceBigrams()
    assert fire(plugin, Rules("[X] ||| a b ||| c")) == [counts("RBS:<r>_a", "RBS:a_b", "RBS:b_</r>")]
    # The same numbers stand for other words here.
    assert fire(plugin, Rules("[X] ||| b a ||| c", "[Y] ||| b ||| c")) == [
        counts("RBS:<r>_b", "RBS:b_a", "RBS:a_</r>"),
        counts("RBS:<r>_b", "RBS:b_</r>"),
    ]


def test_no_target() -> None:
    assert fire(RuleTargetBigrams(), Rules("[X] ||| a |||")) == [{"RBT:<r>_</r>": 1}]


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[str], list[int | str]]:
    """Source symbols, categories in brackets, and target symbols, nonterminals by index from 1."""
    source = draw(st.lists(st.sampled_from(["a", "b", "c=d", "[A]", "[B]"]), min_size=1, max_size=5))
    arity = sum(symbol.startswith("[") for symbol in source)
    words = draw(st.lists(st.sampled_from(["a", "e", "f;"]), min_size=arity == 0, max_size=3))
    target: list[int | str] = [*range(1, arity + 1), *words]
    return source, draw(st.permutations(target))


@given(st.lists(sides(), max_size=5))
def test_against_cdecs_loops(rules: list[tuple[list[str], list[int | str]]]) -> None:
    lines, expected_source, expected_target = [], [], []
    for source, target in rules:
        categories = [symbol.strip("[]") for symbol in source if symbol.startswith("[")]
        left = " ".join(source)
        for k in range(len(categories)):  # number them
            left = left.replace("]", f",{k + 1}>", 1)
        right = " ".join(symbol if isinstance(symbol, str) else f"[{symbol}]" for symbol in target)
        lines.append(f"[X] ||| {left.replace('>', ']')} ||| {right}")
        texts = ["<r>", *(symbol.strip("[]") for symbol in source), "</r>"]
        pairs = pairwise(texts)
        expected_source.append(Counter(f"RBS:{a}_{b}".replace("=", "_").replace(";", "_") for a, b in pairs))
        texts = ["<r>", *(s if isinstance(s, str) else f"{categories[s - 1]}{s}" for s in target), "</r>"]
        pairs = pairwise(texts)
        expected_target.append(Counter(f"RBT:{a}_{b}".replace("=", "_").replace(";", "_") for a, b in pairs))
    batch = Rules(*lines)
    assert fire(RuleSourceBigrams(), batch) == expected_source
    assert fire(RuleTargetBigrams(), batch) == expected_target
