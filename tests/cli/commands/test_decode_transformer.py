"""``hopefear decode-transformer``: translations and k-best lists of a model alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.transformers import need_neural, trained

from hopefear.neural import TranslationModel

SOURCES = ["casa  gato libro mesa", "perro casa mesa gato"]


@pytest.fixture(name="folder")
def folder_of_a_model(tmp_path: Path) -> Path:
    need_neural()
    trained(tmp_path / "nmt", 12, count=60, width=16, inner=32, average=0.9)
    (tmp_path / "in").write_text("".join(f"{source}\n" for source in SOURCES))
    return tmp_path


def test_it_writes_the_best_translations(folder: Path, run) -> None:
    found = TranslationModel(folder / "nmt").translate([" ".join(each.split()) for each in SOURCES])
    done = run("decode-transformer", "nmt", "-i", "in")
    assert done.stdout.splitlines() == [each[0].text for each in found]


def test_its_lists_have_log_probabilities_and_combine_reads_them(folder: Path, run) -> None:
    done = run("decode-transformer", "nmt", "-i", "in", "-k", 3)
    fields = [line.split(" ||| ") for line in done.stdout.splitlines()]
    assert [int(number) for number, *_ in fields] == [0, 0, 0, 1, 1, 1]
    scores = np.array([float(score) for *_, score in fields])
    assert [features for _, _, features, _ in fields] == [f"Transformer={score}" for *_, score in fields]
    model = TranslationModel(folder / "nmt")
    sources = [" ".join(SOURCES[int(number)].split()) for number, *_ in fields]
    expected = model.scores(sources, [text for _, text, *_ in fields])
    whole = np.abs(scores - expected) < 0.1  # a text may have other subwords than its list
    assert whole[[0, 3]].all()
    (folder / "nbest").write_text(done.stdout)
    assert len(run("combine", "nbest").stdout.splitlines()) == 2


def test_a_folder_without_a_model_is_refused(folder: Path, run) -> None:
    done = run("decode-transformer", "none", "-i", "in", status=2)
    assert "none: expected the folder of a CTranslate2 model" in done.stderr
