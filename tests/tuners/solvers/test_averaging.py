from __future__ import annotations

import numpy as np
import pytest

from hopefear.base.state import load, save
from hopefear.tuners.solvers.averaging import WeightAverage

FEATURES = 30_000


def updates(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        size = int(rng.integers(1, 8_000))
        yield rng.choice(FEATURES, size, replace=False), rng.normal(size=size)


def test_the_mean_is_that_of_all_weight_vectors():
    weights, total, average = np.ones(FEATURES), np.zeros(FEATURES), WeightAverage()
    for count, (features, change) in enumerate(updates(60), 1):  # enough to be added up in between
        weights[features] += change
        total += weights
        average.add(features, change)
        if count in (1, 7, 60):
            np.testing.assert_allclose(average.mean(weights), total / count, atol=1e-12)


def test_without_updates_the_mean_is_the_weights():
    weights = np.arange(3.0)
    average = WeightAverage()
    assert average.mean(weights).tolist() == [0, 1, 2]
    average.add(np.zeros(0, np.int64), np.zeros(0))
    assert average.mean(weights).tolist() == [0, 1, 2]


@pytest.mark.parametrize("stop", [1, 13, 39])
def test_a_saved_average_goes_on_bit_for_bit(stop):
    weights, whole, resumed = np.zeros(FEATURES), WeightAverage(), WeightAverage()
    for count, (features, change) in enumerate(updates(40)):
        weights[features] += change
        if count == stop:
            saved = resumed
            resumed = WeightAverage()
            load(resumed, save(saved), what="an average")
        for average in (whole, resumed):
            average.add(features, change)
    assert (whole.mean(weights) == resumed.mean(weights)).all()
