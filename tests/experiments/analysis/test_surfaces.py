from __future__ import annotations

import numpy as np
import pytest
from matplotlib import image
from support.small_pools import FOUND, WEIGHTS, make_pool, pool_of_found

from hopefear.base import InputError
from hopefear.experiments import Surface
from hopefear.experiments.analysis.surfaces import PlaneOfWeights, measure_surface
from hopefear.metrics import Bleu, Ter
from hopefear.reports import draw_surface


@pytest.mark.parametrize("metric", [Bleu(smoothing="add-one"), Ter()], ids=["BLEU", "TER"])
def test_the_grid_is_the_metric_of_the_best_candidates(metric):
    pool = pool_of_found(metric)
    grid = PlaneOfWeights(pool, ("f2", "f0"), 1.5).grid(9)
    assert grid.learned == (1.0, 0.5)
    assert (grid.x[4], grid.y[4]) == pytest.approx(grid.learned)
    assert grid.score == pool.corpus_score(pool.weights.array)
    for row, y in enumerate(grid.y):
        for column, x in enumerate(grid.x):
            total = np.zeros(metric.size)
            for segment, own in enumerate(FOUND):
                text = max(own, key=lambda one: y * one[1][0] + WEIGHTS["f1"] * one[1][1] + x * one[1][2])[0]
                total += pool.stats(segment, text)
            assert grid.scores[row, column] == pytest.approx(metric.score(total))


def test_the_width_does_not_depend_on_a_features_scale():
    pool = make_pool([[(t, [h[0], 1000 * h[1], h[2]]) for t, h in own] for own in FOUND])
    for name, value in WEIGHTS.items():
        pool.weights[name] = value / 1000 if name == "f1" else value
    plane = PlaneOfWeights(pool, ("f0", "f1"), 2.0)
    usual = PlaneOfWeights(pool_of_found(Bleu(smoothing="add-one")), ("f0", "f1"), 2.0)
    np.testing.assert_allclose(plane.axis(0, 5), usual.axis(0, 5))
    np.testing.assert_allclose(1000 * plane.axis(1, 5), usual.axis(1, 5))


def test_a_picture(tmp_path):
    path = tmp_path / "surface.png"
    below = draw_surface(
        path, measure_surface(Surface("S", ("f0", "f1"), "test", steps=5), pool_of_found(Ter()))
    )
    assert below.startswith("TER of the best candidates of test (3 sentences, 8 candidates)")
    assert image.imread(path).size and [one.name for one in tmp_path.iterdir()] == ["surface.png"]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="no candidate has the feature nonsense"):
        PlaneOfWeights(pool_of_found(Ter()), ("f0", "nonsense"), 1.0)
    same = make_pool([[(text, [1.0, *h[1:]]) for text, h in own] for own in FOUND])
    with pytest.raises(InputError, match="f0 is the same in all candidates of each sentence"):
        PlaneOfWeights(same, ("f0", "f1"), 1.0)
    with pytest.raises(InputError, match="got none in any segment"):
        PlaneOfWeights(make_pool([[], [], []]), ("f0", "f1"), 1.0)
