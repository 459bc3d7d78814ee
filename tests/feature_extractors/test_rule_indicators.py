from __future__ import annotations

from hashlib import blake2b

import pytest
from support.plugin_batches import fired_on_rules

from hopefear.feature_extractors import RuleIndicators

# What RuleIdentityFeatures (ff_rules.cc of cdec) makes of each rule.
CDEC = {
    "[X] ||| [X,1] de [X,2] ||| [2] 's [1]": "R:X:NX_de_NX:N2_'s_N1",
    "[S] ||| [X,1] ||| [1]": "R:S:NX:N1",
    "[S] ||| [S,1] [X,2] ||| [1] [2]": "R:S:NS_NX:N1_N2",
    "[NP-SBJ] ||| el [NN,1] ||| the [NN,1]": "R:NP-SBJ:el_NNN:the_N1",
    "[X] ||| a=b ; c_d : ||| x;y=": "R:X:a_b___c_d_::x_y_",
    "[X] ||| año ||| 年": "R:X:año:年",
}


def test_cdecs_names() -> None:
    assert fired_on_rules(RuleIndicators(), *CDEC) == [{name: 1} for name in CDEC.values()]


def test_rules_that_differ_in_features_share_one() -> None:
    found = fired_on_rules(
        RuleIndicators(), "[X] ||| a ||| b ||| p=1", "[X] ||| a ||| b ||| p=2", "[X] ||| a ||| c"
    )
    assert found == [{"R:X:a:b": 1}, {"R:X:a:b": 1}, {"R:X:a:c": 1}]


def test_prefix() -> None:
    assert fired_on_rules(RuleIndicators(prefix="in/"), "[X] ||| a ||| b") == [{"in/R:X:a:b": 1}]


@pytest.mark.parametrize("bits", [1, 12, 63])
def test_hashed(bits: int) -> None:
    digests = [blake2b(name.encode(), digest_size=8).digest() for name in CDEC.values()]
    names = [f"in/R#{int.from_bytes(digest, 'little') % 2**bits:x}" for digest in digests]
    assert fired_on_rules(RuleIndicators(bits=bits, prefix="in/"), *CDEC) == [{name: 1} for name in names]
