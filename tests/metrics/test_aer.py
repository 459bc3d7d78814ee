"""Alignment error rate against its definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.metrics import Aer, WrongSentence

points = st.tuples(st.integers(0, 3), st.integers(0, 3))
sets = st.sets(points, max_size=8)


def text(links, mark="-"):
    return [f"{i}{mark}{j}" for i, j in sorted(links)]


@given(st.lists(st.tuples(sets, sets, sets), min_size=1, max_size=3))
def test_the_definition(sentences) -> None:
    metric = Aer()
    hypotheses = [text(links) for links, _, _ in sentences]
    references = [[text(sure) + text(possible - sure, "?")] for _, sure, possible in sentences]
    numerator = sum(len(a & s) + len(a & (s | p)) for a, s, p in sentences)
    denominator = sum(len(a) + len(s) for a, s, _ in sentences)
    expected = 100 * (1 - numerator / denominator) if denominator else 0
    assert metric.score(metric.corpus_stats(hypotheses, references).sum(axis=0)) == pytest.approx(expected)


def test_the_example_of_nltk() -> None:
    # nltk.metrics.alignment_error_rate: the reference 0-0 1-1 2-2, the hypothesis 0-0 1-2 2-1
    stats = Aer().stats("0-0 1-2 2-1", ["0-0 1-1 2-2"])
    assert Aer().score(stats) == pytest.approx(66.66666666666667)
    assert Aer().quality(stats) == -Aer().score(stats)


def test_wrong_sentences() -> None:
    with pytest.raises(WrongSentence, match=r"expected links such as 0-0 1.2, got '0:1'") as raised:
        Aer().corpus_stats(["0-0", "0:1"], [["0-0"], ["1-1"]])
    assert (raised.value.sentence, raised.value.reference) == (1, None)
    with pytest.raises(WrongSentence, match="expected one reference alignment, got 2"):
        Aer().prepare(["0-0", "1-1"])
