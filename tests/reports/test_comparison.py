"""Several runs in one page."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopefear import Segment
from hopefear.decoder import Weights
from hopefear.metrics import Bleu, Ter, paired_bootstrap
from hopefear.reports import RunChange, write_change, write_comparison, write_sentences
from hopefear.reports.comparison import differing_names

REFERENCES = [f"the {number} old houses of the town stand near the river" for number in range(20)]
GOOD = [text if number % 3 else text.replace("old", "new") for number, text in enumerate(REFERENCES)]
BAD = [text.replace("houses of", "house") for text in REFERENCES]
DATA = re.compile('<script type="application/octet-stream" id="comparison-data">(.*?)</script>')


def make_run(
    folder: Path,
    translations: list[str],
    references: list[str] = REFERENCES,
    metric: Any = None,
    *,
    C: float = 1.0,
    weights: dict[str, float] | None = None,
) -> Path:
    """Make the folder of a run of one pass with these translations."""
    folder.mkdir(parents=True)
    event = {"event": "pass", "metric": "BLEU", "pass_number": 1, "score": 30.0}
    (folder / "log.jsonl").write_text(json.dumps(event) + "\n")
    session = {"tuner": {"name": "Mira", "settings": {"C": C, "passes": 1}}}
    (folder / "run.json").write_text(json.dumps({"sessions": [session]}))
    Weights(weights or {"a": 1.0}).write(folder / "weights.final")
    metric = metric or Bleu()
    records = [
        {
            **{"id": number, "source": f"fuente {reference}", "references": [reference], "score": 0.0},
            **{"before": "", "after": text, "before_score": 0.0, "after_score": float(number)},
            "derivation": {
                **{"category": "S", "span": [0, 1], "source": "", "target": "", "text": text},
                **{"score": 0.0, "features": [], "children": []},
            },
            "statistics": [metric.stats(side, [reference]).tolist() for side in ("", text)],
        }
        for number, (text, reference) in enumerate(zip(translations, references, strict=True), 1)
    ]
    write_sentences(folder, records)
    corpus = [Segment("x", references=(reference,)) for reference in references]
    change = RunChange.of_records(records, corpus, metric, "tuning set")
    assert change is not None
    write_change(folder, change)
    return folder


def rows_of(page: str) -> list[list[str]]:
    table = page[page.index("<table>") :].partition("</table>")[0]
    lines = re.findall(r"<tr>(.*?)</tr>", table)
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line)]
        for line in lines
    ]


def test_one_table_with_a_paired_test(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name / "run", texts) for name, texts in (("one", GOOD), ("two", BAD))]
    page = write_comparison(runs, tmp_path / "both.html").read_text("utf-8")
    head, first, second = rows_of(page)
    assert head[4] == "against one/run"
    assert first[0].startswith("one/run") and second[0].startswith("two/run")
    good, bad = (
        np.array([Bleu().stats(*pair) for pair in zip(texts, ([one] for one in REFERENCES), strict=True)])
        for texts in (GOOD, BAD)
    )
    found = paired_bootstrap(good, bad, Bleu())
    assert second[2] == f"{found.system.value:.2f}"
    assert second[4].startswith(f"{found.delta.value:+.2f}".replace("-", "−"))
    assert second[5] == f"{found.p_value:.4f}"
    assert first[4:6] == ["", ""]
    assert "alert" not in page
    assert 'id="comparison-data"' in page
    assert page.count('<svg viewBox="0 0 720') == 1


def test_curves_of_batch_tuners_end_with_the_score_after_the_run(tmp_path: Path) -> None:
    """In the log, the score of a pass is that of the weights of the pass before."""
    runs = [make_run(tmp_path / name, texts) for name, texts in (("one", GOOD), ("two", BAD))]
    found = {"event": "pass", "metric": "BLEU", "pool_score": 50.0, "chosen": True}
    events = [{**found, "pass_number": number, "score": 30.0 + number} for number in (1, 2)]
    for run in runs:
        (run / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    page = write_comparison(runs, tmp_path / "both.html").read_text("utf-8")
    _, *rows = rows_of(page)
    for name, row in zip(("one", "two"), rows, strict=True):
        shown = re.findall(rf"<title>{name}: tuning set[^:]*: ([^<]+)</title>", page)
        assert shown == ["31", "32", f"{float(row[2]):g}"]


def test_what_the_runs_do_differently(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / name, GOOD) for name in ("one", "two")]
    for run, feature, digest in zip(runs, ("Arity", "SpanSize"), ("a", "b"), strict=True):
        session = json.loads((run / "run.json").read_text())["sessions"][0] | {
            "configuration": f"formalism=scfg\nfeature_function={feature}\nfeature_function=WordPenalty\n",
            "options": {"allow": ["A*", "B*"], **({"deny": ["C"]} if feature == "Arity" else {})},
            "files": {
                "source": [{"path": "es", "sha256": digest}],
                "trees": [{"path": "t", "sha256": "t"}],
            },
        }
        (run / "run.json").write_text(json.dumps({"sessions": [session]}))
    page = write_comparison(runs, tmp_path / "both.html").read_text("utf-8")
    begin = page.index("What the runs do differently")
    assert rows_of(page[begin:].replace('<div class="wide">', ""))[1:] == [
        ["--deny", "C", ""],
        ["--source", "es a", "es b"],
        ["cdec.ini", "feature_function=Arity", "feature_function=SpanSize"],
    ]


def test_what_cannot_be_compared_is_told(tmp_path: Path) -> None:
    runs = [
        make_run(tmp_path / "one", GOOD, C=0.5, weights={"a": 1.0, "b": 5.0}),
        make_run(tmp_path / "two", GOOD, [text + " ." for text in REFERENCES], weights={"a": -1.0, "c": 0.5}),
        make_run(tmp_path / "three", GOOD, metric=Ter()),
        make_run(tmp_path / "four", GOOD),
    ]
    (runs[3] / "change.json").unlink()
    page = write_comparison(runs, tmp_path / "all.html").read_text("utf-8")
    rows = rows_of(page)
    assert [row[4:6] for row in rows[2:]] == [["", ""]] * 3
    for text in ("Not compared with one: two, three, with other", "different metrics", "no tests: four."):
        assert text in page
    assert "Mira, C=0.5" in rows[1][0] and "passes" not in rows[1][0]
    weights = page[page.index("Weights that differ most") :]
    assert re.findall(r"<td>(\w)</td>", weights) == ["b", "a", "c"]


def test_runs_are_compared_on_the_sentences_that_all_have(tmp_path: Path) -> None:
    """A run of one pass translates fewer sentences for its report than one of three."""
    runs = [
        make_run(tmp_path / "all", GOOD),
        make_run(tmp_path / "early", BAD[:12], REFERENCES[:12]),
        make_run(tmp_path / "some", GOOD[2:5] + GOOD[7:20], REFERENCES[2:5] + REFERENCES[7:20]),
    ]
    page = write_comparison(runs, tmp_path / "all.html").read_text("utf-8")
    _, *rows = rows_of(page)
    shared = [*range(2, 5), *range(7, 12)]
    good, bad = (np.array([Bleu().stats(texts[i], [REFERENCES[i]]) for i in shared]) for texts in (GOOD, BAD))
    found = paired_bootstrap(good, bad, Bleu())
    assert [row[2] for row in rows] == [
        f"{each.value:.2f}" for each in (found.baseline, found.system, found.baseline)
    ]
    assert rows[1][4].startswith(f"{found.delta.value:+.2f}".replace("-", "−"))
    assert rows[1][5] == f"{found.p_value:.4f}" and rows[2][5] == "1.0000"
    assert "BLEU of the 8 sentences of the tuning set that all of these runs have." in page
    assert "1–2, 6–7, 13–20 of all; 1–2, 6–7 of early; 9–16 of some." in page
    assert "ot compared" not in page and "alert" not in page
    packed = DATA.search(page)
    assert packed is not None
    data = json.loads(zlib.decompress(b64decode(packed[1])))
    assert [row[0] for row in data["rows"]] == [number + 1 for number in shared]
    assert [row[4] for row in data["rows"]] == [[GOOD[i], BAD[i], GOOD[i]] for i in shared]


def test_repeated_sentences_are_common_as_often_as_both_have_them(tmp_path: Path) -> None:
    again = [REFERENCES[0]] * 3
    runs = [
        make_run(tmp_path / "one", again, again),
        make_run(tmp_path / "two", again[:2] + GOOD[1:3], again[:2] + REFERENCES[1:3]),
    ]
    page = write_comparison(runs, tmp_path / "all.html").read_text("utf-8")
    assert "the 2 sentences of the tuning set" in page
    assert "3 of one; 3–4 of two." in page


def test_sentences_stand_beside_those_of_runs_with_the_same_metric(tmp_path: Path) -> None:
    def shown(*metrics: Any) -> dict[str, Any] | None:
        runs = [
            make_run(tmp_path / str(len(metrics)) / f"{place}", GOOD, metric=metric)
            for place, metric in enumerate(metrics)
        ]
        found = DATA.search(write_comparison(runs, tmp_path / "all.html").read_text("utf-8"))
        return found and json.loads(zlib.decompress(b64decode(found[1])))

    assert shown(Bleu(), Ter()) is None
    data = shown(Ter(), Bleu(), Ter())
    assert data is not None
    assert (data["names"], data["metric"], data["lowerIsBetter"]) == (["0", "2"], "TER", True)


@pytest.mark.parametrize(
    ("folders", "names"),
    [
        (["/x/one", "/x/two"], ["one", "two"]),
        (["/x/run", "/y/run"], ["x/run", "y/run"]),
        (["/a/x/run", "/b/x/run", "/b/z"], ["a/x/run", "b/x/run", "b/z"]),
        (["/x/run", "/x/run"], ["run (1)", "run (2)"]),
    ],
)
def test_names_differ(folders: list[str], names: list[str]) -> None:
    assert differing_names([Path(folder) for folder in folders]) == names
