from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from matplotlib import image
from support.small_pools import FOUND, WEIGHTS, make_pool, pool_of_found

from hopefear.base import InputError
from hopefear.experiments import Slices
from hopefear.experiments.analysis.slices import cut, measure_slices
from hopefear.metrics import Bleu, Ter
from hopefear.reports import draw_slices
from hopefear.tuners.pool import oracle_configuration


@pytest.mark.parametrize("metric", [Bleu(smoothing="add-one"), Ter()], ids=["BLEU", "TER"])
def test_the_metric_and_the_objective_of_equation_7(metric):
    pool = pool_of_found(metric)
    slices = Slices("S", ("f2",), "test", lam=(0.5, 2.0), Q=30.0, steps=11, width=1.5)
    found = cut(pool, "f2", slices)
    weights = np.array([*WEIGHTS.values()])
    reach = 1.5 * np.linalg.norm(weights)
    np.testing.assert_allclose(found.weights, np.linspace(1 - reach, 1 + reach, 11))
    oracle = oracle_configuration(pool, pool.scores(weights)).tolist()
    h = [np.array(vector) for own in FOUND for _, vector in own]
    top = pool.metric.score(pool.statistics[oracle].sum(axis=0))
    for i, weight in enumerate(found.weights):
        w = np.array([0.5, -0.25, weight])
        begins = (0, 3, 6, 8)
        best = [max(range(b, e), key=lambda j: h[j] @ w) for b, e in pairwise(begins)]
        score = pool.metric.score(pool.statistics[best].sum(axis=0))
        assert found.scores[i] == pytest.approx(score)
        loss = 30 / 100 * abs(top - score)  # BLEU is lower, TER is higher than the oracle's
        margin = np.mean([(h[star] - h[j]) @ w for star, j in zip(oracle, best, strict=True)])
        for lam, values in found.objectives:
            assert values[i] == pytest.approx(lam / 2 * w @ w + max(0.0, loss - margin))
    assert [lam for lam, _ in found.objectives] == [0.5, 2.0]


def test_a_picture_of_the_objective(tmp_path):
    slices = Slices("S", ("f0",), "test", lam=(1.0, 100.0), steps=9)
    below = draw_slices(
        tmp_path / "one.png", measure_slices(slices, pool_of_found(Bleu(smoothing="add-one")))
    )
    assert below.startswith("BLEU of the best candidates of test (3 sentences, 8 candidates)")
    assert "1-slack" in below and image.imread(tmp_path / "one.png").size


def test_frequent_and_rare_features(tmp_path):
    """They are in three lists, in two, and in one: two of the three are drawn, and the last again."""
    pool = make_pool([[("a", [1.0, 1, 1])], [("b", [1.0, 1, 0])], [("d", [1.0, 0, 0])]])
    pool.weights["f0"] = 1.0
    drawn = Slices("S", ("f*",), "test", frequent=2, rare=1, steps=3)
    below = draw_slices(tmp_path / "two.png", measure_slices(drawn, pool))
    assert "the list of one sentence: a f1, b f2." in below and "1-slack" not in below
    with pytest.raises(InputError, match=r"expected 2 rare features f\* in the lists, got 1"):
        measure_slices(Slices("S", ("f*",), "test", rare=2), pool)
    with pytest.raises(InputError, match=r"expected 1 frequent features R:\* in the lists, got 0"):
        measure_slices(Slices("S", ("R:*",), "test", frequent=1), pool)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="no candidate has the feature nonsense"):
        cut(pool_of_found(Ter()), "nonsense", Slices("S", ("nonsense",), "test"))
    with pytest.raises(InputError, match="got none in any segment"):
        measure_slices(Slices("S", ("f0",), "test"), make_pool([[], [], []]))
