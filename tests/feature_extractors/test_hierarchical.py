from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plugin_batches import Edge, Edges, Sentence, all_spans, fired_on_edges

from hopefear.feature_extractors import Hierarchical
from hopefear.feature_extractors.hierarchical import heads_by_content, heads_by_parse
from hopefear.plugins import InputError, PluginError, create

# the old man saw a dog : "saw" governs "man" and "dog", which govern their determiners and adjectives
WORDS = ("the", "old", "man", "saw", "a", "dog")
HEADS = (3, 3, 4, 0, 6, 4)
RULES = (
    "[X] ||| [X,1] saw [X,2] ||| [1] a [2] ||| p=1 ||| 1-1",
    "[X] ||| the [X,1] saw ||| x [1] y ||| p=1 ||| 0-0 2-2",
    "[X] ||| the [X,1] saw ||| x [1] y ||| p=1 ||| 2-0 2-2",
    "[X] ||| old man ||| x ||| p=1 ||| 0-0",
    "[S] ||| [S,1] [X,2] ||| [1] [2]",
    "[X] ||| [X,1] saw [X,2] ||| [2] a [1]",
)


def test_heads_of_fillers() -> None:
    edges: list[Edge] = [
        (0, (0, 6), [(0, 3), (4, 6)]),
        (0, (1, 5), [(1, 3), (4, 5)]),
        (1, (0, 4), [(1, 3)]),
        (2, (0, 4), [(1, 3)]),
        (3, (1, 3), []),
        (4, (0, 6), [(0, 3), (3, 6)]),
        (5, (0, 6), [(0, 3), (4, 6)]),
        (0, (0, 6), [(0, 3), (4, 6)]),
    ]
    both: dict[str, float] = {"Hier:saw_man": 1, "Hier:saw_dog": 1}
    assert fired_on_edges(Hierarchical(), RULES, edges, Sentence(WORDS, dependencies=HEADS)) == [
        both,
        {"Hier:saw_man": 1, "Hier:saw_a": 1},
        {"Hier:the_man": 1, "Hier:saw_man": 1},
        {"Hier:saw_man": 1},
        {},
        {},
        {},
        both,
    ]


def test_types_and_counts() -> None:
    sentence = Sentence(("walking", "x", "walking"), dependencies=(2, 0, 2))
    rule = "[X] ||| [X,1] x [X,2] ||| [1] y [2] ||| p=1 ||| 1-1"
    edges: list[Edge] = [(0, (0, 3), [(0, 1), (2, 3)])]
    plugin = Hierarchical(types=("surface", "prefix"))
    assert fired_on_edges(plugin, (rule,), edges, sentence) == [{"Hier:x_walking": 2, "Hier:x_walk+": 2}]
    sentence = Sentence(("walking", "talking"), dependencies=(2, 0))
    rule = "[X] ||| [X,1] talking ||| [1] y ||| p=1 ||| 1-1"
    plugin = Hierarchical(types=("surface", "suffix"), combine="all")
    assert fired_on_edges(plugin, (rule,), [(0, (0, 2), [(0, 1)])], sentence) == [
        {f"Hier:{f}_{h}": 1 for f in ("talking", "+king") for h in ("walking", "+king")}
    ]


def test_content_words(tmp_path: Path) -> None:
    (tmp_path / "function").write_text("the\na\n")
    edges: list[Edge] = [(0, (0, 6), [(0, 3), (4, 6)]), (0, (0, 5), [(0, 1), (4, 5)])]
    sentence = Sentence(WORDS)
    assert fired_on_edges(Hierarchical(heads="content"), RULES, edges, sentence) == [
        {"Hier:saw_the": 1, "Hier:saw_a": 1},
        {"Hier:saw_the": 1, "Hier:saw_a": 1},
    ]
    plugin = create("Hierarchical --heads content --function-words function", base=tmp_path)
    assert fired_on_edges(plugin, RULES, edges, sentence) == [
        {"Hier:saw_old": 1, "Hier:saw_dog": 1},
        {"Hier:saw_the": 1, "Hier:saw_a": 1},
    ]


trees = st.integers(1, 8).flatmap(
    lambda n: st.tuples(
        st.permutations(range(1, n + 1)), st.lists(st.integers(0, n - 1), min_size=n, max_size=n)
    )
)


@settings(derandomize=True)
@given(trees)
def test_heads_by_parse(tree: tuple[list[int], list[int]]) -> None:
    """Words in a random order, each governed by one that came before, or a root."""
    order, choices = tree
    heads = [0] * len(order)
    for place, choice in enumerate(choices):
        heads[order[place] - 1] = [0, *order[:place]][choice % (place + 1)]
    table = heads_by_parse(heads)
    for i, j in all_spans(len(heads)):
        outside = [word for word in range(i, j) if not i <= heads[word] - 1 < j]
        assert table[i, j] == outside[0]


@settings(derandomize=True)
@given(st.lists(st.sampled_from(["the", "dog", ",", "'s", "7", "--", "犬"]), min_size=1, max_size=8))
def test_heads_by_content(tokens: list[str]) -> None:
    table = heads_by_content(tokens, {"the"})
    for i, j in all_spans(len(tokens)):
        content = [word for word in range(i, j) if tokens[word] in ("dog", "'s", "7", "犬")]
        assert table[i, j] == [*content, i][0]


def random_edge(rng: np.random.Generator, n: int, arities: list[int]) -> Edge:
    rule = int(rng.integers(len(arities)))
    cuts = rng.integers(0, n, arities[rule]).tolist()
    return rule, (0, n), [(cut, int(rng.integers(cut + 1, n + 1))) for cut in cuts]


@pytest.mark.parametrize("seed", range(20))
def test_brute_force(seed: int) -> None:
    """Rules of up to four nonterminals, over tails anywhere."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(0, 5, 6).tolist()
    lines, aligned = [], []
    for arity in arities:
        words = rng.choice(list("abc"), rng.integers(1, 4)).tolist()
        symbols = words + [f"[X,{k + 1}]" for k in range(arity)]
        linked = [i for i in range(len(words)) if rng.random() < 0.6]
        target = ["t", *(f"[{k + 1}]" for k in range(arity))]
        links = " ".join(f"{i}-0" for i in linked)
        lines.append(f"[X] ||| {' '.join(symbols)} ||| {' '.join(target)} ||| p=1 ||| {links}")
        aligned.append([words[i] for i in linked])
    plugin = Hierarchical()
    for _ in range(3):
        n = int(rng.integers(1, 7))
        tokens = tuple(rng.choice(list("abcd"), n).tolist())
        heads = tuple(0 if word == 0 else int(rng.integers(0, word + 1)) for word in range(n))
        edges = [random_edge(rng, n, arities) for _ in range(int(rng.integers(0, 40)))]
        expected = [
            Counter(
                f"Hier:{f}_{tokens[next(w for w in range(i, j) if not i <= heads[w] - 1 < j)]}"
                for i, j in tails
                for f in aligned[rule]
            )
            for rule, _, tails in edges
        ]
        assert fired_on_edges(plugin, lines, edges, Sentence(tokens, dependencies=heads)) == expected


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (Sentence(WORDS, id=3), "Hierarchical: sentence 4: expected dependencies of 6 words, got none"),
        (Sentence(("a", "b"), dependencies=(0,)), "expected dependencies of 2 words, got 0"),
        (Sentence(("a", "b"), dependencies=(0, 3)), "expected dependencies of 2 words, got 0 3"),
    ],
)
def test_segments_that_are_refused(sentence: Sentence, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Hierarchical().fire(Edges(6, []), sentence)


def test_too_many_nonterminals() -> None:
    sentence = Sentence(("w",) * 600, dependencies=(0,) * 600)
    tails = [(k, k + 1) for k in range(8)]
    plugin = Hierarchical()
    attributes = np.ones(1, np.int32)
    with pytest.raises(PluginError, match="sentence 1: 600 words are too many for a rule of 8 nonterminals"):
        plugin.fire(Edges(600, [(0, (0, 9), tails)], attributes), sentence)
