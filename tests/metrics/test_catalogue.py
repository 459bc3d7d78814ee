"""Metrics by name."""

from __future__ import annotations

import pytest

from hopefear.metrics import Bleu, BleuPlusOne, Chrf, Metric, Nist, Ter, create_metric
from hopefear.metrics.catalogue import metric_line


@pytest.mark.parametrize(
    "metric",
    [
        Bleu(),
        Bleu(smoothing="qcri", order=2),
        BleuPlusOne(grounded=True),
        Chrf(word_order=2, beta=1.5, whitespace=True),
        Ter(max_words=300),
        Nist(),
    ],
    ids=str,
)
def test_a_metric_is_made_again_from_its_line(metric: Metric) -> None:
    assert create_metric(metric_line(metric)) == metric


def test_a_metric_that_no_line_makes_has_none() -> None:
    assert metric_line(Nist().for_corpus([["a b"]])) == ""
