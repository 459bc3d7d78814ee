"""BLEU+1 and its corrections, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopefear.metrics import Bleu, BleuPlusOne

sentences = st.lists(st.sampled_from("abcd"), max_size=10)

# "a b x d" against "a b c d e f": lengths 4 and 6, matches 3/4, 1/3, 0/2, 0/1.
HYPOTHESIS, REFERENCE = "a b x d", "a b c d e f"


def score(metric: BleuPlusOne, hypothesis: str = HYPOTHESIS, reference: str = REFERENCE) -> float:
    return metric.score(metric.stats(hypothesis, [reference]))


@given(sentences, st.lists(sentences, min_size=1, max_size=3))
def test_without_corrections_it_is_add_one(hypothesis: list[str], references: list[list[str]]) -> None:
    metric, bleu = BleuPlusOne(), Bleu(smoothing="add-one")
    stats = metric.stats(hypothesis, references)
    np.testing.assert_array_equal(stats, bleu.stats(hypothesis, references))
    assert metric.score(stats) == pytest.approx(bleu.score(stats), abs=1e-9)


def test_smooth_brevity() -> None:
    precision = (3 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    assert score(BleuPlusOne()) == pytest.approx(100 * precision * math.exp(1 - 6 / 4))
    assert score(BleuPlusOne(smooth_brevity=True)) == pytest.approx(100 * precision * math.exp(1 - 7 / 4))


def test_as_long_as_the_reference_is_one_too_short() -> None:
    metric = BleuPlusOne(smooth_brevity=True)
    assert score(metric, "a b c d", "a b c d") == pytest.approx(100 * math.exp(-1 / 4))
    assert score(metric, "a b c d e", "a b c d") == pytest.approx(
        100 * (4 / 5 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25
    )


def test_grounded() -> None:
    precision = (4 / 5 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    ground = (1 / 5 * 1 / 4 * 1 / 3 * 1 / 2) ** 0.25
    grounded = BleuPlusOne(grounded=True)
    assert score(grounded) == pytest.approx(100 * (precision - ground) * math.exp(1 - 6 / 4))
    both = BleuPlusOne(grounded=True, smooth_brevity=True)
    assert score(both) == pytest.approx(100 * (precision - ground) * math.exp(1 - 7 / 4))


@pytest.mark.parametrize("smooth_brevity", [False, True])
@pytest.mark.parametrize("hypothesis", ["", "x", "x y z", "x y z v w x y z"])
def test_without_a_match_the_grounded_score_is_zero(hypothesis: str, smooth_brevity: bool) -> None:
    assert score(BleuPlusOne(grounded=True, smooth_brevity=smooth_brevity), hypothesis) == 0


@given(sentences, sentences)
def test_grounded_scores_are_between_nothing_and_the_smoothed_precision(
    hypothesis: list[str], reference: list[str]
) -> None:
    metric = BleuPlusOne(grounded=True, smooth_brevity=True)
    stats = metric.stats(hypothesis, [reference])
    assert 0 <= metric.score(stats) < 100
    assert (metric.score(stats) > 0) == (stats[6] > 0)
