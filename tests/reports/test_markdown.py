from __future__ import annotations

import re

import pytest
from support.small_runs import BLEU, TER, make_marks, make_run, translations

from hopefear.experiments import ScoreTable
from hopefear.experiments.analysis.tables import make_table
from hopefear.reports.markdown import escaped, to_markdown

RUNS = [
    make_run(score + seed, tuner=tuner, system=system, seed=seed, tested_on=name)
    for tuner, system, score in (("MERT", "base", 9.0), ("MERT", "a|b", 20.0), ("MIRA", "base", 30.0))
    for seed in (0, 1)
    for name in ("dev", "test")
    if (tuner, name) != ("MIRA", "dev") and (system, seed) != ("a|b", 1)
]
TABLE = ScoreTable(
    "T",
    rows=("tuner", "system"),
    columns=("tested_on",),
    baseline={"tuner": "MERT", "system": "base"},
    extra=("features",),
    note="As in the paper.",
)


def data_of(table=TABLE, runs=RUNS):
    texts = {run.cell: translations(1 if run.tuner == "MIRA" else 3) for run in runs}
    return make_table(table, runs, make_marks(texts))


def cells_of(markdown):
    """What a reader of Markdown sees in the cells of the first table."""
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    return [[re.sub(r"\\(.)", r"\1", cell).strip() for cell in row] for row in rows]


def test_a_table_reads_well_as_it_is():
    table, key, note = to_markdown(data_of()).split("\n\n")
    assert table.splitlines() == [
        "| tuner | system | features | dev              | test                |",
        "| :---- | :----- | -------: | :--------------- | :------------------ |",
        "| MERT  | base   |       12 |  9.50 ± 0.71     |  9.50 ± 0.71        |",
        "|       | a\\|b   |       12 | 20.00        (1) | 20.00           (1) |",
        "| MIRA  | base   |       12 |     —            | 30.50 ± 0.71 ++     |",
    ]
    assert key.splitlines() == [
        "BLEU, mean ± standard deviation of 2 runs (seed); (n): of n runs only.",
        "Significantly better than MERT, base: + (p < 0.05) or ++ (p < 0.01); significantly worse: − or −−; "
        "approximate randomisation, adjusted for 2 comparisons by Holm's method.",
        "—: no run.",
    ]
    assert note == "As in the paper.\n"


def test_the_cells_come_back():
    data = data_of()
    head, _, *rows = cells_of(to_markdown(data))
    assert head == ["tuner", "system", "features", "dev", "test"]
    labels = ["", ""]
    for row, read in zip(data.rows, rows, strict=True):
        labels = [text or above for text, above in zip(read, labels, strict=False)]
        assert tuple(labels) == row.labels
        assert read[2:3] == list(row.extra)
        expected = [" ".join(filter(None, cell.parts)) if cell else "—" for cell in row.cells]
        assert [" ".join(text.split()) for text in read[3:]] == expected


def test_numbers_alone_stand_at_the_right():
    runs = [make_run(score, metric=metric) for metric, score in ((BLEU, 9.5), (TER, 110.25))]
    table = ScoreTable("T", rows=("tuner",), columns=("metric",))
    lines = to_markdown(data_of(table, runs)).splitlines()
    assert lines[:3] == [
        "| tuner | BLEU |    TER |",
        "| :---- | ---: | -----: |",
        "| MERT  | 9.50 | 110.25 |",
    ]
    nested = to_markdown(data_of(ScoreTable("T", rows=("tuner",), columns=("size", "metric")), runs))
    assert cells_of(nested)[0] == ["tuner", "size 500, BLEU", "size 500, TER"]


def test_no_runs():
    assert to_markdown(data_of(ScoreTable("T", ("tuner",), ()), [])) == "No runs yet.\n"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("BLEU|order:4", r"BLEU\|order:4"),
        ("p < 0.05", "p < 0.05"),
        ("<b> *x*", r"\<b> \*x\*"),
        ("a_b", "a_b"),
    ],
)
def test_text_is_taken_as_it_is(text, written):
    assert escaped(text) == written
