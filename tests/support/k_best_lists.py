"""Lists of translations of two decoders, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from hopefear.decoder import KBestList, Weights


@dataclass(frozen=True)
class Named:
    """A translation, its features by name and its score."""

    text: str
    features: dict[str, float]
    score: float


def named(translations: KBestList, weights: Weights) -> list[Named]:
    """Return what a list has, with scores by the weights."""
    found = []
    for row, text in enumerate(translations.texts):
        one = translations.take([row])
        names = map(weights.name, one.features.tolist())
        features = dict(zip(names, one.values.tolist(), strict=True))
        found.append(Named(text, features, float(one.scores(weights.array)[0])))
    return found


def assert_same(expected: Sequence[Named], got: Sequence[Named]) -> int:
    """Compare texts, features and scores, and count the translations whose texts were compared.

    Translations of equal scores come in any order: of these, only the scores are compared. So are those of
    the last ones, since others that are not in the lists may have the same score.
    """
    scores = [one.score for one in expected]
    np.testing.assert_allclose([one.score for one in got], scores, atol=1e-5)
    gaps = np.diff(scores, prepend=np.inf, append=scores[-1:])
    compared = 0
    for rank, (ours, theirs) in enumerate(zip(expected, got, strict=True)):
        if max(gaps[rank], gaps[rank + 1]) < -1e-4:
            assert theirs.text == ours.text
            assert theirs.features == pytest.approx(ours.features, abs=1e-4), ours.text
            compared += 1
    return compared
