"""TER against sacrebleu, CER and WER against the recursive definition of edit distance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.metrics.ter import TER

from hopefear.metrics import Cer, Ksmr, Metric, Ter, TooLong, Wer

sentences = st.lists(st.sampled_from(["a", "b", "c", "D", "d", "."]), max_size=10)
corpora = st.lists(st.tuples(sentences, st.tuples(sentences, sentences)), min_size=1, max_size=4)
Corpus = list[tuple[list[str], tuple[list[str], list[str]]]]


@given(corpora)
def test_ter_is_equal_to_sacrebleu(corpus: Corpus) -> None:
    hypotheses, references = zip(*corpus, strict=True)
    score = Ter().score(Ter().corpus_stats(hypotheses, references).sum(axis=0))
    streams = [[" ".join(pair[k]) for pair in references] for k in range(2)]
    expected = TER(case_sensitive=True).corpus_score([" ".join(tokens) for tokens in hypotheses], streams)
    assert score == pytest.approx(expected.score, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=25)  # sacrebleu takes seconds for the longest
@given(st.randoms(use_true_random=False), st.integers(1, 90), st.integers(1, 90))
def test_ter_of_long_sentences_is_equal_to_sacrebleu(dice: Random, words: int, others: int) -> None:
    """Runs that stand elsewhere, unlike lengths, and more candidates than are tried."""
    reference = [dice.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(words)]
    cut = dice.randrange(words)
    hypothesis = (reference[cut:] + reference[:cut])[:others]
    for _ in range(others // 5):
        hypothesis.insert(dice.randrange(len(hypothesis) + 1), dice.choice("abcdefg"))
    expected, _ = translation_edit_rate(hypothesis, reference)
    assert Ter().stats(hypothesis, [reference])[0] == expected


@pytest.mark.parametrize(
    ("metric", "hypothesis", "references", "stats", "score"),
    [
        (Ter(), "d e a b c", ["a b c d e"], [1, 5], 20.0),  # one shift
        (Ter(), "a b x d", ["a b c d", "a b c d e f"], [1, 5], 20.0),  # the average length
        (Ter(), "a b", ["A b"], [1, 2], 50.0),
        (Ter(), "", ["a b"], [2, 2], 100.0),
        (Ter(), "a b", [""], [2, 0], 100.0),
        (Ter(), "", [""], [0, 0], 0.0),
        (Ter(), "a b c", ["a b c"], [0, 3], 0.0),
        (Cer(), "kitten", ["sitting"], [3, 7], 300 / 7),
        (Cer(), "a cat", ["acat"], [1, 4], 25.0),  # the space counts
        (Cer(), "été", ["ete"], [2, 3], 200 / 3),  # characters, not bytes
        (Cer(), "𝄞", ["a"], [1, 1], 100.0),
        (Cer(), "abcd", ["abxy", "abcdz", "abc"], [1, 3], 100 / 3),  # two with one edit: the shorter
        (Cer(), "abcd", ["wxyz", "abcdefg"], [3, 7], 300 / 7),
        (Cer(), "", ["abc"], [3, 3], 100.0),
        (Cer(), "abc", [""], [3, 0], 100.0),
        (Cer(), "", [""], [0, 0], 0.0),
        (Cer(), "a b c", ["a b c"], [0, 5], 0.0),
        (Ksmr(), "the red house", ["the blue house"], [5, 14], 500 / 14),  # mark "red", type "blue"
        (Ksmr(), "a big red house", ["a house"], [2, 7], 200 / 7),  # mark "big red ", delete it
        (Ksmr(), "a house", ["a big house"], [5, 11], 500 / 11),  # put the caret there, type "big "
        (Ksmr(), "x b y", ["a b c"], [4, 5], 80.0),  # two places; all at once takes 6
        (Ksmr(), "a b", ["", "a b c"], [2, 0], 100.0),
        (Ksmr(), "", ["abc"], [4, 3], 400 / 3),
        (Ksmr(), "a b c", ["a b c"], [0, 5], 0.0),
        (Wer(), "d e a b c", ["a b c d e"], [4, 5], 80.0),  # no shifts
        (Wer(), "a b x d", ["a b c d e f", "a b c d"], [1, 4], 25.0),
        (Wer(), "a b c", ["a b c d", "a b"], [1, 2], 50.0),  # two with one edit: the shorter
        (Wer(), "a b", ["A b"], [1, 2], 50.0),
        (Wer(), "", ["a b"], [2, 2], 100.0),
        (Wer(), "a b", [""], [2, 0], 100.0),
        (Wer(), "", [""], [0, 0], 0.0),
    ],
)
def test_by_hand(
    metric: Metric, hypothesis: str, references: list[str], stats: list[float], score: float
) -> None:
    np.testing.assert_array_equal(metric.stats(hypothesis, references), stats)
    assert metric.score(stats) == pytest.approx(score)


def edit_distance(left: Sequence[str], right: Sequence[str]) -> int:
    @cache
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        substituted = distance(i - 1, j - 1) + (left[i - 1] != right[j - 1])
        return min(distance(i - 1, j) + 1, distance(i, j - 1) + 1, substituted)

    return distance(len(left), len(right))


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_cer_counts_edits(hypothesis: str, reference: str) -> None:
    stats = Cer().stats([hypothesis], [[reference]])
    np.testing.assert_array_equal(stats, [edit_distance(hypothesis, reference), len(reference)])


@given(st.lists(sentences, min_size=1, max_size=5), st.lists(sentences, min_size=1, max_size=3))
def test_wer_counts_edits_of_many_hypotheses(
    hypotheses: list[list[str]], references: list[list[str]]
) -> None:
    batch = Wer().prepare(references).batch(hypotheses)
    for row, hypothesis in zip(batch, hypotheses, strict=True):
        nearest = min((edit_distance(hypothesis, reference), len(reference)) for reference in references)
        np.testing.assert_array_equal(row, nearest)


def test_ter_refuses_long_sentences() -> None:
    metric = Ter(max_words=3)
    assert metric == Ter(max_words=3) != Ter()
    assert metric.signature() == Ter().signature()
    assert metric.stats("a b c", ["a b c"]).tolist() == [0, 3]
    with pytest.raises(TooLong, match=r"a hypothesis of at most 3 words.*got 4 words") as raised:
        metric.corpus_stats(["a", "a b c d"], [["a"], ["a"]])
    assert (raised.value.sentence, raised.value.reference) == (1, None)
    with pytest.raises(TooLong, match=r"a reference of at most 3 words.*got 5 words") as raised:
        metric.corpus_stats(["a"], [["a", "a b c d e"]])
    assert (raised.value.sentence, raised.value.reference) == (0, 1)
    with pytest.raises(TooLong, match="at most 2000 words"):
        Ter().prepare(["a " * 12_000])
    with pytest.raises(ValueError, match="max_words must be at least 1, got 0"):
        Ter(max_words=0)


def fewest_actions(hypothesis: str, reference: str) -> int:
    """Try all ways to keep characters; between two that are kept, what differs is one place to change."""

    def place(gone: int, new: int) -> int:
        return 1 + max(new, 1) if gone or new else 0

    @cache
    def rest(i: int, j: int) -> int:
        best = place(len(hypothesis) - i, len(reference) - j)
        for a in range(i, len(hypothesis)):
            for b in range(j, len(reference)):
                if hypothesis[a] == reference[b]:
                    best = min(best, place(a - i, b - j) + rest(a + 1, b + 1))
        return best

    return rest(0, 0)


@given(st.lists(st.text("ab ", max_size=8), min_size=1, max_size=4), st.text("ab ", max_size=8))
def test_keystrokes_and_mouse_actions_are_the_fewest(hypotheses: list[str], reference: str) -> None:
    sides = [" ".join(text.split()) for text in (*hypotheses, reference)]
    for text in sides[:-1]:
        assert Ksmr().stats(text, [sides[-1]])[0] == fewest_actions(text, sides[-1])
