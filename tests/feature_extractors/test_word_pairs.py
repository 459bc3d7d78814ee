from __future__ import annotations

from support.plugin_batches import fired_on_rules

from hopefear.feature_extractors import Deletion, WordPairs
from hopefear.plugins import create

RULES = (
    "[X] ||| [X,1] violates la [X,2] ||| [2] 's violating [1] ||| p=1 ||| 1-2",
    "[X] ||| a b a ||| c d d ||| p=1 ||| 0-0 0-1 2-0",
    "[X] ||| x=y ||| e",
    "[S] ||| [S,1] [X,2] ||| [1] [2]",
    "[X] ||| b |||",
)


def test_word_pairs() -> None:
    expected: list[dict[str, float]] = [{"WP:violates_violating": 1}, {"WP:a_c": 2, "WP:a_d": 1}, {}, {}, {}]
    assert fired_on_rules(WordPairs(), *RULES) == expected


def test_word_pairs_in_types() -> None:
    assert fired_on_rules(WordPairs(types=("surface", "prefix")), *RULES[:2]) == [
        {"WP:violates_violating": 1, "WP:viol+_viol+": 1},
        {"WP:a_c": 2, "WP:a_d": 1},
    ]
    assert fired_on_rules(WordPairs(types=("surface", "prefix"), combine="all"), RULES[0])[0] == {
        f"WP:{f}_{e}": 1 for f in ("violates", "viol+") for e in ("violating", "viol+")
    }
    mixed = WordPairs(source_types=("suffix",), target_types=("prefix", "surface"), combine="all")
    assert fired_on_rules(mixed, RULES[0])[0] == {"WP:+ates_viol+": 1, "WP:+ates_violating": 1}


def test_equal_names_of_different_pairs_add_up() -> None:
    rule = "[X] ||| walked walking ||| x y ||| p=1 ||| 0-0 1-0"
    assert fired_on_rules(WordPairs(types=("prefix",)), rule)[0] == {"WP:walk+_x": 2}


def test_deletion() -> None:
    expected: list[dict[str, float]] = [{"Del:la": 1}, {"Del:b": 1}, {}, {}, {}]
    assert fired_on_rules(Deletion(), *RULES) == expected
    rule = "[X] ||| x=y walked walking walked b ||| e ||| p=1 ||| 4-0"
    expected = [{"Del:x_y": 1, "Del:walked": 2, "Del:walking": 1, "Del:walk+": 3}]
    assert fired_on_rules(Deletion(types=("surface", "prefix")), rule) == expected


def test_cdec_ini_lines() -> None:
    plugin = create("WordPairs --source-types surface,prefix --target-types digits --combine all")
    assert fired_on_rules(plugin, RULES[0])[0] == {"WP:violates_violating": 1, "WP:viol+_violating": 1}
