from __future__ import annotations

from html.parser import HTMLParser

from support.small_runs import BLEU, TER, make_marks, make_run, translations

from hopefear.experiments import ScoreTable
from hopefear.experiments.analysis.tables import make_table
from hopefear.reports.experiment_page import experiment_page, table_html

EMPTY = {"meta", "img", "br"}


class Reader(HTMLParser):
    """Reads a page, and insists that what opens is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[tuple[str, dict[str, str], str]]] = []
        self.text = ""
        self.feed(str(text))
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag not in EMPTY:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append((tag, dict(attributes), ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if "tr" in self.open and ("td" in self.open or "th" in self.open):
            tag, attributes, text = self.rows[-1][-1]
            self.rows[-1][-1] = tag, attributes, text + data


RUNS = [
    make_run(score + seed, metric, tuner=tuner, system=system, seed=seed)
    for tuner, system, score in (("MERT", "base", 20.0), ("MERT", "<all>", 20.5), ("MIRA", "base", 30.0))
    for seed in (0, 1)
    for metric in (BLEU, TER)
    if (tuner, metric) != ("MIRA", TER)
]


def read_table(**settings):
    table = ScoreTable(
        "A & B", ("tuner", "system"), ("tested_on", "metric"), note="1 < 2\n\nTwo.", **settings
    )
    texts = {run.cell: translations(1 if run.tuner == "MIRA" else 3) for run in RUNS}
    return Reader(table_html(make_table(table, RUNS, make_marks(texts))))


def test_labels_span_what_they_stand_for():
    found = read_table(extra=("features",))
    head, below, *rows = found.rows
    assert [(a.get("rowspan"), a.get("colspan"), text) for _, a, text in head] == [
        ("2", None, "tuner"),
        ("2", None, "system"),
        ("2", None, "features"),
        (None, "2", "test"),
    ]
    assert [text for _, _, text in below] == ["BLEU", "TER"]
    assert [[(a.get("rowspan"), text) for tag, a, text in row if tag == "th"] for row in rows] == [
        [("2", "MERT"), (None, "base")],
        [(None, "<all>")],
        [(None, "MIRA"), (None, "base")],
    ]


def test_cells_say_more_when_pointed_at():
    found = read_table(baseline={"tuner": "MERT", "system": "base"})
    cells = [[(text, a.get("title")) for tag, a, text in row if tag == "td"] for row in found.rows[2:]]
    assert cells[0][0] == ("20.50 ± 0.71", "20.00, 21.00")
    assert cells[1][0] == ("21.00 ± 0.71", "20.50, 21.50; p = 1.0000")
    assert cells[2][0] == ("30.50 ± 0.71 ++", "30.00, 31.00; p = 0.0003")
    assert cells[2][1] == ("—", None)
    assert "A & B" in found.text and "1 < 2" in found.text and "TER: lower is better." in found.text


def test_a_page_needs_nothing_else():
    rest = dict.fromkeys(("failures", "runs", "pictures", "missing", "dialog"), "")
    facts = [("seeds", ["0"])]
    text = experiment_page("A & B", [], about="One <two>.\n\nThree.", facts=facts, **rest)
    assert "One <two>." in Reader(text).text
    assert "http" not in text and "src=" not in text and "<link" not in text
