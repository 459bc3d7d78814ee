"""Bootstrap resampling against distributions known exactly, and against sacrebleu."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from hopefear.metrics import Bleu, Cer, Metric, Ssk, Statistics, confidence_interval, paired_bootstrap


def means(values: list[float]) -> Statistics:
    """Statistics whose score is 100 times the mean of the values."""
    return np.array([[value, 1.0] for value in values])


MEAN = Ssk()


def noisy_copies(sentences: int, seed: int, *noise: float) -> tuple[list[str], ...]:
    """References, and hypotheses in which each token is replaced with the given probabilities."""
    rng = random.Random(seed)
    references = [[rng.choice("abcdefgh") for _ in range(rng.randint(5, 15))] for _ in range(sentences)]
    noisy = [[[t if rng.random() > p else "x" for t in tokens] for tokens in references] for p in noise]
    return tuple([" ".join(tokens) for tokens in corpus] for corpus in (references, *noisy))


def corpus_stats(metric: Metric, hypotheses: list[str], references: list[str]) -> Statistics:
    return metric.corpus_stats(hypotheses, [[reference] for reference in references])


def test_interval_of_two_sentences() -> None:
    # The mean of two draws from {0, 1} is 0, ½, 1 with probability ¼, ½, ¼.
    stats = means([0, 1])
    assert confidence_interval(stats, MEAN, level=0.95)[:3] == (50, 0, 100)
    assert confidence_interval(stats, MEAN, level=0.40)[:3] == (50, 50, 50)


def test_interval_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, size=400)
    interval = confidence_interval(means(values.tolist()), MEAN, samples=5000)
    half = 1.96 * values.std() / np.sqrt(400)
    assert interval.value == pytest.approx(100 * values.mean())
    assert interval.lower == pytest.approx(100 * (values.mean() - half), abs=0.05)
    assert interval.upper == pytest.approx(100 * (values.mean() + half), abs=0.05)


def test_interval_agrees_with_sacrebleu() -> None:
    references, hypotheses = noisy_copies(150, 7, 0.2)
    interval = confidence_interval(corpus_stats(Bleu(), hypotheses, references), Bleu(), samples=2000)
    score = BLEU(tokenize="none", smooth_method="none", force=True).corpus_score(
        hypotheses, [references], n_bootstrap=2000
    )
    assert interval.value == pytest.approx(score.score, abs=1e-9)
    mean, half = map(float, re.search(r"μ = ([\d.]+) ± ([\d.]+)", str(score)).groups())  # type: ignore[union-attr]
    assert (interval.upper - interval.lower) / 2 == pytest.approx(half, rel=0.1)
    assert (interval.upper + interval.lower) / 2 == pytest.approx(mean, abs=0.3)


def test_p_value_of_two_sentences() -> None:
    # Differences +3 and -1: the resampled mean is 3, 1, -1 with probability ¼, ½, ¼.
    result = paired_bootstrap(means([1, 4]), means([4, 3]), MEAN, samples=20000)
    assert result.delta[:3] == (100, -100, 300)
    assert result.p_value == pytest.approx(0.25, abs=0.01)
    assert (result.baseline.value, result.system.value) == (250, 350)


def test_ties_are_not_better() -> None:
    # Differences +1 and 0: a quarter of the draws has the tied sentence twice.
    result = paired_bootstrap(means([0, 0]), means([1, 0]), MEAN, samples=20000)
    assert result.p_value == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize("metric", [Bleu(), Cer(), Ssk()], ids=lambda metric: metric.signature())
def test_swapping_the_systems(metric: Metric) -> None:
    references, first, second = noisy_copies(60, 3, 0.2, 0.25)
    one, other = (corpus_stats(metric, system, references) for system in (first, second))
    forth, back = paired_bootstrap(one, other, metric), paired_bootstrap(other, one, metric)
    assert forth.p_value == back.p_value
    assert 0 < forth.p_value < 1
    assert forth.delta.value == pytest.approx(-back.delta.value)
    assert forth.delta.lower == pytest.approx(-back.delta.upper)
    assert forth.delta.upper == pytest.approx(-back.delta.lower)
    assert forth.baseline == pytest.approx(back.system)


@pytest.mark.parametrize("metric", [Bleu(), Cer()], ids=lambda metric: metric.signature())
def test_a_clearly_better_system(metric: Metric) -> None:
    references, worse, better = noisy_copies(200, 5, 0.4, 0.1)
    result = paired_bootstrap(
        corpus_stats(metric, worse, references), corpus_stats(metric, better, references), metric, samples=500
    )
    assert result.p_value == 1 / 501
    assert (result.delta.value > 0) == metric.higher_is_better
    assert result.delta.lower * result.delta.upper > 0


def test_a_system_against_itself() -> None:
    references, hypotheses = noisy_copies(30, 2, 0.3)
    stats = corpus_stats(Bleu(), hypotheses, references)
    result = paired_bootstrap(stats, stats, Bleu())
    assert result.delta[:3] == (0, 0, 0)
    assert result.p_value == 1.0


def test_the_seed_decides() -> None:
    references, first, second = noisy_copies(40, 9, 0.2, 0.3)
    one, other = (corpus_stats(Bleu(), system, references) for system in (first, second))
    assert paired_bootstrap(one, other, Bleu(), seed=1) == paired_bootstrap(one, other, Bleu(), seed=1)
    assert paired_bootstrap(one, other, Bleu(), seed=1) != paired_bootstrap(one, other, Bleu(), seed=2)
    # The same resampled corpora serve one system and two.
    assert paired_bootstrap(one, other, Bleu(), seed=1).baseline == pytest.approx(
        confidence_interval(one, Bleu(), seed=1)
    )


def test_text() -> None:
    assert str(confidence_interval(means([0, 1]), MEAN)) == "50.00 [0.00, 100.00]"


def test_bad_input_is_refused() -> None:
    stats = means([0, 1])
    with pytest.raises(ValueError, match=r"shape \(n, 2\), n at least 1, got \(0, 2\)"):
        confidence_interval(np.empty((0, 2)), MEAN)
    with pytest.raises(ValueError, match=r"got \(2,\)"):
        confidence_interval([1.0, 1.0], MEAN)
    with pytest.raises(ValueError, match="same number of rows, got 2 and 3"):
        paired_bootstrap(stats, means([0, 1, 2]), MEAN)
    with pytest.raises(ValueError, match="samples must be at least 1, got 0"):
        confidence_interval(stats, MEAN, samples=0)
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 95"):
        confidence_interval(stats, MEAN, level=95)
