"""``formalism = rescore``: forests of cdec, scored by further feature functions."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from support import world

from hopefear.base import InputError, InvalidConfig
from hopefear.cdec import read_forest, write_forest
from hopefear.decoder import Decoder, Weights

GRAMMAR = world.grammar("la", "casa", "es", "verde") + world.rule("[X,1] es [X,2]", "[1] is [2]", "Long=1")
SENTENCES = ["la casa es verde", "casa verde", "la verde silla"]
WEIGHTS = {"Right": 0.5, "Wrong": -0.25, "Glue": 0.125, "LanguageModel": 0.75, "WordPenalty": -1, "R1": 0.5}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lm.arpa").write_text(world.ARPA)
    (tmp_path / "grammar").write_text(GRAMMAR)
    decoder = make(tmp_path, "scfg", grammar=tmp_path / "grammar", add_pass_through_rules="true")
    for number, sentence in enumerate(SENTENCES):
        write_forest(decoder.translate(sentence), tmp_path / f"{number}.bin.gz")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(folder: Path, formalism: str, *functions: str, **options) -> Decoder:
    return Decoder(
        formalism=formalism,
        feature_function=list(functions),
        intersection_strategy="full",
        weights=dict(WEIGHTS),
        **options,
    )


@pytest.mark.parametrize("number", range(len(SENTENCES)))
def test_the_scores_are_those_of_a_decoder_with_all_features(folder: Path, number: int) -> None:
    functions = ["WordPenalty", f"KLanguageModel {folder / 'lm.arpa'}"]
    whole = make(folder, "scfg", *functions, grammar=folder / "grammar", add_pass_through_rules="true")
    rescoring = make(folder, "rescore", *functions)
    expected = whole.translate(SENTENCES[number])
    forest = rescoring.translate(f"::forest:: {number}.bin.gz")
    assert forest.npaths == expected.npaths > 1
    found = zip(forest.kbest(1000), forest.kbest_features(1000), strict=True)
    wanted = zip(expected.kbest(1000), expected.kbest_features(1000), strict=True)

    def facts(derivations):
        return sorted((text, sorted((n, round(v, 4)) for n, v in f.items())) for text, f in derivations)

    assert facts(found) == facts(wanted)
    assert forest.viterbi_score() == pytest.approx(expected.viterbi_score())


def test_a_forest_is_parsed_as_it_is(folder: Path) -> None:
    forest = make(folder, "rescore").parse("::forest:: 0.bin.gz")
    weights = Weights(WEIGHTS)
    assert list(forest.kbest(50)) == list(read_forest(folder / "0.bin.gz", weights).kbest(50))


def test_the_forests_of_cdec(shared: Path) -> None:
    """Without further features, cdec's forests keep their best derivations and scores."""
    weights = Weights()
    weights.read(shared / "data" / "tanaka" / "ja-en" / "weights.tuned")
    decoder = Decoder(formalism="rescore", intersection_strategy="full", weights=weights)
    paths = sorted((shared / "golden" / "cdec-forests").glob("*.bin.gz"))
    assert len(paths) == 12
    for path in paths:
        forest, expected = decoder.translate(f"::forest:: {path}"), read_forest(path, weights)
        assert forest.viterbi() == expected.viterbi()
        assert forest.viterbi_score() == pytest.approx(expected.viterbi_score())
        assert forest.npaths == expected.npaths


def test_references_are_in_the_forest(folder: Path) -> None:
    decoder = make(folder, "rescore", "WordPenalty")
    forest = decoder.translate("::forest:: 1.bin.gz", reference="house green")
    assert set(forest.kbest(10)) == {"house green"}
    features = forest.viterbi_features()
    assert features["WordPenalty"] == pytest.approx(-2 / math.log(10), abs=1e-5)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("la casa", "expected ::forest:: FILE, since the formalism is rescore"),
        ("::forest::", "expected ::forest:: FILE"),
        ("::forest:: none.bin.gz", "none.bin.gz: cannot be read"),
        ("::forest:: lm.arpa", "lm.arpa: byte 0: "),
        ('<seg grammar="grammar">::forest:: 0.bin.gz</seg>', "expected no grammar: a forest has its rules"),
    ],
)
def test_wrong_input(folder: Path, line: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make(folder, "rescore").translate(line)


def test_wrong_configurations(folder: Path) -> None:
    with pytest.raises(InvalidConfig, match="expected no grammar"):
        make(folder, "rescore", grammar=folder / "grammar")
    with pytest.raises(InvalidConfig, match="SpanSize sees the source sentence, which a forest does not"):
        make(folder, "rescore", "SpanSize")
