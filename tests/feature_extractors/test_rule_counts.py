"""Counts and lengths of rules in bins."""

from __future__ import annotations

import math

import pytest
from support.plugin_batches import fired_on_rules

from hopefear.decoder import Decoder
from hopefear.decoder.checking import check_plugin
from hopefear.feature_extractors import RuleLengths


def fired_by(line: str, features: str) -> dict[str, float]:
    """Return what a plugin fires on a rule of a grammar."""
    weights = {"WordPenalty": 1.0}
    decoder = Decoder(formalism="scfg", weights=weights, features=[line], scfg_max_span_limit=1)
    forest = decoder.translate("a", f"[X] ||| a ||| b ||| {features}\n")
    return {name: x for name, x in forest.viterbi_features().items() if name.startswith(("Count:", "Words:"))}


@pytest.mark.parametrize(
    ("count", "name"),
    [(1, "1"), (2, "2"), *((n, "3-4") for n in (3, 4)), *((n, "5-8") for n in (5, 8)), (9, "9-16")]
    + [(n, "129+") for n in (129, 999)],
)
def test_bins_of_counts(count: int, name: str) -> None:
    """The grammar has seven digits of log10(1 + n)."""
    value = f"{math.log10(1 + count):.7g}"
    assert fired_by("RuleCounts", f"CountEF={value}") == {f"Count:CountEF:{name}": 1}


def test_counts_of_other_names() -> None:
    line = "RuleCounts --counts Seen,SampleCountF --bins 2"
    features = f"Seen={math.log10(2)} SampleCountF={math.log10(4)} CountEF=1"
    assert fired_by(line, features) == {"Count:Seen:1": 1, "Count:SampleCountF:2+": 1}
    assert fired_by("RuleCounts", "Other=1") == {}


@pytest.mark.parametrize(("value", "fired"), [(400, {"Count:CountEF:129+": 1}), (-1, {})])
def test_values_that_are_no_logarithms_of_counts(value: float, fired: dict[str, float]) -> None:
    assert fired_by("RuleCounts", f"CountEF={value}") == fired


def test_numbers_of_words() -> None:
    rules = ("[X] ||| a a ||| b", "[S] ||| [X,1] ||| [1]", "[X] ||| [X,1] a a a a ||| x [1] y z")
    assert fired_on_rules(RuleLengths(most=3), *rules) == [
        {"Words:S2": 1, "Words:T1": 1, "Words:S2_T1": 1},
        {"Words:S0": 1, "Words:T0": 1, "Words:S0_T0": 1},
        {"Words:S3+": 1, "Words:T3+": 1, "Words:S3+_T3+": 1},
    ]


@pytest.mark.parametrize("line", ["RuleCounts", "RuleLengths"])
def test_the_contract(line: str) -> None:
    check_plugin(line)
