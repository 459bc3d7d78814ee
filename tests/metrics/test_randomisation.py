"""Approximate randomisation against all permutations, and the spreads against their equations."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest

from hopefear.metrics import Bleu, Metric, Ssk, Statistics, Ter, approximate_randomisation, optimizer_spread

MEAN = Ssk()  # 100 times the mean of the first column


def means(values: list[float]) -> Statistics:
    return np.array([[value, 1.0] for value in values])


def exact_p_value(baseline: Statistics, system: Statistics, metric: Metric) -> float:
    """The share of all ways to swap sentences within the runs whose difference is at least as large."""
    runs, sentences, _ = baseline.shape

    def difference(swaps: tuple[bool, ...]) -> float:
        total = 0.0
        for run in range(runs):
            one, other = np.zeros(metric.size), np.zeros(metric.size)
            for sentence in range(sentences):
                rows = baseline[run, sentence], system[run, sentence]
                swapped = swaps[run * sentences + sentence]
                one, other = one + rows[swapped], other + rows[not swapped]
            total += metric.score(other) - metric.score(one)
        return abs(total / runs)

    every = [difference(swaps) for swaps in itertools.product([False, True], repeat=runs * sentences)]
    return sum(value >= every[0] - 1e-9 for value in every) / len(every)


def bleu_runs(seed: int, runs: int, sentences: int, metric: Metric) -> tuple[Statistics, Statistics]:
    rng = np.random.default_rng(seed)

    def noisy(reference: list[str], noise: float) -> list[str]:
        return [token if rng.random() > noise else "x" for token in reference]

    references = [list("abcdefghij"[: rng.integers(5, 10)]) for _ in range(sentences)]
    baseline, system = (
        np.stack(
            [
                metric.corpus_stats([noisy(r, noise) for r in references], [[r] for r in references])
                for _ in range(runs)
            ]
        )
        for noise in (0.3, 0.15)
    )
    return baseline, system


@pytest.mark.parametrize(("runs", "sentences"), [(1, 8), (2, 5), (3, 3)])
@pytest.mark.parametrize("metric", [Bleu(order=2), Ter()], ids=lambda metric: metric.signature())
@pytest.mark.parametrize("seed", [1, 2])
def test_p_values_of_all_permutations(runs: int, sentences: int, metric: Metric, seed: int) -> None:
    baseline, system = bleu_runs(seed, runs, sentences, metric)
    expected = exact_p_value(baseline, system, metric)
    result = approximate_randomisation(baseline, system, metric, shuffles=20000, samples=2)
    assert result.p_value == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 20000))


def test_p_value_by_hand() -> None:
    # Differences 1 and 3 swap to ±4 and ±2, each twice of four ways: |4| in half of them.
    result = approximate_randomisation([means([1, 1])], [means([2, 4])], MEAN, shuffles=20000, samples=2)
    assert result.delta == pytest.approx(200)
    assert result.p_value == pytest.approx(0.5, abs=0.015)


def test_swaps_stay_within_a_run() -> None:
    # Across runs, 1 and 3 could meet; within them the means stay 2 ± 1 and 6 ± 1: 2 of 4 ways.
    baseline, system = [means([1]), means([5])], [means([3]), means([7])]
    result = approximate_randomisation(baseline, system, MEAN, shuffles=20000, samples=2)
    assert result.delta == pytest.approx(200)
    assert result.p_value == pytest.approx(0.5, abs=0.015)


def test_a_single_run_is_swapped_with_all_runs_of_the_other_system_at_once() -> None:
    # Differences 1 and 3 are swapped in both runs or in none: the four ways are those of one run.
    one, several = [means([1, 1])], [means([2, 4]), means([2, 4])]
    for baseline, system in ((one, several), (several, one)):
        result = approximate_randomisation(baseline, system, MEAN, shuffles=20000, samples=2)
        assert abs(result.delta) == pytest.approx(200)
        assert result.p_value == pytest.approx(0.5, abs=0.015)
    # Differences 1 + 3 and 3 + 3: means 2.5 ± 0.5, again each in half of the ways.
    result = approximate_randomisation(one, [means([2, 4]), means([4, 4])], MEAN, shuffles=20000, samples=2)
    assert result.delta == pytest.approx(250)
    assert result.p_value == pytest.approx(0.5, abs=0.015)


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
    with pytest.raises(ValueError, match=r"runs and sentences, got \(2, 2\) and \(3, 2\)"):
        approximate_randomisation([one] * 2, [one] * 3, MEAN)
    with pytest.raises(ValueError, match=r"runs and sentences, got \(2, 2\) and \(2, 3\)"):
        approximate_randomisation([one], [other, other], MEAN)
    with pytest.raises(ValueError, match="shuffles must be at least 1, got 0"):
        approximate_randomisation([one], [one], MEAN, shuffles=0)
    with pytest.raises(ValueError, match=r"shape \(n, 2\), n at least 1, got \(2,\)"):
        optimizer_spread([np.zeros(2)], MEAN)
