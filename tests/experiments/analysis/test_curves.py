from __future__ import annotations

import json

import numpy as np
import pytest
from matplotlib import image
from support.small_runs import BLEU, TER, make_run

from hopefear.base import InputError
from hopefear.experiments import Curve
from hopefear.experiments.analysis.curves import curve_panels, draw_curve

SIZES = [
    make_run(20 + np.log(size) + draw, metric, tuner=tuner, size=size, draw=draw, tested_on=name)
    for tuner in ("MERT", "SVM")
    for size in (50, 100, 500)
    for draw in (1, 2)
    for name in ("dev", "test")
    for metric in (BLEU, TER)
]


def write_log(folder, run, scores, more=None):
    place = folder / "cells" / run.cell
    place.mkdir(parents=True)
    records = [
        {"event": "pass", "pass_number": n, "metric": "BLEU", "score": score, **(more or {})}
        for n, score in enumerate(scores, 1)
    ]
    (place / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.parametrize(
    ("where", "panels"),
    [({}, 4), ({"tested_on": ("test",)}, 2), ({"tested_on": ("test",), "metric": ("BLEU",)}, 1)],
)
def test_a_panel_for_each_test_set_and_metric(tmp_path, where, panels):
    path = tmp_path / "curve.png"
    below = draw_curve(path, Curve("C", ("tuner",), "size", where), SIZES, tmp_path)
    assert below == "Mean of runs (draw), the band one standard deviation to either side."
    height, width, _ = image.imread(path).shape
    assert (width > 1300) == (panels > 1) and (height > 1000) == (panels > 2)
    first = path.read_bytes()
    draw_curve(path, Curve("C", ("tuner",), "size", where), SIZES, tmp_path)
    assert path.read_bytes() == first
    assert [one.name for one in tmp_path.iterdir()] == ["curve.png"]


def test_other_values_over_sizes(tmp_path):
    path = tmp_path / "curve.png"
    draw_curve(path, Curve("C", ("tuner",), "size", value="seconds"), SIZES, tmp_path)
    assert image.imread(path).shape[1] < 1300


def test_one_run_a_point(tmp_path):
    runs = [run for run in SIZES if run.draw == 1]
    assert (
        draw_curve(tmp_path / "c.png", Curve("C", ("tuner",), "size"), runs, tmp_path) == "One run a point."
    )


def test_nothing_to_draw(tmp_path):
    curve = Curve("C", ("tuner",), "size", {"tuner": ("HOLS",)})
    assert draw_curve(tmp_path / "c.png", curve, SIZES, tmp_path) is None
    untuned = [make_run(tuner="untuned", passes=0)]
    assert draw_curve(tmp_path / "c.png", Curve("C", ("tuner",), "pass"), untuned, tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_passes_come_from_the_logs(tmp_path):
    runs = [make_run(tuner=tuner, seed=seed) for tuner in ("MERT", "MIRA") for seed in (0, 1)]
    for run in runs:
        write_log(tmp_path, run, [20.0, 25.0, 26.0 + run.seed][: 3 - run.seed])
    below = draw_curve(tmp_path / "c.png", Curve("C", ("tuner",), "pass"), runs, tmp_path)
    assert below == (
        "Mean of runs (seed), the band one standard deviation to either side. "
        "A line ends where the first of its runs does."
    )
    assert image.imread(tmp_path / "c.png").size


def test_a_picture_over_passes_has_intervals_and_only_lines_that_are_there(tmp_path):
    runs = [make_run(tuner="MIRA"), make_run(tuner="Pro"), make_run(tuner="untuned", passes=0)]
    for run, more in zip(runs, ({"score_interval": [19, 22]}, {"pool_score": 23.0}), strict=False):
        write_log(tmp_path, run, [20.0, 21.0], more)
    curve = Curve("C", ("tuner",), "pass")
    below = draw_curve(tmp_path / "c.png", curve, runs, tmp_path)
    assert below == "One run a point, the band its 95 % bootstrap interval."
    (panel,) = curve_panels(curve, runs, tmp_path)
    mira, pro = panel.lines
    assert (mira.name, mira.points) == ("MIRA", {1: [20.0], 2: [21.0]})
    assert mira.intervals == {1: (19, 22), 2: (19, 22)}
    assert (pro.name, pro.points, pro.intervals) == ("Pro", {0: [20.0], 1: [21.0]}, {})


def test_another_value_over_passes_stands_at_their_ends(tmp_path):
    run, curve = make_run(tuner="Pro"), Curve("C", ("tuner",), "pass", value="seconds")
    write_log(tmp_path, run, [20.0, 21.0], {"pool_score": 23.0, "seconds": 1.5, "score_interval": [19, 22]})
    assert draw_curve(tmp_path / "c.png", curve, [run], tmp_path) == "One run a point."
    ((line,),) = (panel.lines for panel in curve_panels(curve, [run], tmp_path))
    assert (line.points, line.intervals) == ({1: [1.5], 2: [1.5]}, {})
    other = make_run(tuner="MERT")
    write_log(tmp_path, other, [20.0])
    with pytest.raises(InputError, match=r"log.jsonl:1: expected a pass with metric and seconds: 'seconds'"):
        draw_curve(tmp_path / "c.png", curve, [other], tmp_path)


def test_a_wrong_log_is_refused(tmp_path):
    run = make_run()
    curve = Curve("C", ("tuner",), "pass")
    with pytest.raises(InputError, match=r"log.jsonl: expected the log of a tuning run"):
        draw_curve(tmp_path / "c.png", curve, [run], tmp_path)
    write_log(tmp_path, run, [20.0])
    with (tmp_path / "cells" / run.cell / "log.jsonl").open("a") as log:
        log.write('{"event": "pass", "metric": "BLEU"}\n')
    with pytest.raises(InputError, match=r"log.jsonl:2: expected a pass with metric and score: 'score'"):
        draw_curve(tmp_path / "c.png", curve, [run], tmp_path)
