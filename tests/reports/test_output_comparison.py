"""Two outputs of a set on one page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.small_sample import small_sample

from hopefear import Decoder, Segment
from hopefear.base.progress import ProgressBar
from hopefear.metrics import Chrf, Metric, Wer, paired_bootstrap
from hopefear.reports import Output, OutputComparison, compare_outputs, translated_output

REFERENCES = [["the red house"], ["the end"], ["one two"]]


def leaf(rule: tuple[str, str], **values: float) -> dict[str, Any]:
    """Return a derivation of one rule, whose features have these values."""
    features = [{"feature": name, "value": value} for name, value in values.items()]
    words = [[[0, 1], rule[0]]]
    node = {"category": "X", "span": [0, 1], "source": rule[0], "target": rule[1], "text": rule[1]}
    return node | {"score": 0.0, "features": features, "children": [], "words": words, "items": [rule[1]]}


def compared(metrics: list[Metric]) -> OutputComparison:
    first = Output(
        "first",
        ["the house red", "the end", "one"],
        [leaf(("a", "x"), F=1.0, G=2.0), leaf(("a", "x"), F=9.0), leaf(("b", "y"), F=1.0)],
        {"F": 2.0, "G": -1.0},
    )
    second = Output(
        "second",
        ["the red house", "the end", "two two"],
        [leaf(("a", "z"), F=3.0, H=1.0), leaf(("c", "x"), F=1.0), leaf(("b", "y"), G=1.0)],
        {"F": 1.0, "H": 4.0},
    )
    return compare_outputs(first, second, ["a", "b", "c"], REFERENCES, metrics)


def test_each_metric_has_the_paired_bootstrap() -> None:
    found = compared([Wer(), Chrf()])
    for metric, one in zip((Wer(), Chrf()), found.tests, strict=True):
        sides = (
            [metric.stats(row[side], own) for row, own in zip(found.rows, REFERENCES, strict=True)]
            for side in ("before", "after")
        )
        assert one.test == paired_bootstrap(*sides, metric)
    assert [one.metric for one in found.tests] == ["WER", "chrF2"]
    assert all(one.is_better for one in found.tests)


def test_features_that_made_the_difference() -> None:
    # The second sentence is the same in both outputs. F: 3 - 1 and 0 - 1; G: 0 - 2 and 1 - 0; H: 1.
    # Times the weights, F: +2 for the first and +1 for the second; G: +1 and 0; H: 0 and +4.
    # Shares in the preference of the first: -2/3, -1/3, 0 (of 3); of the second: 1/5, 0, 4/5 (of 5).
    found = {one.feature: one for one in compared([Wer()]).features}
    assert {name: (one.sentences, one.value, one.weights) for name, one in found.items()} == {
        "F": (2, 1.0, (2.0, 1.0)),
        "G": (2, -1.0, (-1.0, 0.0)),
        "H": (1, 1.0, (0.0, 4.0)),
    }
    pulls = {"F": 50 * (-2 / 3 + 1 / 5), "G": 50 * (-1 / 3), "H": 50 * 4 / 5}
    assert {name: one.pull for name, one in found.items()} == pytest.approx(pulls)
    # WER of the first sentence: 2 edits of 3 words before, 0 after; of the third, 1 of 2 both times.
    assert {name: one.change for name, one in found.items()} == pytest.approx(
        {"F": -100 / 3, "G": -100 / 3, "H": -200 / 3}
    )


def test_rules_that_made_the_difference() -> None:
    found = compared([Wer()])
    assert [one[:3] for one in found.won] == [("a → x", 1, 0), ("a → z", 0, 1)]
    assert found.lost == []


def test_texts_alone_have_no_features_and_no_derivations(tmp_path: Path) -> None:
    sides = (Output(name, ["the house", "the end", "two"]) for name in ("first", "second"))
    found = compare_outputs(*sides, [""] * 3, REFERENCES, [Chrf()])
    assert not found.features and not found.won and not found.tests[0].is_better
    page = found.write(tmp_path / "page.html").read_text("utf-8")
    assert "Features that made the difference" not in page
    assert re.search(r'<script type="application/octet-stream" id="sentence-data">[^<]', page)


def test_words_of_texts_as_written() -> None:
    sides = (Output(name, [text, "", ""]) for name, text in (("first", "¡No!"), ("second", "No!")))
    references = [["No!"], ["x"], ["y"]]
    found = compare_outputs(
        *sides, [""] * 3, references, [Wer()], lambda lines: [" ".join(one) for one in lines]
    )
    assert [row["before_score"] for row in found.rows] == pytest.approx([100 / 3, 100, 100])
    assert found.rows[0]["before"] == "¡No!"


def test_a_system_says_its_translations() -> None:
    decoder = Decoder(small_sample() / "cdec.ini", weights={"LanguageModel": 1.0, "Unused": 0.0})
    corpus = [Segment.from_input(text) for text in ("y dijo dios .", "luz", "")]
    found = translated_output("name", decoder, corpus, ProgressBar(show=False))
    assert found.texts == [*(decoder.translate(segment).viterbi() for segment in corpus[:2]), ""]
    assert [one["text"] for one in found.derivations if one] == found.texts[:2]
    assert found.weights == {"LanguageModel": 1.0}
