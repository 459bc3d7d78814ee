from __future__ import annotations

from pathlib import Path

from hopefear.experiments import CorpusTable, SentenceSet
from hopefear.experiments.analysis.corpora import corpus_table
from hopefear.reports.experiment_page import table_html
from hopefear.reports.markdown import to_markdown


def some_set(folder: Path, name: str, **options: object) -> SentenceSet:
    references = tuple(folder / f"{name}.{k}" for k in range(2))
    return SentenceSet(name, folder / name, folder / "cdec.ini", references, **options)


def test_sentences_and_words(tmp_path):
    (tmp_path / "dev").write_text("a b c\nd e\nf\n")
    (tmp_path / "dev.0").write_text("A B\nC\nD E F\n")
    (tmp_path / "dev.1").write_text("A\nB\nC\n")
    sets = {
        "dev": some_set(tmp_path, "dev"),
        "begin": some_set(tmp_path, "dev", lines=(0, 2)),
        "gone": some_set(tmp_path, "gone"),
    }
    made = corpus_table(CorpusTable("Table 1", ("dev", "begin", "gone"), "A note."), sets)
    assert [(row.labels, row.extra) for row in made.rows] == [
        (("dev",), ("3", "6", "2.00", "2", "9", "1.50")),
        (("begin",), ("2", "5", "2.50", "2", "5", "1.25")),
        (("gone",), ("—",) * 6),
    ]
    (problem,) = made.key
    assert problem.startswith("gone: ") and "gone: cannot be read" in problem
    lines = to_markdown(made).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    names = ["set", "sentences", "source words", "average", "references", "reference words", "average"]
    assert cells[0] == names
    assert cells[2] == ["dev", "3", "6", "2.00", "2", "9", "1.50"]
    assert lines[-1] == "A note."
    html = table_html(made)
    assert html.count("<tr>") == 4 and '<td class="extra">2.50</td>' in html
