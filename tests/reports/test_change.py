"""What a run changed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopefear import Segment
from hopefear.base import InputError
from hopefear.metrics import Bleu, Metric, Wer, paired_bootstrap
from hopefear.reports import RunChange, read_change, write_change
from hopefear.reports.change import Bucket, NgramChange

SENTENCES = [  # reference, before, after
    ("the red house", "the house red", "the red house"),
    ("the house", "a house", "a home"),
    ("one two three four five six", "one two three four five six", "one two three four five six"),
    ("the end", "the end", "the the"),
]


def change(metric: Metric, name: str = "tuning set", total: int = len(SENTENCES)) -> RunChange:
    corpus = [Segment("x", references=(reference,)) for reference, *_ in SENTENCES]
    records: list[dict[str, Any]] = [
        {
            **{"source": "x", "references": [reference], "before": before, "after": after},
            "statistics": [metric.stats(text, [reference]).tolist() for text in (before, after)],
        }
        for reference, before, after in SENTENCES
    ]
    found = RunChange.of_records(records, corpus * (total // len(corpus)), metric, name)
    assert found is not None
    return found


@pytest.mark.parametrize("metric", [Bleu(), Wer()])
def test_the_test_is_the_paired_bootstrap(metric: Metric) -> None:
    rows = [np.array([metric.stats(one[side], [one[0]]) for one in SENTENCES]) for side in (1, 2)]
    found, expected = change(metric), paired_bootstrap(rows[0], rows[1], metric)
    assert found.test == expected
    assert found.is_better(1.0) is metric.higher_is_better


def test_scores_by_length_of_the_reference() -> None:
    # Edits by hand: 2 + 1 + 1 of 7 words before, 0 + 2 + 1 after; none of 6 words.
    assert change(Wer()).lengths == [
        Bucket("1–5", 3, pytest.approx(100 * 3 / 7), pytest.approx(100 * 3 / 7)),
        Bucket("6–10", 1, 0.0, 0.0),
    ]


def test_words_by_frequency() -> None:
    # "the" 3 times, "house" twice, nine words once. Before: "the" is said and right twice; "house" twice.
    # After: "the" is said 3 times and twice right; "house" once; of the words of one time "end" is lost.
    # "red", right on both sides, and six numbers, and "end" are those of one time.
    assert change(Wer()).words == [
        Bucket("1", 8, 100.0, pytest.approx(200 * 7 / (8 + 7))),
        Bucket("2", 2, 100.0, pytest.approx(200 * 1 / (2 + 1))),
        Bucket("3–4", 3, pytest.approx(200 * 2 / (3 + 2)), pytest.approx(200 * 2 / (3 + 3))),
    ]


def test_ngrams_that_were_won_and_lost() -> None:
    found = change(Wer())
    assert found.won == [NgramChange(words, 0, 1) for words in ("the red house", "red house", "the red")]
    assert found.lost == [NgramChange("the end", 1, 0), NgramChange("end", 1, 0), NgramChange("house", 2, 1)]


def test_written_and_read(tmp_path: Path) -> None:
    found = change(Bleu(), "held-out set", total=8)
    assert found.where == "4 of the 8 sentences of the held-out set"
    assert change(Bleu()).where == "the 4 sentences of the tuning set"
    assert read_change(tmp_path) is None
    write_change(tmp_path, found)
    assert read_change(tmp_path) == found
    path = tmp_path / "change.json"
    whole = json.loads(path.read_text())
    for wrong in ([], {}, whole | {"sentences": "many"}, whole | {"before": [1.0, [1.0]]}):
        path.write_text(json.dumps(wrong))
        with pytest.raises(InputError, match=re.escape("change.json: expected the change of a run")):
            read_change(tmp_path)
