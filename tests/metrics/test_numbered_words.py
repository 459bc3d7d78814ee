"""Statistics of hypotheses whose words are numbers."""

from __future__ import annotations

import numpy as np
import pytest

from hopefear.metrics import Bleu, BleuPlusOne, Metric, Ter

TEXTS = ["the cat sat on the mat", "cat", "", "a dog sat\u3000on the mat"]
REFERENCES = ["the cat sat on a mat", "a dog sat on the mat"]


@pytest.mark.parametrize("metric", [Bleu(), BleuPlusOne(grounded=True), Ter()])
@pytest.mark.parametrize("texts", [TEXTS[:3], TEXTS])
def test_the_statistics_are_those_of_the_texts(metric: Metric, texts: list[str]) -> None:
    """White space of any kind divides words, as it does in texts."""
    tokens = [text.split(" ") if text else [] for text in texts]
    words = sorted({word for row in tokens for word in row})
    numbers = np.array([words.index(word) for row in tokens for word in row], np.int32)
    indptr = np.cumsum([0, *map(len, tokens)])
    prepared = metric.prepare(REFERENCES)
    np.testing.assert_array_equal(prepared.batch_of_numbers(words, indptr, numbers), prepared.batch(texts))
