"""Transformers as PyTorch trains them, and as CTranslate2 has them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from support.transformers import need_neural, pairs, trained, training

from hopefear.base import InputError
from hopefear.neural import TranslationModel
from hopefear.tuners.transformer import TransformerSettings


@pytest.fixture(autouse=True)
def neural() -> None:
    need_neural()


def test_ctranslate2_has_the_probabilities_of_pytorch(tmp_path: Path) -> None:
    from hopefear.tuners.transformer.batches import numbered

    made = trained(tmp_path, 2, layers=2)
    text = pairs(30)[20:]
    expected = made.log_probabilities(numbered(text, made.subwords))
    found = TranslationModel(tmp_path).scores(*zip(*text, strict=True))
    assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()  # numbers of 8 bits
    assert np.corrcoef(found, expected)[0, 1] > 0.99


def test_it_learns_what_the_text_says(tmp_path: Path) -> None:
    made = trained(tmp_path, 40, count=100, width=16, inner=32, average=0.9)
    first, *_, last = made.reports
    assert last.perplexity < 4 < 8 < first.perplexity
    assert last.bleu > 5 > first.bleu
    assert made.best == min(each.perplexity for each in made.reports)


def test_a_training_goes_on_as_if_it_had_not_been_stopped(tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole", 3, dropout=0.3)
    trained(tmp_path / "parts", 1, dropout=0.3)
    again = training(dropout=0.3)
    again.resume(tmp_path / "parts" / "checkpoint")
    again.run(3, tmp_path / "parts", tmp_path / "parts" / "checkpoint", lambda report: None)
    names = {path.name for path in (tmp_path / "whole").iterdir()}
    assert names == {"model.bin", "config.json", "shared_vocabulary.json", "subwords.model", "checkpoint"}
    for name in names:
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert again.best == whole.best
    with pytest.raises(InputError, match="expected a training with seed 1, got 0"):
        training(dropout=0.3, seed=1).resume(tmp_path / "whole" / "checkpoint")


def test_the_average_of_no_steps_is_the_last_network(tmp_path: Path) -> None:
    from hopefear.tuners.transformer.batches import numbered

    made = trained(tmp_path, 1, average=0.0)
    made.network.eval()
    text = numbered(pairs(3), made.subwords)
    expected = made.log_probabilities(text)
    made.network, made.average = made.average, made.network
    assert made.log_probabilities(text) == pytest.approx(expected)


def test_sizes_follow_the_text() -> None:
    small, large = (TransformerSettings().for_text(pairs) for pairs in (30_000, 200_000))
    assert (small.subwords, small.width, small.inner, small.heads, small.dropout) == (2000, 128, 256, 4, 0.3)
    assert (large.subwords, large.width, large.inner, large.heads, large.dropout) == (
        13_333,
        256,
        1024,
        8,
        0.1,
    )
    assert TransformerSettings(width=64, dropout=0.0).for_text(30_000).dropout == 0
    assert math.isclose(TransformerSettings(width=64).for_text(30_000).inner, 128)
    with pytest.raises(InputError, match="width must be a multiple of 2 heads, got 30 and 4"):
        TransformerSettings(width=30, heads=4)


def test_every_character_of_the_text_is_a_subword() -> None:
    made = training(subwords=1)
    letters = {letter for pair in pairs(18) for text in pair for letter in text.replace(" ", "")}
    assert letters < {*made.subwords.names()}
