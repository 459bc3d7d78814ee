"""CharacTER against the authors' program, https://github.com/rwth-i6/CharacTER (commit c4b25cb).

All expected numbers are what that program gives for these sentences.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hopefear.metrics import CharacTer, TooLong


@pytest.mark.parametrize(
    ("hypothesis", "reference", "rate"),
    [
        (
            "he made his son a place to attend the meeting .",
            "he made his son attend the meeting in his place .",
            0.2765957446808511,
        ),
        (
            "be sure to call as soon as i get in touch with me .",
            "get in touch with me as soon as you arrive here .",
            0.4248366013071895,
        ),
        ("the bucket is a little water .", "there is little water in the bucket .", 0.4166666666666667),
        (
            "i have just finished your english homework just now .",
            "i have just now finished doing my english homework .",
            0.440251572327044,
        ),
        (
            "彼女 は 今 、 それ を 聞 い て 、 彼女 は 泣 い た 。",
            "彼女 は それ を 聞 い た 時 、 ただ 泣 い て い た 。",
            0.3382352941176471,
        ),
        ("私 は 、 ３ 年 と は 長 い 時間 だ 。", "３ 年 と い う は 長 い 時間 だ と 私 は 思 う 。", 0.5),
        (
            "で の 旅行 私 たち は お 互い に かなり 知り合い に な っ た 。",
            "今度 の 旅行 で 私 たち は かなり の 知り合い に な っ た 。",
            0.25213675213675213,
        ),
        ("the cat sat", "the cat sat", 0.0),
        ("a", "a much longer sentence", 1.0),  # at most 1
        ("", "a b", 1.0),
        ("a b", "", 1.0),
    ],
)
def test_rates_are_those_of_the_authors(hypothesis: str, reference: str, rate: float) -> None:
    np.testing.assert_array_equal(CharacTer().stats(hypothesis, [reference]), [rate, 1])


def drawn(dice: Random, most: int, words: str) -> list[str]:
    return [words[int(dice.random() * len(words))] * (1 + int(dice.random() * 3)) for _ in range(most)]


@pytest.mark.parametrize(
    ("sentences", "words", "letters", "score"),
    [(400, 12, "abc", 78.97352902830458), (10, 150, "abcdefghijklmnopqrstuvwxyz", 89.39681761969673)],
)
def test_scores_are_those_of_the_authors(sentences: int, words: int, letters: str, score: float) -> None:
    """Many words that stand elsewhere, and shifts that are equally good."""
    dice = Random(2016)
    hypotheses = [drawn(dice, 1 + int(dice.random() * words), letters) for _ in range(sentences)]
    references = [drawn(dice, 1 + int(dice.random() * words), letters) for _ in range(sentences)]
    metric = CharacTer()
    stats = metric.corpus_stats(hypotheses, [[reference] for reference in references])
    assert metric.score(stats.sum(axis=0)) == pytest.approx(score, abs=1e-10)


def test_of_several_references_the_nearest_counts() -> None:
    metric = CharacTer()
    assert metric.stats("a b c", ["x y z", "a b d"]).tolist() == [0.2, 1]
    assert metric.stats("", ["a", ""]).tolist() == [0, 1]
    assert metric.score([0.5, 2]) == 25


def test_long_sentences_are_refused() -> None:
    metric = CharacTer(max_words=3)
    assert metric.stats("a b c", ["a b c"]).tolist() == [0, 1]
    with pytest.raises(TooLong, match=r"a hypothesis of at most 3 words \(the limit of CharacTer's"):
        metric.stats("a b c d", ["a"])
    with pytest.raises(TooLong, match="a reference of at most 3 words"):
        metric.stats("a", ["a", "a b c d"])
    with pytest.raises(ValueError, match="max_words must be at least 1, got 0"):
        CharacTer(max_words=0)
