"""The string subsequence kernel against an enumeration of all subsequences."""

from __future__ import annotations

import math
import tracemalloc
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
import scipy.signal  # noqa: F401  # imported here, the time that it takes is no example's
from hypothesis import given
from hypothesis import strategies as st

from hopefear.metrics import Ssk
from hopefear.metrics.ssk import subsequence_kernel

sentences = st.lists(st.sampled_from("abc"), max_size=7)


def subsequence_weights(sentence: list[str], order: int, decay: float) -> dict[tuple[str, ...], float]:
    """phi_u(s) of Lodhi et al. 2002: for each subsequence u, the sum of decay^span over its occurrences."""
    weights: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for length in range(1, order + 1):
        for positions in combinations(range(len(sentence)), length):
            weights[tuple(sentence[i] for i in positions)] += decay ** (positions[-1] - positions[0] + 1)
    return weights


def similarity(left: list[str], right: list[str], order: int, decay: float) -> float:
    phi, psi = (subsequence_weights(sentence, order, decay) for sentence in (left, right))
    norm = math.sqrt(sum(w * w for w in phi.values()) * sum(w * w for w in psi.values()))
    return sum(weight * psi.get(u, 0.0) for u, weight in phi.items()) / norm if norm else 0.0


@given(
    sentences,
    st.lists(sentences, min_size=1, max_size=3),
    st.integers(1, 5),
    st.sampled_from([0.3, 0.8, 1.0]),
)
def test_equal_to_the_enumeration(
    hypothesis: list[str], references: list[list[str]], order: int, decay: float
) -> None:
    expected = max(similarity(hypothesis, reference, order, decay) for reference in references)
    stats = Ssk(order=order, decay=decay).stats(hypothesis, references)
    np.testing.assert_allclose(stats, [expected, 1], rtol=1e-9)


def test_by_hand() -> None:
    # K("a b", "a") = 0.8^2; K("a b", "a b") = 2 · 0.8^2 + 0.8^4; K("a", "a") = 0.8^2.
    expected = 0.64 / math.sqrt((1.28 + 0.4096) * 0.64)
    assert Ssk().stats("a b", ["a"])[0] == pytest.approx(expected)


def test_score_is_the_mean_over_sentences() -> None:
    stats = Ssk().corpus_stats(["a b c", "x"], [["a b c"], ["y"]])
    assert Ssk().score(stats.sum(axis=0)) == pytest.approx(50.0)


@pytest.mark.parametrize(("hypothesis", "reference"), [("", "a"), ("a", ""), ("", ""), ("a", "b")])
def test_nothing_shared(hypothesis: str, reference: str) -> None:
    np.testing.assert_array_equal(Ssk().stats(hypothesis, [reference]), [0, 1])


@given(sentences, sentences, st.integers(1, 5), st.integers(1, 20))
def test_blocks_change_nothing(left: list[str], right: list[str], order: int, block: int) -> None:
    whole = subsequence_kernel(left, right, order, 0.8)
    assert subsequence_kernel(left, right, order, 0.8, block=block) == pytest.approx(whole, rel=1e-12)


def test_memory_does_not_grow_with_the_square_of_the_length() -> None:
    sentence = [str(i % 400) for i in range(3000)]
    tracemalloc.start()
    Ssk(order=2).stats(sentence, [sentence])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * len(sentence) ** 2 / 3
