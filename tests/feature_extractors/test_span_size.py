from __future__ import annotations

import math

import pytest
from support.plugin_batches import Edge, Rules, Sentence, fired_on_edges

from hopefear.feature_extractors import LexicalSpanSize, SpanSize
from hopefear.feature_extractors.span_size import size_bins
from hopefear.plugins import PluginError

RULES = (
    "[X] ||| [X,1] de [X,2] ||| [2] 's [1]",
    "[X] ||| a ||| b",
    "[NP] ||| the old [NN,1] ||| d=;[ [1] %d %",
    "[X] ||| [X,1] de la [X,2] ||| [2] of [1]",
)
EDGES: list[Edge] = [
    (0, (0, 14), [(0, 2), (3, 14)]),
    (1, (0, 1), []),
    (2, (1, 4), [(3, 4)]),
    (0, (4, 8), [(4, 6), (7, 8)]),
    (3, (0, 15), [(0, 2), (4, 15)]),
]


def fire(plugin: SpanSize, rules: tuple[str, ...], edges: list[Edge]) -> list[dict[str, float]]:
    return fired_on_edges(plugin, rules, edges, Sentence(), 40)


def test_bins_are_cdecs() -> None:
    assert size_bins(200).tolist() == [0] + [
        int(math.log(size + 1) / math.log(1.39)) - 1 for size in range(1, 201)
    ]
    assert size_bins(0).tolist() == [0]


def test_words_as_cdec_has_them() -> None:
    # SourceSpanSizeFeaturesImpl::FireFeatures, ff_source_syntax.cc
    assert fire(LexicalSpanSize(), RULES, EDGES) == [
        {"SSS:[X2]_de_[X6]:[2]_'s_[1]": 1},
        {},
        {"SSS:the_old_[NN1]:d__[_[1]_%d_%": 1},
        {"SSS:[X2]_de_[X1]:[2]_'s_[1]": 1},
        {"SSS:[X2]_de_la_[X6]:[2]_of_[1]": 1},
    ]


def test_runs_of_words() -> None:
    assert fire(SpanSize(), RULES, EDGES) == [
        {"SSS:[X2]_w_[X6]:[2]_w_[1]": 1},
        {},
        {"SSS:w_[NN1]:w_[1]_w": 1},
        {"SSS:[X2]_w_[X1]:[2]_w_[1]": 1},
        {"SSS:[X2]_w_[X6]:[2]_w_[1]": 1},
    ]


def test_a_rule_that_begins_as_the_last_one_ends() -> None:
    rules = "[X] ||| [X,1] a ||| [1] b", "[X] ||| c [X,1] ||| d [1]"
    assert fire(SpanSize(), rules, [(0, (0, 2), [(0, 1)]), (1, (0, 2), [(1, 2)])]) == [
        {"SSS:[X1]_w:[1]_w": 1},
        {"SSS:w_[X1]:w_[1]": 1},
    ]


def test_five_nonterminals_and_more() -> None:
    side = " ".join(f"[X,{k}]" for k in range(1, 6))
    tails = [(0, 1), (1, 3), (3, 4), (4, 5), (5, 40)]
    edges: list[Edge] = [(0, (0, 40), tails), (1, (0, 2), [(0, 2)])]
    rules = f"[X] ||| {side} ||| {side}", "[S] ||| [X,1] ||| [1]"
    for plugin in (SpanSize(), LexicalSpanSize()):
        assert fire(plugin, rules, edges) == [
            {"SSS:[X1]_[X2]_[X1]_[X1]_[X9]:[1]_[2]_[3]_[4]_[5]": 1},
            {"SSS:[X2]:[1]": 1},
        ]
    with pytest.raises(PluginError, match="SpanSize: expected at most 5 nonterminals in a rule, got 6"):
        SpanSize().rule_attributes(Rules(f"[X] ||| {side} [X,6] ||| {side} [X,6]"))


def test_no_nonterminals() -> None:
    assert fire(LexicalSpanSize(), ("[X] ||| a ||| b",), [(0, (0, 1), [])]) == [{}]
