"""Combination of systems against all their translations."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import brute_force as bf
from support.brute_force import decode, deterministic

from hopefear.decoder import Hypergraph, ScoredTexts, combine
from hopefear.decoder.consensus import Linear

texts = st.lists(st.text("uvwz", min_size=1, max_size=4).map(" ".join), min_size=1, max_size=5, unique=True)


def ngrams(words: list[str]) -> Counter[str]:
    spans = ((i, j) for i in range(len(words)) for j in range(i + 1, min(i + 4, len(words)) + 1))
    return Counter(" ".join(words[i:j]) for i, j in spans)


@deterministic
@given(bf.cases, texts, st.data())
def test_the_best_of_all_translations_of_all_systems(
    case: bf.Case, listed: list[str], data: st.DataObject
) -> None:
    every = case.derivations
    forest = case.decode()
    scores = data.draw(st.lists(st.integers(-4, 4), min_size=len(listed), max_size=len(listed)))
    counts = data.draw(st.sampled_from([(1.0, 1.0), (2.0, 0.5), (0.0, 1.0)]))
    systems = [
        [(each.text, each.score(case.weights)) for each in every],
        list(zip(listed, map(float, scores), strict=True)),
    ]
    posterior = Counter[str]()
    for system, count in zip(systems, counts, strict=True):
        found = np.array([score for _, score in system])
        spread = found.std() if found.std() > 1e-9 else 1.0
        shares = np.exp(2 * (found - found.max()) / spread)
        for (text, _), share in zip(system, (shares / shares.sum()).tolist(), strict=True):
            for ngram in ngrams(text.split()):
                posterior[ngram] += share * count / sum(counts)

    def gain(text: str) -> float:
        own = ngrams(text.split())
        agreed = sum(c * posterior[n] / (4 * 0.7 * 0.5 ** n.count(" ")) for n, c in own.items())
        return agreed - len(text.split())

    method = Linear(scale=2.0, precision=0.7, ratio=0.5, density=1e9, negligible=0)
    chosen = combine([forest, ScoredTexts(listed, scores)], counts, method)
    candidates = {text for system in systems for text, _ in system}
    assert chosen in candidates
    assert gain(chosen) == pytest.approx(max(map(gain, candidates)))


def test_a_system_alone_gives_its_consensus() -> None:
    rules = [bf.Rule("X", ("a",), (first, "v"), (("f0", float(n)),)) for n, first in enumerate("uwz")]
    forest = decode(rules, "a", {"f0": 0.1})
    assert combine([forest]) == forest.consensus().viterbi()
    assert not math.isnan(forest.consensus().viterbi_score())


def test_weights_must_fit() -> None:
    one = ScoredTexts(["a"], [0.0])
    for weights in ([1.0], [1.0, -1.0], [math.nan, 1.0]):
        with pytest.raises(ValueError, match="expected a weight"):
            combine([one, one], weights)
    with pytest.raises(ValueError, match="above 0"):
        combine([one, one], [0.0, 0.0])
    empty: list[Hypergraph] = []
    with pytest.raises(ValueError, match="expected a system"):
        combine(empty)
