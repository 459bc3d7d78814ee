"""Folders of CTranslate2, ours and others."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from support.transformers import need_neural, pairs, trained

from hopefear.base import InputError
from hopefear.neural import TranslationModel


@pytest.fixture(name="folder", scope="module")
def folder_of_a_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_neural()
    folder = tmp_path_factory.mktemp("nmt")
    trained(folder, 2)
    return folder


@pytest.fixture(name="copy")
def copied_folder(folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(folder, tmp_path / "nmt"))


def test_scores_do_not_depend_on_the_batch(folder: Path) -> None:
    model = TranslationModel(folder)
    sources, targets = zip(*pairs(20), strict=True)
    together = model.scores(sources, targets)
    alone = [model.scores([f], [e])[0] for f, e in zip(sources, targets, strict=True)]
    assert together == pytest.approx(alone, abs=1e-4)
    assert (together < 0).all() and len(model.scores([], [])) == 0


def test_any_text_has_a_score_and_a_translation(folder: Path) -> None:
    model = TranslationModel(folder)
    texts = ["", "casa", "Ω κ", "casa " * 3000]
    assert np.isfinite(model.scores(texts, texts[::-1])).all()
    assert len(model.translate(texts)) == 4


def test_a_beam_gives_the_best_first(folder: Path) -> None:
    (found,) = TranslationModel(folder).translate(["casa gato"], beam=2, n_best=4)
    assert len(found) == 4
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


def test_subwords_one_by_one_have_the_probability_of_the_whole(folder: Path) -> None:
    model = TranslationModel(folder)
    (source, target), *_ = pairs(1)
    target += " Ω"
    scorer = model.next_subword(source)
    subwords = [subword for cut in scorer.cut(target.split()) for subword in cut]
    rows = scorer.log_probabilities([tuple(subwords[:n]) for n in range(len(subwords) + 1)])
    assert np.exp(rows).sum(axis=1) == pytest.approx(np.ones(len(rows)))
    total = sum(row[each] for row, each in zip(rows, [*subwords, scorer.end], strict=True))
    assert total == pytest.approx(model.scores([source], [target])[0], abs=1e-4)
    assert scorer.log_probabilities([]).shape == (0, rows.shape[1])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "nmt: expected target_vocabulary.json or shared_vocabulary.json"),
        ("{}", "shared_vocabulary.json: expected a list of subwords with </s> and <unk>"),
        ("[", "shared_vocabulary.json: expected a list of subwords with </s> and <unk>"),
    ],
)
def test_without_a_vocabulary_there_is_no_next_subword(copy: Path, content: str | None, message: str) -> None:
    model = TranslationModel(copy)
    (copy / "shared_vocabulary.json").unlink()
    if content is not None:
        (copy / "shared_vocabulary.json").write_text(content)
    with pytest.raises(InputError) as error:
        model.next_subword("casa")
    assert message in str(error.value)


def test_the_two_subword_models_of_opus_mt_are_read(copy: Path) -> None:
    sources, targets = zip(*pairs(4), strict=True)
    expected = TranslationModel(copy).scores(sources, targets)
    shutil.copy(copy / "subwords.model", copy / "source.spm")
    (copy / "subwords.model").rename(copy / "target.spm")
    assert TranslationModel(copy).scores(sources, targets).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda folder: (folder / "model.bin").unlink(),
            "nmt: expected the folder of a CTranslate2 model, with",
        ),
        (
            lambda folder: (folder / "model.bin").write_bytes(b"x"),
            "nmt: expected a translation model of CTranslate2",
        ),
        (
            lambda folder: (folder / "subwords.model").unlink(),
            "nmt: expected source.spm and target.spm, or one other",
        ),
        (lambda folder: (folder / "b.model").touch(), "got b.model, subwords.model"),
        (
            lambda folder: (folder / "subwords.model").write_bytes(b"x"),
            "subwords.model: expected a model of sent",
        ),
    ],
)
def test_what_is_no_model_is_refused(copy: Path, change, message: str) -> None:
    change(copy)
    with pytest.raises(InputError) as error:
        TranslationModel(copy)
    assert message in str(error.value)
