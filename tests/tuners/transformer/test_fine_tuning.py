"""A Transformer that learns from corrections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.transformers import need_neural, pairs, trained

from hopefear.base import InputError
from hopefear.neural import TranslationModel
from hopefear.tuners.contract.checkpoint import write_checkpoint
from hopefear.tuners.transformer import FineTuningSettings

SOURCE, TARGET = "casa gato mesa perro", "table dog house cat"


@pytest.fixture(autouse=True, scope="module")
def neural() -> None:
    need_neural()


@pytest.fixture(name="folder", scope="module")
def folder_of_a_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nmt")
    trained(folder, 12, count=60, width=16, inner=32, average=0.9)
    return folder


def learning(folder: Path, **settings: Any) -> Any:
    from hopefear.tuners.transformer.fine_tuning import FineTuning

    return FineTuning(folder, FineTuningSettings(**settings))


def test_it_begins_with_the_average_of_the_last_pass(tmp_path: Path) -> None:
    expected, found = trained(tmp_path, 2).average, learning(tmp_path).network
    for value, other in zip(expected.parameters(), found.parameters(), strict=True):
        assert np.array_equal(value.detach(), other.detach())


def test_it_learns_a_correction(folder: Path) -> None:
    made = learning(folder, rate=0.01, steps=100)
    (before,) = made.model().scores([SOURCE], [TARGET])
    made.learn(SOURCE, TARGET)
    (after,) = made.model().scores([SOURCE], [TARGET])
    assert after > before / 4
    ((best,),) = made.model().translate([SOURCE])
    assert best.text == TARGET
    assert TranslationModel(folder).translate([SOURCE])[0][0].text != TARGET


def test_equal_seeds_learn_equally(tmp_path: Path) -> None:
    trained(tmp_path, 1, dropout=0.3)
    learned = []
    for seed in (0, 0, 1):
        made = learning(tmp_path, seed=seed, rate=0.01)
        for pair in pairs(3):
            made.learn(*pair)
        learned.append(made.model().scores([SOURCE], [TARGET]).tolist())
    assert learned[0] == learned[1] != learned[2]


def test_what_is_no_training_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "subwords.model").write_bytes((folder / "subwords.model").read_bytes())
    with pytest.raises(InputError, match="checkpoint: no such file"):
        learning(tmp_path)
    write_checkpoint(tmp_path / "checkpoint", {"facts": {"joint": {}}, "arrays": {}})
    with pytest.raises(InputError, match="expected a checkpoint of train-transformer"):
        learning(tmp_path)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(InputError, match="steps"):
        FineTuningSettings(steps=0)
