"""Sums over the k best translations, against the lists of their features."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.world import SPARSE

from hopefear import Decoder
from hopefear.decoder import KBestSums
from hopefear.feature_extractors import RuleIndicators

VANISHING = """\
[X] ||| a ||| u ||| Up=1 Both=1
[X] ||| b ||| v ||| Up=1 Both=-1
[S] ||| [X,1] [X,2] ||| [1] [2] ||| Up=0.5
"""


@pytest.mark.parametrize("k", [1, 7, 1000])
def test_sums_are_those_of_the_lists(tmp_path: Path, k: int) -> None:
    decoder = SPARSE.decoder(tmp_path)
    rng = np.random.default_rng(k)
    for segment in SPARSE.corpus:
        forest = decoder.translate(segment)
        lists, sums = forest.best_translations(k), KBestSums(forest.native, k)
        assert len(sums) == len(lists)
        distinct, indptr, numbers = sums.words()
        words = [distinct[number] for number in numbers]
        assert [" ".join(words[a:b]) for a, b in pairwise(indptr)] == lists.texts
        weights = rng.normal(size=len(decoder.weights))
        np.testing.assert_allclose(sums.scores(weights), lists.scores(weights), atol=1e-12)
        factors = rng.normal(size=len(lists))
        expected: dict[int, float] = {}
        for j, factor in enumerate(factors):
            for at in range(lists.indptr[j], lists.indptr[j + 1]):
                feature = int(lists.features[at])
                expected[feature] = expected.get(feature, 0.0) + factor * lists.values[at]
        features, values = sums.sums(factors)
        assert features.tolist() == sorted(expected)
        np.testing.assert_allclose(values, [expected[int(f)] for f in features], atol=1e-12)


def test_a_feature_that_is_0_in_every_translation_is_in_no_sum(tmp_path: Path) -> None:
    """Where two edges cancel out, the feature is not one of the list."""
    path = tmp_path / "vanishing"
    path.write_text(VANISHING)
    decoder = Decoder(formalism="scfg", grammar=path, weights={"Up": 1.0}, features=[RuleIndicators()])

    def names(source: str) -> list[str]:
        features, _ = KBestSums(decoder.translate(source).native, 9).sums(np.ones(1))
        return [name for name in map(decoder.weights.name, features.tolist()) if name in {"Up", "Both"}]

    assert names("a b") == ["Up"]
    assert names("a a") == ["Up", "Both"]


def test_factors_are_as_many_as_translations(tmp_path: Path) -> None:
    sums = KBestSums(SPARSE.decoder(tmp_path).translate(SPARSE.corpus[0]).native, 3)
    wrong: Any = np.ones(len(sums) + 1)
    with pytest.raises(ValueError, match="factor for each translation"):
        sums.sums(wrong)
