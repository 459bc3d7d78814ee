"""What pictures of learning show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from matplotlib import image

from hopefear.metrics import Resampled
from hopefear.reports import HELD_OUT, TUNING, RunChange, plot_learning, score_chart
from hopefear.tuners.contract import Chosen, LearningCurves, LearningLog, LearningPoint, Series


def lines(*events: dict[str, object]) -> list[str]:
    return [json.dumps(event) for event in events]


def update(number: int, pass_number: int, score: float) -> dict[str, object]:
    return {"event": "update", "update": number, "pass_number": pass_number, "pseudo_score": score}


def finished(number: int, score: float, **more: object) -> dict[str, object]:
    return {"event": "pass", "pass_number": number, "metric": "BLEU", "score": score, **more}


ONLINE = lines(
    update(1, 1, 10),
    update(2, 1, 20),
    finished(1, 15, score_interval=[12, 18], development_score=14, development_interval=[9, 19], chosen=True),
    update(3, 2, 99),
    update(3, 2, 30),  # done again after --resume
    update(4, 2, 40),
    finished(
        2, 35, score_interval=[30, 40], development_score=13, development_interval=[8, 18], chosen=False
    ),
)


def test_an_online_tuner() -> None:
    log = LearningLog(ONLINE)
    assert not log.damaged
    assert log.curves() == LearningCurves(
        title="BLEU while tuning",
        metric="BLEU",
        x_name="passes done",
        series=[
            Series(
                "tuning set, translated while learning",
                [LearningPoint(1, 15, (12, 18)), LearningPoint(2, 35, (30, 40))],
            ),
            Series("held-out set", [LearningPoint(1, 14, (9, 19)), LearningPoint(2, 13, (8, 18))]),
        ],
        behind=Series(
            "pseudo-document after each update",
            [LearningPoint(0.5, 10), LearningPoint(1, 20), LearningPoint(1.5, 30), LearningPoint(2, 40)],
        ),
        chosen=Chosen("chosen weights: pass 1", 1),
    )


def test_a_batch_tuner_translates_before_it_learns() -> None:
    log = LearningLog(
        lines(
            finished(1, 20, pool_score=25, development_score=None, score_interval=[18, 22], chosen=True),
            finished(2, 24, pool_score=26, development_score=None, score_interval=[21, 27], chosen=True),
        )
    )
    curves = log.curves()
    assert curves.series == [
        Series("tuning set", [LearningPoint(0, 20, (18, 22)), LearningPoint(1, 24, (21, 27))])
    ]
    assert curves.behind is not None and curves.behind.points == [LearningPoint(1, 25), LearningPoint(2, 26)]
    assert curves.chosen == Chosen("chosen weights: pass 2", 2)


def test_hols_searches_on_a_fold_then_on_the_tuning_set() -> None:
    def record(number: int, score: float, after: float, *, held_out: bool) -> dict[str, object]:
        scores = {"search_score": after, "search_interval": [after - 1, after + 1], "pool_score": 60}
        return finished(number, score, **scores, held_out=held_out, development_score=None, chosen=True)

    log = [
        record(1, 20, 25, held_out=True),
        record(2, 25, 26, held_out=True),
        record(3, 30, 33, held_out=False),
    ]
    curves = LearningLog(lines(*log)).curves()
    assert curves.x_name == "updates done" and curves.behind is None
    assert [(one.name, [point[:2] for point in one.points]) for one in curves.series] == [
        ("held-out fold, on which line searches ran", [(0, 20), (1, 25), (2, 26)]),
        ("tuning set, on which the last line search ran", [(2, 30), (3, 33)]),
    ]
    assert curves.series[0].points[1].interval == (24, 26)
    assert curves.chosen == Chosen("chosen weights: update 3", 3)


def test_a_log_of_before_there_were_intervals() -> None:
    log = LearningLog(lines(finished(1, 20, development_score=None)))
    curves = log.curves()
    assert not log.damaged and curves.chosen is None
    assert curves.series == [Series("tuning set, translated while learning", [LearningPoint(1, 20)])]


@pytest.mark.parametrize(
    "bad",
    [
        *('{"event": "pass", "pass_nu', "[]", "7", "", '{"event": "pass"}', '{"event": "update"}'),
        *lines(finished(2, 1, score_interval=[1]), finished(2, 1, development_score="much")),
        *lines(finished(10**30, 1), finished(1.5, 1), finished(2, 1e101), finished(2, float("nan"))),
    ],
)
def test_damaged_lines_are_left_out_and_named(bad: str) -> None:
    log = LearningLog([*ONLINE[:3], bad, *ONLINE[3:]])
    assert list(log.damaged) == [4]
    assert log.curves() == LearningLog(ONLINE).curves()


@pytest.mark.parametrize("log", [ONLINE, ONLINE[:3], lines(finished(1, 20)), []])
def test_everything_has_a_picture(tmp_path: Path, log: list[str]) -> None:
    path = tmp_path / "learning.png"
    plot_learning(path, LearningLog(log).curves())
    assert image.imread(path).size
    assert [file.name for file in tmp_path.iterdir()] == ["learning.png"]


@pytest.mark.parametrize(
    ("events", "corpus", "after", "shown"),
    [
        (
            [finished(1, 30, pool_score=40, chosen=True), finished(2, 38, pool_score=45, chosen=True)],
            *(TUNING, 42, ["30", "38", "42"]),
        ),
        (
            [finished(1, 15, development_score=35), finished(2, 20, development_score=33)],
            *(HELD_OUT, 33, ["30", "35", "33"]),
        ),
    ],
)
def test_a_chart_has_the_scores_of_before_and_after_once(
    events: list[dict[str, object]], corpus: str, after: float, shown: list[str]
) -> None:
    """Batch tuners translate before they learn, the held-out set is translated after each pass."""
    scores = (Resampled(value, (value, value)) for value in (30, after))
    change = RunChange(
        corpus, 3, 3, "", "BLEU", "BLEU|", True, *scores, lengths=[], words=[], won=[], lost=[]
    )
    chart = score_chart(LearningLog(lines(*events)).curves(), change)
    assert re.findall(rf"<title>{corpus}[^:]*: ([^<]+)</title>", chart) == shown
