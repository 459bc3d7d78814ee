from __future__ import annotations

from support.plugin_batches import fired_on_rules

from hopefear.feature_extractors import Arity
from hopefear.plugins import create

RULES = (
    "[X] ||| a ||| b",
    "[S] ||| [X,1] ||| [1]",
    "[X] ||| [X,1] de [X,2] ||| [2] [1]",
    "[X] ||| [X,1] [X,2] a [X,3] ||| [3] [2] [1]",
)


def test_cdecs_names() -> None:
    assert fired_on_rules(Arity(), *RULES) == [{f"Arity_{k}": 1} for k in range(4)]


def test_rules_of_more_nonterminals_fire_nothing() -> None:
    plugin = create("Arity 2")
    assert fired_on_rules(plugin, *RULES) == [{"Arity_0": 1}, {"Arity_1": 1}, {"Arity_2": 1}, {}]
