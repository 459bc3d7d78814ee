from __future__ import annotations

import math
from dataclasses import replace

import pytest
from support.small_runs import BLEU, REFERENCES, TER, make_marks, make_run, translations

from hopefear.base import InputError
from hopefear.experiments import ScoreTable
from hopefear.experiments.analysis.tables import make_table, shown_number
from hopefear.metrics import Bleu, over_runs

TUNERS = {"rows": ("tuner",), "columns": ("tested_on",)}


def table_of(runs, texts=None, **settings):
    wanted = ScoreTable("A table", **{**TUNERS, **settings})
    default = {run.cell: translations(2) for run in runs}
    return make_table(wanted, runs, make_marks(default | (texts or {})))


def shown(data):
    return [[*row.labels, *row.extra, *(cell and cell.parts for cell in row.cells)] for row in data.rows]


def test_mean_and_standard_deviation_over_runs():
    runs = [make_run(score, seed=seed) for seed, score in enumerate((30.0, 31.0, 35.0))]
    data = table_of(runs)
    (cell,) = data.rows[0].cells
    assert cell.mean == 32.0
    assert cell.deviation == pytest.approx(math.sqrt((4 + 1 + 9) / 2))
    assert cell.values == (30.0, 31.0, 35.0)
    assert shown(data) == [["MERT", ("32.00", "± 2.65", "", "")]]
    assert data.key == ("BLEU, mean ± standard deviation of 3 runs (seed).",)


def test_one_run_has_no_deviation():
    data = table_of([make_run(30.126)])
    assert shown(data) == [["MERT", ("30.13", "", "", "")]]
    assert data.rows[0].cells[0].deviation is None
    assert data.key == ("BLEU of one run each.",)


def test_runs_differ_by_draw_and_set_too():
    runs = [make_run(30.0, draw=1), make_run(32.0, draw=2), make_run(31.0, draw=2, tuned_on="other")]
    assert table_of(runs).key == ("BLEU, mean ± standard deviation of 3 runs (tuned on, draw).",)


def test_cells_without_or_with_fewer_runs():
    runs = [make_run(30.0 + seed, tuner=t, seed=seed) for t in ("MERT", "MIRA") for seed in (0, 1)]
    runs += [make_run(20.0, tested_on="other"), make_run(40.0, tuner="PRO")]
    data = table_of(runs)
    assert data.columns == (("test",), ("other",))
    assert shown(data) == [
        ["MERT", ("30.50", "± 0.71", "", ""), ("20.00", "", "", "(1)")],
        ["MIRA", ("30.50", "± 0.71", "", ""), None],
        ["PRO", ("40.00", "", "", "(1)"), None],
    ]
    assert data.key == (
        "BLEU, mean ± standard deviation of 2 runs (seed); (n): of n runs only.",
        "—: no run.",
    )


def test_where_selects_and_orders_and_names_what_is_missing():
    runs = [make_run(tuner=tuner, size=size) for tuner in ("MERT", "MIRA", "PRO") for size in (500, 50)]
    data = table_of(runs, columns=("size",), where={"tuner": ("PRO", "HOLS", "MERT")})
    assert [row.labels for row in data.rows] == [("PRO",), ("MERT",)]
    assert data.columns == (("size 50",), ("size 500",))
    assert data.key[-1] == "No run yet: tuner HOLS."


def test_a_baseline_that_no_run_has_is_named():
    runs = [make_run(tuner=tuner) for tuner in ("MIRA", "PRO")]
    data = table_of(runs, baseline={"tuner": "MERT"})
    assert data.key[-1] == "No run yet: tuner MERT."


def test_nothing_at_all():
    data = table_of([], where={"tuner": ("MERT",)}, baseline={"tuner": "MERT"})
    assert data.rows == () and data.key == ("No run yet: tuner MERT.",)


def test_marks_against_the_baseline():
    runs = [make_run(tuner=t, seed=s) for t in ("MERT", "MIRA", "PRO", "SGD") for s in (0, 1)]
    quality = {"MERT": 3, "MIRA": 1, "PRO": 3, "SGD": 5}
    texts = {run.cell: translations(quality[run.tuner]) for run in runs}
    data = table_of(runs, texts, baseline={"tuner": "MERT"})
    assert [row.cells[0].mark for row in data.rows] == ["", "++", "", "−−"]
    assert data.rows[0].cells[0].significance is None
    assert data.rows[2].cells[0].significance.p_value == 1.0
    assert data.key[-1] == (
        "Significantly better than MERT: + (p < 0.05) or ++ (p < 0.01); significantly worse: − or −−; "
        "approximate randomisation, adjusted for 3 comparisons by Holm's method."
    )


def test_a_baseline_of_two_columns_and_one_among_the_columns():
    runs = [
        make_run(tuner=tuner, system=system) for tuner in ("MERT", "MIRA") for system in ("base", "syntax")
    ]
    texts = {run.cell: translations(1 if run.tuner == "MIRA" else 4) for run in runs}
    data = table_of(runs, texts, rows=("tuner", "system"), baseline={"tuner": "MERT", "system": "base"})
    assert [row.cells[0].mark for row in data.rows] == ["", "", "++", "++"]
    assert data.key[-1].startswith("Significantly better than MERT, base: ")
    assert data.key[-1].endswith("; approximate randomisation, adjusted for 3 comparisons by Holm's method.")
    across = table_of(runs, texts, rows=("system",), columns=("tuner",), baseline={"tuner": "MERT"})
    assert [[cell.mark for cell in row.cells] for row in across.rows] == [["", "++"], ["", "++"]]


def test_metrics_and_test_sets_are_never_averaged():
    runs = [
        make_run(score, metric=metric, seed=seed, tested_on=name)
        for seed in (0, 1)
        for name in ("dev", "test")
        for metric, score in ((TER, 50.0 + seed), (BLEU, 30.0 + seed))
    ]
    data = table_of(runs, columns=())
    assert data.columns == (("dev", "TER"), ("dev", "BLEU"), ("test", "TER"), ("test", "BLEU"))
    assert [cell.mean for cell in data.rows[0].cells] == [50.5, 30.5, 50.5, 30.5]
    assert data.key == ("TER and BLEU, mean ± standard deviation of 2 runs (seed).", "TER: lower is better.")


def test_lower_is_better():
    runs = [make_run(60.0, metric=TER), make_run(20.0, metric=TER, tuner="MIRA")]
    texts = {runs[0].cell: translations(5), runs[1].cell: translations(1)}
    data = table_of(runs, texts, baseline={"tuner": "MERT"})
    assert [row.cells[0].mark for row in data.rows] == ["", "++"]
    assert "TER: lower is better." in data.key


def test_other_values_are_of_tuning_runs_not_of_test_sets():
    runs = [
        make_run(seed=seed, tested_on=name, metric=metric, seconds=seconds, features=features)
        for seed, seconds, features in ((0, 10.0, 1200), (1, 20.0, 1301))
        for name in ("dev", "test")
        for metric in (TER, BLEU)
    ]
    data = table_of(runs, columns=(), value="seconds", extra=("features", "passes", "size"))
    assert (data.columns, data.extra_names) == ((("CPU seconds",),), ("features", "passes", "size"))
    assert shown(data) == [["MERT", "1,250.50", "5", "500", ("15.00", "± 7.07", "", "")]]
    assert data.key == ("CPU seconds, mean ± standard deviation of 2 runs (seed).",)


def test_differences_from_the_baseline():
    runs = [make_run(30.0, seed=0), make_run(31.0, seed=1), make_run(29.5, tested_on="dev")]
    runs += [make_run(31.0, tuner="MIRA", seed=0), make_run(32.0, tuner="MIRA", seed=1)]
    runs += [make_run(29.0, tuner="PRO"), make_run(29.0, tuner="PRO", tested_on="other")]
    data = table_of(runs, value="difference", baseline={"tuner": "MERT"})
    assert [[cell and cell.parts[:2] for cell in row.cells] for row in data.rows] == [
        [("30.50", "± 0.71"), ("29.50", ""), None],
        [("+1.00", "± 0.00"), None, None],
        [("−1.50", ""), None, None],
    ]
    assert "Differences from MERT, whose own score is shown; ± of paired runs' differences." in data.key


def test_the_deviation_of_differences_is_that_of_paired_runs():
    scores = {"MERT": (30.0, 32.0, 34.0), "MIRA": (31.5, 32.0, 35.0), "PRO": (31.0, 33.0)}
    runs = [make_run(score, tuner=t, seed=s) for t, each in scores.items() for s, score in enumerate(each)]
    data = table_of(runs, value="difference", baseline={"tuner": "MERT"})
    mira, pro = data.rows[1].cells[0], data.rows[2].cells[0]
    assert mira.values == (1.5, 0.0, 1.0)
    assert mira.mean == pytest.approx(5 / 6)
    assert mira.deviation == pytest.approx(math.sqrt(7 / 12))
    assert pro.parts[:2] == ("0.00", "")  # one run has no partner
    alone = [run for run in runs if run.tuner != "MERT" or run.seed == 0]
    data = table_of(alone, value="difference", baseline={"tuner": "MERT"})
    assert data.rows[1].cells[0].deviation == pytest.approx(math.sqrt(43 / 12))  # of 1.5, 2 and 5


def test_comparisons_on_the_sentences_learned_from_are_not_counted():
    runs = [make_run(tuner=t, tested_on=name) for t in ("MERT", "MIRA", "PRO") for name in ("dev", "test")]
    texts = {run.cell: translations({"MERT": 3, "MIRA": 1, "PRO": 2}[run.tuner]) for run in runs}
    data = table_of(runs, texts, baseline={"tuner": "MERT"})
    alone = table_of([run for run in runs if run.tested_on == "test"], texts, baseline={"tuner": "MERT"})
    both = [row.cells[[*data.columns].index(("test",))].significance for row in data.rows]
    assert both == [row.cells[0].significance for row in alone.rows]
    assert data.key[-1].endswith("approximate randomisation, adjusted for 2 comparisons by Holm's method.")


def test_a_baseline_that_cannot_be_found_is_refused():
    with pytest.raises(InputError, match=r"'A table': expected a baseline among its rows and columns .*seed"):
        table_of([make_run()], baseline={"seed": 0})
    with pytest.raises(InputError, match="expected the baseline of its differences, got none"):
        table_of([make_run()], value="difference")


@pytest.mark.parametrize(
    ("value", "column", "signed", "text"),
    [
        (1234.5678, "score", False, "1,234.57"),
        (-0.001, "score", False, "0.00"),
        (-1.5, "score", True, "−1.50"),
        (0.4, "score", True, "+0.40"),
        (0.001, "score", True, "0.00"),
        (12.0, "features", False, "12"),
        (12.5, "features", False, "12.50"),
        (12.0, "seconds", False, "12.00"),
    ],
)
def test_numbers(value, column, signed, text):
    assert shown_number(value, column, signed=signed) == text


def test_a_row_of_all_tuners_has_the_interval_of_paired_differences():
    gains = {"MERT": 2.0, "MIRA": 3.0, "PRO": 2.5}
    runs = [
        make_run(score + (system == "syntax") * gains[tuner], tuner=tuner, system=system)
        for tuner, score in (("MERT", 20.0), ("MIRA", 30.0), ("PRO", 25.0))
        for system in ("base", "syntax")
    ]
    quality = {"MERT": 5, "MIRA": 3, "PRO": 4}
    texts = {run.cell: translations(quality[run.tuner] - (run.system == "syntax")) for run in runs}
    settings = {"rows": ("tuner", "system"), "baseline": {"system": "base"}}
    data = table_of(runs, texts, **settings, pooled="tuner")
    plain = table_of(runs, texts, **settings)
    assert shown(data)[:6] == shown(plain)
    base, syntax = data.rows[6:]
    assert (base.labels, syntax.labels) == (("all tuners", "base"), ("all tuners", "syntax"))
    assert [row.cells[0].mean for row in (base, syntax)] == [25.0, 27.5]
    found = syntax.cells[0].significance.over_runs
    statistics = make_marks(texts).statistics
    sides = [[statistics(run) for run in runs if run.system == system] for system in ("base", "syntax")]
    assert found == over_runs(*sides, Bleu(), paired=True)
    assert base.cells[0].parts[1] == ""
    assert syntax.cells[0].parts[1] == f"[{found.delta.lower:+.2f}, {found.delta.upper:+.2f}]"
    assert "In square brackets: 95 % interval of the paired difference from base." in data.key
    differences = table_of(runs, texts, **settings, pooled="tuner", value="difference")
    assert differences.rows[-1].cells[0].parts[0] == "+2.50"


def test_only_a_row_without_baseline_is_pooled():
    with pytest.raises(ValueError, match="pooled: tuner: unknown"):
        ScoreTable("T", rows=("tuner",), baseline={"tuner": "MERT"}, pooled="tuner")


def test_parts_of_a_test_set_are_columns_of_their_own():
    runs = [make_run(tuner="MERT"), make_run(tuner="MIRA"), make_run(tuner="MIRA", tested_on="other")]
    better = [*translations(2)[:10], *translations(0)[10:]]
    data = table_of(
        runs,
        {runs[0].cell: translations(2), runs[1].cell: better},
        where={"tested_on": ("test",)},
        sentences=((0, 10), (10, 60), (60, 70)),
        baseline={"tuner": "MERT"},
    )
    assert data.columns == (("1–10",), ("11–40",))
    whole = BLEU.corpus_stats(translations(2), REFERENCES)
    first, last = (float(BLEU.score(rows.sum(axis=0))) for rows in (whole[:10], whole[10:]))
    assert [[cell.values for cell in row.cells] for row in data.rows] == [
        [(first,), (last,)],
        [(first,), (100.0,)],
    ]
    assert [cell and cell.mark for cell in data.rows[1].cells] == ["", "++"]
    assert not any("No run yet" in line for line in data.key)


def test_parts_follow_the_orders_of_the_sessions():
    sessions = [make_run(seed=seed) for seed in (0, 1)]
    still = make_run(tuner="MIRA")
    texts = [*translations(2)[:20], *translations(0)[20:]]
    orders = {sessions[0]: range(40), sessions[1]: range(39, -1, -1)}
    marks = replace(make_marks({run.cell: texts for run in (*sessions, still)}), order=orders.get)
    table = ScoreTable("A table", **TUNERS, sentences=((0, 20), (20, 40)), baseline={"tuner": "MERT"})
    data = make_table(table, [*sessions, still], marks)
    low = float(BLEU.score(BLEU.corpus_stats(texts, REFERENCES)[:20].sum(axis=0)))
    assert data.columns == (("1–20",), ("21–40",))
    assert [[cell.values for cell in row.cells] for row in data.rows] == [[(low, 100.0), (100.0, low)]] * 2
    assert "BLEU, mean ± standard deviation of 2 runs (seed)." in data.key


def test_a_part_has_sentences():
    with pytest.raises(
        ValueError, match=r"sentences\[0\]: expected \[first, end\], first below end, got \[5, 5\]"
    ):
        ScoreTable("T", rows=("tuner",), sentences=((5, 5),))
