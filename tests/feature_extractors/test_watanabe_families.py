"""The families of Watanabe et al. (2007) at work in the decoder."""

from __future__ import annotations

from pathlib import Path

from support.world import LINKED as GRAMMAR
from support.world import LINKED_WORDS as WORDS

from hopefear.decoder import Decoder, Segment
from hopefear.feature_extractors import (
    Deletion,
    Hierarchical,
    Insertion,
    TargetBigrams,
    WordPairBigrams,
    WordPairs,
)

HEADS = (2, 4, 2, 6, 4, 0)
EXPECTED = {
    "p": 3,
    **{"WP:hana_flower": 1, "WP:ano_that": 1, "WP:hito_person": 1, "WP:saku_bloom": 2},
    **{"WPB:saku|bloom_saku|bloom": 1, "WPB:saku|bloom_hana|flower": 1},
    **{"WPB:hana|flower_ano|that": 1, "WPB:ano|that_hito|person": 1},
    **{f"Ins:{f}_{e}": 1 for f in WORDS for e in ("of", "does")},
    **{"Del:no": 1, "Del:ga": 1},
    **{"Hier:hana_hito": 1, "Hier:hana_ga": 1},  # ga, governed by hana, comes before saku
    **{"B:<s>_does": 1, "B:does_bloom": 1, "B:bloom_bloom": 1, "B:bloom_flower": 1},
    **{"B:flower_of": 1, "B:of_that": 1, "B:that_person": 1, "B:person_</s>": 1},
}


def test_features_of_a_derivation() -> None:
    families = [WordPairs(), WordPairBigrams(), Insertion(), Deletion(), Hierarchical(), TargetBigrams()]
    decoder = Decoder(formalism="scfg", features=families)
    forest = decoder.translate(Segment(WORDS, dependencies=HEADS), GRAMMAR)
    best = forest.best()
    assert forest.text(best) == "does bloom bloom flower of that person"
    assert forest.features(best) == EXPECTED


def test_the_same_plugins_in_two_decoders(tmp_path: Path) -> None:
    """Words have different numbers: a grammar begins with other words, and sentences bring some."""
    families = [WordPairs(), WordPairBigrams(), Insertion(), Deletion(), Hierarchical(), TargetBigrams()]
    others = "[X] ||| saku ||| person ||| p=1 ||| 0-0\n[X] ||| flower no ||| of hito ||| p=1 ||| 0-0\n"
    decoders = []
    for name, text in (("one", GRAMMAR), ("other", others + GRAMMAR)):
        (tmp_path / name).write_text(text)
        options = {"formalism": "scfg", "grammar": tmp_path / name, "add_pass_through_rules": True}
        decoders.append(Decoder(weights={"PassThrough": -1.0}, features=families, **options))
    for n in range(3):
        for decoder in decoders:
            unknown = f"word{n}"
            forest = decoder.translate(Segment((unknown,), dependencies=(0,)))
            assert forest.features(forest.best())[f"WP:{unknown}_{unknown}"] == 1
            forest = decoder.translate(Segment(WORDS, dependencies=HEADS))
            assert forest.features(forest.best()) == EXPECTED
