"""chrF and chrF++ against sacrebleu."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from hopefear.metrics import Chrf

words = st.sampled_from(["a", "ab", "ba", "abba", "b.", "(a", "...", "é", "日本", "日"])
sentences = st.lists(words, max_size=6)
corpora = st.lists(st.tuples(sentences, st.tuples(sentences, sentences)), min_size=1, max_size=4)
Corpus = list[tuple[list[str], tuple[list[str], list[str]]]]


@given(
    corpora, st.integers(1, 6), st.integers(0, 3), st.sampled_from([1, 2, 3]), st.booleans(), st.booleans()
)
def test_equal_to_sacrebleu(
    corpus: Corpus, char_order: int, word_order: int, beta: int, whitespace: bool, one_reference: bool
) -> None:
    hypotheses = [hypothesis for hypothesis, _ in corpus]
    references = [pair[: 1 if one_reference else 2] for _, pair in corpus]
    metric = Chrf(char_order=char_order, word_order=word_order, beta=beta, whitespace=whitespace)
    score = metric.score(metric.corpus_stats(hypotheses, references).sum(axis=0))
    streams = [[" ".join(tokens) for tokens in stream] for stream in zip(*references, strict=True)]
    expected = CHRF(char_order, word_order, beta, whitespace=whitespace).corpus_score(
        [" ".join(tokens) for tokens in hypotheses], streams
    )
    assert score == pytest.approx(expected.score, abs=1e-9)


def test_by_hand() -> None:
    # "abc" to "abd": 2 of 3 characters, 1 of 2 bigrams; no trigram matches; longer ones are in neither.
    metric = Chrf()
    stats = metric.stats("a bc", ["ab d"])
    assert stats.tolist() == [3, 2, 1, 0, 0, 0, 3, 2, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0]
    assert metric.score(stats) == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)


def test_the_name_is_sacrebleus() -> None:
    assert Chrf().name == "chrF2"
    assert Chrf(word_order=2).name == "chrF2++"
