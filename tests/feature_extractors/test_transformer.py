"""The feature of a CTranslate2 model: its scores of the k best, which MIRA weighs."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.transformers import WORDS, need_neural, trained

from hopefear import Decoder, InputError, Segment, check_plugin
from hopefear.neural import TranslationModel
from hopefear.tuners import Mira

SOURCE = "casa gato libro mesa"
RIGHT = " ".join(WORDS[word] for word in SOURCE.split())
GRAMMAR = "".join(
    f"[X] ||| {source} ||| {target} ||| p={number}\n"
    for source, right in WORDS.items()
    for number, target in enumerate([*WORDS.values(), right], 1)
)


@pytest.fixture(name="folder", scope="module")
def folder_of_a_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need_neural()
    folder = tmp_path_factory.mktemp("system")
    trained(folder / "nmt", 12, count=60, width=16, inner=32, average=0.9)
    (folder / "grammar").write_text(GRAMMAR)
    (folder / "cdec.ini").write_text(
        "formalism=scfg\ngrammar=grammar\nfeature_function=Transformer nmt --k 30\n"
    )
    return folder


def test_the_feature_is_the_models_score(folder: Path) -> None:
    forest = Decoder(folder / "cdec.ini", weights={"p": -0.1}).translate(SOURCE)
    found = [(forest.text(each), forest.features(each)) for each in forest.derivations(100)]
    scores = TranslationModel(folder / "nmt").scores([SOURCE] * 30, [text for text, _ in found])
    assert [features["Transformer"] for _, features in found] == pytest.approx(scores.tolist(), abs=1e-4)


def test_it_is_a_plugin_and_repeats_its_scores(folder: Path) -> None:
    check_plugin("Transformer nmt --prefix Mine", base=folder, processes=False)


def test_a_beam_finds_what_no_short_list_has(folder: Path) -> None:
    def best(options: str) -> tuple[str, float]:
        line = f"feature_function=Transformer nmt {options}"
        (folder / "beam.ini").write_text(f"formalism=scfg\ngrammar=grammar\n{line}\n")
        forest = Decoder(folder / "beam.ini", weights={"p": -0.1, "Transformer": 1.0}).translate(SOURCE)
        return forest.viterbi(), forest.score(forest.best())

    text, score = best("--k 5000")
    assert best("--k 1")[1] < score - 1
    assert best("--k 1 --beam 100") == (text, pytest.approx(score, abs=1e-4))


def test_its_own_translations_are_listed(folder: Path) -> None:
    model = TranslationModel(folder / "nmt")
    (own,) = model.translate([SOURCE], n_best=4)
    (folder / "own.ini").write_text(
        "formalism=scfg\ngrammar=grammar\nfeature_function=Transformer nmt --k 1 --n-best 4\n"
    )
    forest = Decoder(folder / "own.ini", weights={"p": -0.1}).translate(SOURCE)
    found = {forest.text(each): forest.features(each) for each in forest.derivations(9)}
    assert {*found} >= {each.text for each in own}
    for each in own:
        assert found[each.text]["Transformer"] == pytest.approx(each.log_probability, abs=1e-3)
    edits = [features["TransformerEdits"] for features in found.values() if "TransformerEdits" in features]
    assert len(edits) >= 3 and min(edits) >= 1


def test_mira_learns_its_weight(folder: Path) -> None:
    decoder = Decoder(folder / "cdec.ini", weights={"p": -0.1})
    Mira(passes=4).fit(decoder, [Segment(tuple(SOURCE.split()), references=(RIGHT,))])
    assert decoder.weights["Transformer"] != 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Transformer", "--model must be given"),
        ("Transformer none", "none: expected the folder of a CTranslate2 model"),
        ("Transformer nmt --k 0", "k must be at least 1, got 0"),
        ("Transformer nmt --n-best -1", "n_best must be at least 0, got -1"),
    ],
)
def test_wrong_lines_are_refused(folder: Path, line: str, message: str) -> None:
    (folder / "wrong.ini").write_text(f"formalism=scfg\ngrammar=grammar\nfeature_function={line}\n")
    with pytest.raises(InputError, match=message):
        Decoder(folder / "wrong.ini")


def test_a_lattice_is_refused(folder: Path) -> None:
    lattice = "((('casa',0,1),('gato',0,1),),)"
    with pytest.raises(InputError, match="expected a sentence, got a lattice"):
        Decoder(folder / "cdec.ini").translate(Segment.from_input(lattice))
