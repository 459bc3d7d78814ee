"""Approximate randomisation against all permutations, and the spreads against their equations."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hopefear.metrics import (
    Bleu,
    Metric,
    OverRuns,
    Randomisation,
    Ssk,
    Statistics,
    Ter,
    Wer,
    approximate_randomisation,
    holm,
    optimizer_spread,
    over_runs,
)

MEAN = Ssk()  # 100 times the mean of the first column


def means(values: list[float]) -> Statistics:
    return np.array([[value, 1.0] for value in values])


def exact_p_value(baseline: Statistics, system: Statistics, metric: Metric) -> float:
    """The share of all ways to exchange sentences, in all runs together, that differ at least as much."""

    def difference(swaps: tuple[bool, ...]) -> float:
        found = []
        for one, other in itertools.product(baseline, system):
            chosen = [(b, a) if swap else (a, b) for a, b, swap in zip(one, other, swaps, strict=True)]
            first, second = (np.sum(rows, axis=0) for rows in zip(*chosen, strict=True))
            found.append(metric.score(second) - metric.score(first))
        return abs(statistics.fmean(found))

    every = [difference(swaps) for swaps in itertools.product([False, True], repeat=baseline.shape[1])]
    return sum(value >= every[0] - 1e-9 for value in every) / len(every)


def bleu_runs(
    seed: int, runs: int | tuple[int, int], sentences: int, metric: Metric
) -> tuple[Statistics, Statistics]:
    rng = np.random.default_rng(seed)

    def noisy(reference: list[str], noise: float) -> list[str]:
        return [token if rng.random() > noise else "x" for token in reference]

    references = [list("abcdefghij"[: rng.integers(5, 10)]) for _ in range(sentences)]
    baseline, system = (
        np.stack(
            [
                metric.corpus_stats([noisy(r, noise) for r in references], [[r] for r in references])
                for _ in range(count)
            ]
        )
        for noise, count in zip((0.3, 0.15), (runs, runs) if isinstance(runs, int) else runs, strict=True)
    )
    return baseline, system


@pytest.mark.parametrize(("runs", "sentences"), [((1, 1), 8), ((2, 2), 7), ((3, 1), 6), ((2, 3), 6)])
@pytest.mark.parametrize("metric", [Bleu(order=2), Ter()], ids=lambda metric: metric.signature())
@pytest.mark.parametrize("seed", [1, 2])
def test_p_values_of_all_permutations(
    runs: tuple[int, int], sentences: int, metric: Metric, seed: int
) -> None:
    baseline, system = bleu_runs(seed, runs, sentences, metric)
    expected = exact_p_value(baseline, system, metric)
    result = approximate_randomisation(baseline, system, metric, shuffles=20000, samples=2)
    assert result.p_value == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20000))


def test_p_value_by_hand() -> None:
    # Differences 1 and 3 swap to ±4 and ±2, each twice of four ways: |4| in half of them.
    result = approximate_randomisation([means([1, 1])], [means([2, 4])], MEAN, shuffles=20000, samples=2)
    assert result.delta == pytest.approx(200)
    assert result.p_value == pytest.approx(0.5, abs=0.015)


@pytest.mark.parametrize("copies", [(1, 3), (3, 1), (4, 4), (2, 5)])
def test_a_run_that_is_listed_again_is_no_further_evidence(copies: tuple[int, int]) -> None:
    (baseline,), (system,) = bleu_runs(7, 1, 60, Bleu())
    once = approximate_randomisation([baseline], [system], Bleu(), shuffles=2000, samples=2)
    listed = [baseline] * copies[0], [system] * copies[1]
    again = approximate_randomisation(*listed, Bleu(), shuffles=2000, samples=2)
    assert again.p_value == once.p_value
    assert again.delta == pytest.approx(once.delta)


def alike_runs(
    rng: np.random.Generator,
    runs: int,
    difficulty: NDArray[np.float64],
    gain: float = 0,
    run_effect: float = 0,
) -> list[Statistics]:
    """Runs that share the difficulty of their sentences; `run_effect` is the deviation of whole runs."""
    own = rng.normal(gain, 0.5, (runs, len(difficulty))) + rng.normal(0, run_effect, (runs, 1))
    return [means(list(difficulty + row)) for row in own]


def share_significant(
    test: Callable[..., Any], counts: tuple[int, int], trials: int, sentences: int = 100, **effects: float
) -> float:
    """The share of trials with p < 5 %."""
    rng = np.random.default_rng(17)
    found, gain = 0, effects.pop("gain", 0.0)
    for _ in range(trials):
        difficulty = rng.normal(size=sentences)
        baseline = alike_runs(rng, counts[0], difficulty, **effects)
        system = alike_runs(rng, counts[1], difficulty, gain, **effects)
        found += test(baseline, system, MEAN).p_value < 0.05
    return found / trials


def by_randomisation(*arguments: Any) -> Randomisation:
    return approximate_randomisation(*arguments, shuffles=300, samples=2)


def by_variances(*arguments: Any) -> OverRuns:
    return over_runs(*arguments, samples=200)


FEW = 30
"""Sentences that are enough where there is nothing to find."""
LEAST_UNUSUAL = 0.065
"""What 5 % of 1,000 trials hardly ever exceed: two standard deviations."""


@pytest.mark.parametrize("counts", [(1, 1), (2, 2), (4, 4), (8, 8), (1, 4), (3, 5)])
def test_alike_runs_of_equal_systems_give_no_more_false_alarms_than_one(counts: tuple[int, int]) -> None:
    assert share_significant(by_randomisation, counts, 1000, FEW) <= LEAST_UNUSUAL


@pytest.mark.parametrize("counts", [(2, 2), (3, 3), (1, 4), (8, 8)])
@pytest.mark.parametrize("run_effect", [0, 0.2])
def test_runs_of_equal_systems_that_differ_give_no_false_alarms_over_runs(
    counts: tuple[int, int], run_effect: float
) -> None:
    assert share_significant(by_variances, counts, 1000, FEW, run_effect=run_effect) <= LEAST_UNUSUAL


def test_more_runs_find_more() -> None:
    one, four = (share_significant(by_randomisation, (runs, runs), 300, gain=0.15) for runs in (1, 4))
    assert four > one + 0.2


def test_more_runs_find_more_over_runs() -> None:
    two, six = (
        share_significant(by_variances, (runs, runs), 300, gain=0.15, run_effect=0.05) for runs in (2, 6)
    )
    assert six > two + 0.2


def welch(one: list[float], other: list[float]) -> Any:
    """Return SciPy's test; its import takes so long that only who asks should wait."""
    from scipy import stats

    return stats.ttest_ind(one, other, equal_var=False)


def test_over_runs_without_noise_of_sentences_is_the_test_of_student() -> None:
    scores = [1.0, 2.0, 4.0], [5.0, 7.0, 6.0]
    baseline, system = ([means([value] * 4) for value in side] for side in scores)
    found = over_runs(baseline, system, MEAN)
    expected = welch(scores[1], scores[0])
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert found.delta[:3] == pytest.approx((expected_delta(scores), 100 * interval.low, 100 * interval.high))


def expected_delta(scores: tuple[list[float], list[float]]) -> float:
    return 100 * (statistics.fmean(scores[1]) - statistics.fmean(scores[0]))


def test_paired_runs_without_noise_of_sentences_are_the_paired_test_of_student() -> None:
    from scipy import stats

    scores = [1.0, 9.0, 4.0, 6.0], [1.5, 9.2, 4.6, 7.0]
    baseline, system = ([means([value] * 4) for value in side] for side in scores)
    found = over_runs(baseline, system, MEAN, paired=True)
    expected = stats.ttest_rel(scores[1], scores[0])
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert found.delta[:3] == pytest.approx((expected_delta(scores), 100 * interval.low, 100 * interval.high))
    with pytest.raises(ValueError, match="expected pairs of runs, got 4 and 3 runs"):
        over_runs(baseline, system[1:], MEAN, paired=True)


def test_over_runs_of_equal_runs() -> None:
    runs = [means([1, 2])] * 2
    found = over_runs(runs, runs, MEAN)
    assert (found.p_value, found.delta.value) == (1, 0)
    assert over_runs([means([1, 1])] * 2, [means([2, 2])] * 2, MEAN).p_value == 0


def test_over_runs_of_one_sentence_is_the_test_of_student() -> None:
    scores = [1.0, 2.0, 4.0], [5.0, 7.0, 6.0]
    found = over_runs(*([means([value]) for value in side] for side in scores), MEAN)
    assert found.p_value == pytest.approx(welch(*scores).pvalue)


@pytest.mark.parametrize("runs", [2, 10])
def test_over_runs_of_equal_scores_that_round_differently(runs: int) -> None:
    # The mean of ten equal scores is not exactly the score.
    run = np.array([[1.0, 3.0], [2.0, 4.0], [1.0, 7.0]])
    found = over_runs([run], [run] * runs, Wer())
    assert (found.p_value, found.delta.value) == (1, pytest.approx(0, abs=1e-9))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]) == [1, 1]
    assert holm([]) == []


def test_swapping_the_systems() -> None:
    baseline, system = bleu_runs(3, 3, 40, Bleu())
    forth = approximate_randomisation(baseline, system, Bleu(), shuffles=2000, samples=50)
    back = approximate_randomisation(system, baseline, Bleu(), shuffles=2000, samples=50)
    assert forth.p_value == back.p_value
    assert forth.delta == pytest.approx(-back.delta)
    assert forth.baseline == back.system


def test_a_system_against_itself() -> None:
    baseline, _ = bleu_runs(4, 2, 20, Bleu())
    result = approximate_randomisation(baseline, baseline, Bleu(), shuffles=200, samples=50)
    assert (result.delta, result.p_value) == (0, 1)


def test_a_clearly_better_system() -> None:
    baseline, system = bleu_runs(5, 3, 100, Bleu())
    result = approximate_randomisation(baseline, system, Bleu(), shuffles=999, samples=50)
    assert result.p_value == 1 / 1000
    assert result.delta == pytest.approx(result.system.mean - result.baseline.mean)


def test_the_optimizers_spread_is_the_sample_standard_deviation() -> None:
    runs = [means(values) for values in ([1, 2], [3, 4], [8, 9])]
    spread = optimizer_spread(runs, MEAN)
    assert spread.scores == pytest.approx((150, 350, 850))
    assert spread.mean == pytest.approx(450)
    assert spread.optimizer == pytest.approx(statistics.stdev([150, 350, 850]))


def test_the_spread_of_the_test_set_is_averaged_over_runs() -> None:
    # A mean of n sentences has standard deviation σ/√n over resampled sets: here 0, 1/√2 and 2/√2.
    runs = [means(values) for values in ([3, 3], [1, 3], [0, 4])]
    expected = 100 * (0 + 1 + 2) / np.sqrt(2) / 3
    assert optimizer_spread(runs, MEAN, samples=20000).selection == pytest.approx(expected, rel=0.02)


def test_one_run_has_no_spread_of_the_optimizer() -> None:
    spread = optimizer_spread([means([1, 3])], MEAN)
    assert spread.optimizer is None
    assert str(spread).startswith("200.00 (1 run, s_sel ")
    assert str(optimizer_spread([means([1, 1])] * 2, MEAN)) == "100.00 (2 runs, s_sel 0.00, s_opt 0.00)"


def test_the_seed_decides() -> None:
    baseline, system = bleu_runs(6, 2, 6, Bleu(order=1))
    first, again, other = (
        approximate_randomisation(baseline, system, Bleu(order=1), shuffles=700, samples=9, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.p_value != other.p_value


def test_bad_input_is_refused() -> None:
    one, other = means([0, 1]), means([0, 1, 2])
    with pytest.raises(ValueError, match=r"at least one run, and runs must have the same number .* got \[\]"):
        optimizer_spread([], MEAN)
    with pytest.raises(ValueError, match=r"the same number of rows, got \[2, 3\]"):
        optimizer_spread([one, other], MEAN)
    with pytest.raises(ValueError, match="samples must be at least 2, got 1"):
        optimizer_spread([one], MEAN, samples=1)
    for test in (approximate_randomisation, over_runs):
        with pytest.raises(ValueError, match="the same number of sentences, got 2 and 3"):
            test([one], [other, other], MEAN)
    with pytest.raises(ValueError, match="must have two runs, got one run of each"):
        over_runs([one], [one], MEAN)
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 95"):
        over_runs([one] * 2, [one], MEAN, level=95)
    with pytest.raises(ValueError, match="samples must be at least 2, got 1"):
        over_runs([one] * 2, [one], MEAN, samples=1)
    with pytest.raises(ValueError, match="shuffles must be at least 1, got 0"):
        approximate_randomisation([one], [one], MEAN, shuffles=0)
    with pytest.raises(ValueError, match=r"shape \(n, 2\), n at least 1, got \(2,\)"):
        optimizer_spread([np.zeros(2)], MEAN)
