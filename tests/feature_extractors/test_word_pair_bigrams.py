from __future__ import annotations

from support.plugin_batches import spelled

from hopefear.feature_extractors import WordPairBigrams
from hopefear.plugins import create


def test_links_in_target_order_between_nonterminals() -> None:
    rules = (
        "[X] ||| [X,1] de [X,2] ||| [2] 's [1] ||| p=1 ||| 1-1",
        "[X] ||| a b c ||| d e f ||| p=1 ||| 2-0 0-2 1-0",
        "[X] ||| a [X,1] b ||| [1] c ||| p=1 ||| 2-1 0-1",
        "[S] ||| [S,1] [X,2] ||| [1] [2]",
        "[X] ||| a ||| b",
        "[X] ||| a a ||| d d ||| p=1 ||| 0-0 1-1",
    )
    assert spelled(WordPairBigrams(), *rules) == [
        [1, ("de|'s",), 0],
        [("b|d",), ("c|d",), ("a|f",)],
        [0, ("a|c",), ("b|c",)],
        [0, 1],
        [],
        [("a|d",), ("a|d",)],
    ]


def test_types() -> None:
    rule = "[X] ||| walks ||| talks ||| p=1 ||| 0-0"
    plugin = WordPairBigrams(types=("surface", "prefix"))
    assert spelled(plugin, rule) == [[("walks|talks", "walk+|talk+")]]
    assert plugin.patterns == ((0, 0), (1, 1))
    plugin = WordPairBigrams(source_types=("surface",), target_types=("prefix", "suffix"), combine="all")
    assert spelled(plugin, rule) == [[("walks|talk+", "walks|+alks")]]
    assert plugin.patterns == ((0, 0), (0, 1), (1, 0), (1, 1))


def test_what_the_engine_reads() -> None:
    plugin = create("WordPairBigrams --types prefix")
    assert (plugin.order, plugin.boundaries, plugin.prefix) == (2, False, "WPB:")
