from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from support.world import LINKED as GRAMMAR
from support.world import LINKED_WORDS as WORDS

from hopefear.decoder import Decoder, Segment
from hopefear.decoder.views import TreeNode, derivation_tree
from hopefear.feature_extractors import HierarchicalRules
from hopefear.plugins import create


def decode(plugin: HierarchicalRules, grammar: str, words: tuple[str, ...]) -> dict[str, float]:
    forest = Decoder(formalism="scfg", features=[plugin]).translate(Segment(words), grammar)
    fired = forest.features(forest.best())
    return {name: value for name, value in fired.items() if name.startswith("HierRule:")}


def test_the_words_of_the_rules_below() -> None:
    """Of the words with a link, in a rule and in the rule of each of its nonterminals."""
    assert decode(HierarchicalRules(), GRAMMAR, WORDS) == {
        "HierRule:hana_ano": 1,
        "HierRule:hana_hito": 1,
        "HierRule:hana_saku": 1,
    }


def test_rules_without_links_are_between_nothing() -> None:
    """A rule has to do with the rules right below only."""
    grammar = """\
[X] ||| a [X,1] ||| a [1] ||| p=1 ||| 0-0
[X] ||| b [Y,1] ||| x [1] ||| p=1 ||| LINKS
[Y] ||| c ||| c ||| p=1 ||| 0-0
[S] ||| [X,1] ||| [1] ||| p=0
"""
    words = ("a", "b", "c")
    assert decode(HierarchicalRules(), grammar.replace("LINKS", ""), words) == {}
    linked = decode(HierarchicalRules(), grammar.replace("LINKS", "0-0"), words)
    assert linked == {"HierRule:a_b": 1, "HierRule:b_c": 1}


def test_types_and_counts() -> None:
    grammar = """\
[X] ||| [X,1] x [X,2] ||| [1] y [2] ||| p=1 ||| 1-1
[X] ||| walking ||| w ||| p=1 ||| 0-0
[S] ||| [X,1] ||| [1] ||| p=0
"""
    words = ("walking", "x", "walking")
    assert decode(HierarchicalRules(types=("surface", "prefix")), grammar, words) == {
        "HierRule:x_walking": 2,
        "HierRule:x_walk+": 2,
    }
    grammar = grammar.replace(" x ", " talking ")
    every = {f"HierRule:{f}_{g}": 2 for f in ("talking", "+king") for g in ("walking", "+king")}
    plugin = create("HierarchicalRules --types surface,suffix --combine all")
    assert decode(plugin, grammar, ("walking", "talking", "walking")) == every


def counted(node: TreeNode, linked: dict[str, list[str]]) -> Counter[str]:
    """Count what should fire in a derivation, from its tree; glue rules have no words."""
    found: Counter[str] = Counter()
    for child in node.children:
        above, below = (linked.get(one.source_side, []) for one in (node, child))
        found.update(f"HierRule:{f}_{g}" for f in above for g in below)
        found += counted(child, linked)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_every_derivation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = tuple(rng.choice(list("abc"), 5).tolist())
    sides = {*words, *("[X,1] a [X,2]", "b [X,1]", "[X,1] c", "a b", "[X,1] b [X,2]", "a [X,1] c")}
    lines, linked = ["[S] ||| [X,1] ||| [1] ||| Glue=0", "[S] ||| [S,1] [X,2] ||| [1] [2] ||| Glue=1"], {}
    for side in sorted(sides):
        symbols = side.split()
        links = [i for i, x in enumerate(symbols) if not x.startswith("[") and rng.random() < 0.7]
        linked[side] = [symbols[i] for i in links]
        target = [f"[{x[3]}]" if x.startswith("[") else x.upper() for x in symbols]
        alignment = " ".join(f"{i}-{i}" for i in links)
        lines.append(f"[X] ||| {side} ||| {' '.join(target)} ||| p={len(lines)} ||| {alignment}")
    weights = {f"HierRule:{f}_{g}": float(rng.normal()) for f in "abc" for g in "abc"}
    options = {"formalism": "scfg", "intersection_strategy": "full", "features": [HierarchicalRules()]}
    forest = Decoder(weights=weights, **options).translate(Segment(words), "\n".join(lines) + "\n")
    assert forest.npaths < 5000
    scores = []
    for derivation in forest.derivations(5000):
        expected = counted(derivation_tree(forest, derivation), linked)
        fired = {name: x for name, x in forest.features(derivation).items() if name.startswith("Hier")}
        assert fired == expected
        scores.append(sum(weights[name] * n for name, n in expected.items()))
    assert len(scores) == forest.npaths
    assert forest.score(forest.best()) == pytest.approx(max(scores))
