from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from support.plugin_batches import Sentence, fired_on_edges

from hopefear.feature_extractors import Insertion

RULES = (
    "[X] ||| [X,1] de [X,2] ||| [2] 's of [1] ||| p=1 ||| 1-1",
    "[X] ||| de ||| of ||| p=1 ||| 0-0",
    "[X] ||| de ||| of",
    "[X] ||| la ||| of the of ||| p=1 ||| 0-1",
    "[S] ||| [S,1] [X,2] ||| [1] [2]",
    "[X] ||| [X,1] de ||| of [1] 's ||| p=1 ||| 1-2",
)


def fire(
    plugin: Insertion, rules: tuple[str, ...], words: tuple[str, ...], used: list[int]
) -> list[dict[str, float]]:
    edges = [(rule, (0, len(words)), []) for rule in used]
    return fired_on_edges(plugin, rules, edges, Sentence(words))


def test_each_inserted_word_with_each_source_word() -> None:
    one: dict[str, float] = {"Ins:la_of": 2, "Ins:casa_of": 1}
    two: dict[str, float] = {"Ins:la_of": 4, "Ins:casa_of": 2}
    expected = [one, {}, {}, two, {}, one, one]
    assert fire(Insertion(), RULES, ("la", "casa", "la"), [0, 1, 2, 3, 4, 5, 0]) == expected


def test_types() -> None:
    plugin = Insertion(types=("surface", "suffix"))
    assert fire(plugin, ("[X] ||| x ||| y inserts ||| p=1 ||| 0-0",), ("walking", "talking"), [0]) == [
        {"Ins:walking_inserts": 1, "Ins:talking_inserts": 1, "Ins:+king_+erts": 2}
    ]
    plugin = Insertion(target_types=("prefix", "surface"), combine="all")
    assert fire(plugin, ("[X] ||| x ||| y inserts ||| p=1 ||| 0-0",), ("walking",), [0]) == [
        {"Ins:walking_inserts": 1, "Ins:walking_inse+": 1}
    ]


def test_no_words() -> None:
    assert fire(Insertion(), RULES, (), [0, 3]) == [{}, {}]


sides = st.lists(st.sampled_from("abc"), min_size=1, max_size=5)


@settings(derandomize=True)
@given(
    st.lists(st.tuples(sides, st.sets(st.integers(0, 4))), min_size=1, max_size=5),
    st.lists(st.lists(st.sampled_from("xyz"), min_size=1, max_size=4), min_size=1, max_size=3),
)
def test_brute_force(rules: list[tuple[list[str], set[int]]], sentences: list[list[str]]) -> None:
    """One plugin over several sentences; each rule is used in each."""
    lines, inserted = [], []
    for side, aligned in rules:
        links = sorted(place for place in aligned if place < len(side))
        lines.append(f"[X] ||| s ||| {' '.join(side)} ||| p=1 ||| {' '.join(f'0-{j}' for j in links)}")
        inserted.append([e for j, e in enumerate(side) if links and j not in links])
    plugin = Insertion()
    for words in sentences:
        expected = [Counter(f"Ins:{f}_{e}" for f, e in product(words, free)) for free in inserted]
        assert fire(plugin, tuple(lines), tuple(words), list(range(len(lines)))) == expected
