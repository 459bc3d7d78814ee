from __future__ import annotations

from pathlib import Path

import pytest
from support.plugin_batches import fired_on_rules
from support.world import World

from hopefear.feature_extractors import RuleOwners
from hopefear.plugins import create

EXTRACTED, IDENTITY, GLUE = {"Owner_extracted": 1}, {"Owner_identity": 1}, {"Owner_glue": 1}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("[X] ||| casa ||| house ||| p=1", EXTRACTED),
        ("[X] ||| la [X,1] ||| the [1]", EXTRACTED),
        ("[X] ||| 2006 ||| 2006 ||| p=1", EXTRACTED),
        ("[X] ||| Owner ||| Owner ||| PassThrough=1", IDENTITY),
        ("[X] ||| 2006 ||| 2006 ||| Owner_identity=1", {}),  # a flag fires by itself
        ("[X] ||| 3 . 5 ||| 3.5 ||| p=1 Owner_number=1", {}),
        ("[X] ||| juan ||| john ||| Owner_name=1 p=1", {}),
        ("[X] ||| juan ||| john ||| Owner_name=0 p=1", EXTRACTED),
        ("[X] ||| x ||| y ||| Owner_dictionary=1", EXTRACTED),
        ("[S] ||| [X,1] ||| [1]", GLUE),
        ("[S] ||| [S,1] [X,2] ||| [1] [2] ||| Glue=1", GLUE),
        ("[S] ||| [S,1] uh ||| [1] ||| Owner_name=1", {}),
    ],
)
def test_owners(rule: str, expected: dict[str, float]) -> None:
    assert fired_on_rules(RuleOwners(), rule) == [expected]


def test_arguments() -> None:
    rules = [
        "[X] ||| x ||| y ||| Owner_dictionary=1",
        "[X] ||| 1 ||| 1 ||| Owner_number=1",
        "[TOP] ||| [X,1] ||| [1]",
    ]
    plugin = RuleOwners(owners=("dictionary",), goal="TOP")
    assert fired_on_rules(plugin, *rules) == [{}, EXTRACTED, GLUE]
    plugin = create("RuleOwners --owners dictionary,number --goal TOP")
    assert (plugin.owners, plugin.goal) == (("dictionary", "number"), "TOP")


def test_each_rule_of_a_derivation_has_an_owner(tmp_path: Path) -> None:
    rules = "[X] ||| la [X,1] ||| the [1] ||| p=1\n[X] ||| siete ||| 7 ||| Owner_number=1 p=1\n"
    lines = ["add_pass_through_rules=true", "feature_function=RuleOwners"]
    decoder = World(rules, lines, {"PassThrough": -1.0, "Owner_glue": -1.0}).decoder(tmp_path)
    forest = decoder.translate("la siete Juan")
    assert forest.viterbi() == "the 7 Juan"
    assert {name: value for name, value in forest.viterbi_features().items() if name.startswith("Owner")} == {
        "Owner_extracted": 1, "Owner_number": 1, "Owner_identity": 1, "Owner_glue": 2
    }  # fmt: skip
