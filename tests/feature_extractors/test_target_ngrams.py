from __future__ import annotations

from itertools import pairwise

from support.plugin_batches import Rules

from hopefear.feature_extractors import TargetBigrams, TargetNgrams
from hopefear.plugins import create


def spelled(plugin: TargetNgrams, *rules: str) -> list[list[object]]:
    """Read the rules' strings: texts of units, and indices of nonterminals."""
    plugin.prepare()
    strings = plugin.strings(Rules(*rules))
    strings.check(len(rules), "TargetNgrams")
    symbols = [-1 - s if s < 0 else strings.units[s] for s in strings.symbols.tolist()]
    ends = strings.indptr.tolist()
    return [symbols[begin:end] for begin, end in pairwise(ends)]


def test_target_sides() -> None:
    rules = "[X] ||| [X,1] de [X,2] ||| [2] 's [1]", "[X] ||| a ||| b=c 's b=c", "[X] ||| e |||"
    assert spelled(TargetBigrams(), *rules) == [[1, ("'s",), 0], [("b_c",), ("'s",), ("b_c",)], []]
    assert spelled(TargetBigrams()) == []


def test_types() -> None:
    plugin = TargetNgrams(order=3, types=("surface", "prefix"))
    assert spelled(plugin, "[X] ||| a [X,1] ||| [1] windows in") == [[0, ("windows", "wind+"), ("in", "in")]]
    assert plugin.patterns == ((0, 0, 0), (1, 1, 1))


def test_names_begin_as_cdecs_by_order() -> None:
    assert [TargetNgrams(order=n).prefix for n in range(1, 6)] == ["U:", "B:", "T:", "4:", "5:"]
    bigrams = create("TargetBigrams")
    assert isinstance(bigrams, TargetBigrams)
    assert (bigrams.order, bigrams.prefix, bigrams.boundaries, bigrams.patterns) == (2, "B:", True, ((0, 0),))
