from __future__ import annotations

from support.plugin_batches import spelled

from hopefear.feature_extractors import TargetBigrams, TargetNgrams
from hopefear.plugins import create


def test_target_sides() -> None:
    rules = "[X] ||| [X,1] de [X,2] ||| [2] 's [1]", "[X] ||| a ||| b=c 's b=c", "[X] ||| e |||"
    assert spelled(TargetBigrams(), *rules) == [[1, ("'s",), 0], [("b_c",), ("'s",), ("b_c",)], []]


def test_types() -> None:
    plugin = TargetNgrams(order=3, types=("surface", "prefix"))
    assert spelled(plugin, "[X] ||| a [X,1] ||| [1] windows in") == [[0, ("windows", "wind+"), ("in", "in")]]
    assert plugin.patterns == ((0, 0, 0), (1, 1, 1))


def test_names_begin_as_cdecs_by_order() -> None:
    assert [TargetNgrams(order=n).prefix for n in range(1, 6)] == ["U:", "B:", "T:", "4:", "5:"]
    bigrams = create("TargetBigrams")
    assert (bigrams.order, bigrams.prefix, bigrams.boundaries, bigrams.patterns) == (2, "B:", True, ((0, 0),))
