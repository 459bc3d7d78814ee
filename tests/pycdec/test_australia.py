"""cdec's own example, through pycdec's interface; the numbers are cdec's."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import hopefear.pycdec as cdec

SOURCE_TREE = "(S (S (S (S (X 澳洲 是)) (X (X 与 北韩) 有 邦交)) (X 的 少数 国家 之一)) (X 。))"
TARGET_TREE = (
    "(S (S (S (S (X australia is)) (X have diplomatic relations (X with north korea))) "
    "(X one of the few countries)) (X .))"
)
FEATURES = {"PhraseModel_0": 2.014353, "PhraseModel_1": 8.591477, "PhraseModel_2": 7.082652, "Glue": 3.0}
WEIGHTS = {
    "WordPenalty": -2.844814,
    "LanguageModel": 1.0,
    "PhraseModel_0": -1.066893,
    "PhraseModel_1": -0.752247,
    "PhraseModel_2": -0.589793,
    "PassThrough": -20.0,
    "Glue": 0,
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "golden" / "australia"


@pytest.fixture(scope="module")
def decoder(folder: Path) -> cdec.Decoder:
    decoder = cdec.Decoder(formalism="scfg")
    decoder.read_weights(folder / "weights")
    return decoder


@pytest.fixture(scope="module")
def line(folder: Path) -> tuple[str, str]:
    source, _, reference = (folder / "input.txt").read_text().strip().partition(" ||| ")
    return source, reference


@pytest.fixture
def forest(folder: Path, decoder: cdec.Decoder, line: tuple[str, str]) -> cdec.Hypergraph:
    with gzip.open(folder / "australia.scfg.gz") as grammar:
        return decoder.translate(line[0], grammar=grammar.read())


def test_weights_are_those_of_the_file(folder: Path) -> None:
    decoder = cdec.Decoder(formalism="scfg")
    decoder.read_weights(folder / "weights")
    assert dict(decoder.weights) == pytest.approx(WEIGHTS)
    decoder.read_weights(folder / "weights", scaling=0.5)
    assert decoder.weights["PassThrough"] == -10


def test_size(forest: cdec.Hypergraph) -> None:
    assert (len(list(forest.nodes)), len(list(forest.edges))) == (77, 244_232)
    assert forest.npaths == pytest.approx(3.79555e28, rel=1e-5)


def test_best_derivation(forest: cdec.Hypergraph, decoder: cdec.Decoder) -> None:
    assert forest.viterbi() == (
        "australia is have diplomatic relations with north korea one of the few countries ."
    )
    assert forest.viterbi_trees() == (SOURCE_TREE, TARGET_TREE)
    assert dict(forest.viterbi_features()) == pytest.approx(FEATURES, abs=1e-6)
    assert forest.viterbi_features().dot(decoder.weights) == pytest.approx(-12.7893, abs=1e-4)


def test_unique_kbest(forest: cdec.Hypergraph, decoder: cdec.Decoder, folder: Path) -> None:
    expected = [line.split(" ||| ") for line in (folder / "kbest20.txt").read_text().splitlines()]
    found = list(zip(forest.unique_kbest(20), forest.unique_kbest_features(20), strict=True))
    scores = [features.dot(decoder.weights) for _, features in found]
    golden = [float(score) for *_, score in expected]
    assert scores == pytest.approx(golden, rel=1e-5, abs=1e-4)
    # Those behind the last score may be tied with ones that are not in the list.
    clear = {hypothesis for _, hypothesis, _, score in expected if float(score) > golden[-1] + 1e-4}
    assert clear <= {hypothesis for hypothesis, _ in found}
    by_hypothesis = dict(found)
    for _, hypothesis, text, score in expected:
        if hypothesis in by_hypothesis:
            features = by_hypothesis[hypothesis]
            assert features.dot(decoder.weights) == pytest.approx(float(score), rel=1e-5)
            assert set(dict(features)) == {pair.split("=")[0] for pair in text.split()}


def test_intersection_with_the_reference_lattice(forest: cdec.Hypergraph, line: tuple[str, str]) -> None:
    assert forest.intersect(cdec.Lattice(line[1]))
    # cdec parses the reference with the forest as its grammar, which puts one more goal on the forest's own.
    assert (len(list(forest.nodes)), len(list(forest.edges))) == (185, 827)
    assert forest.npaths == 279_358
    assert forest.viterbi() in set(forest.unique_kbest(5))


def test_reference_that_cannot_be_reached(forest: cdec.Hypergraph) -> None:
    before = forest.npaths
    assert not forest.intersect("there is no such translation")
    assert forest.npaths == before


def test_joshua_tree(forest: cdec.Hypergraph) -> None:
    assert forest.viterbi_joshua() == (
        "(S{0-11} (S{0-10} (S{0-6} (S{0-2} (X{0-2} australia is)) (X{2-6} have diplomatic relations "
        "(X{2-4} with north korea))) (X{6-10} one of the few countries)) (X{10-11} .))"
    )


def test_viterbi_forest_has_the_best_derivation_only(forest: cdec.Hypergraph) -> None:
    best = forest.viterbi_forest()
    assert best.npaths == 1
    assert best.viterbi_trees() == (SOURCE_TREE, TARGET_TREE)
    assert len(list(best.edges)) == TARGET_TREE.count("(") + 1


def test_expectations_are_those_of_samples(forest: cdec.Hypergraph, line: tuple[str, str]) -> None:
    assert forest.intersect(line[1])
    expected = {name: np.exp(value) for name, value in forest.inside_outside()}
    samples = [dict(features) for _, _, features in forest.sample_hypotheses(4000)]
    for name, value in expected.items():
        drawn = np.array([features.get(name, 0.0) for features in samples])
        assert abs(drawn.mean() - value) < 5 * drawn.std() / np.sqrt(len(drawn)) + 1e-9


def test_pruning_keeps_the_best(forest: cdec.Hypergraph) -> None:
    forest.prune(density=100)
    assert 1 < len(list(forest.edges)) < 1500
    assert forest.viterbi_trees() == (SOURCE_TREE, TARGET_TREE)


def test_reweighting(forest: cdec.Hypergraph, decoder: cdec.Decoder) -> None:
    forest.reweight(cdec.SparseVector({"Glue": 1.0, "a feature of no rule": 3.0}))
    assert dict(forest.viterbi_features())["Glue"] == 10
    forest.reweight(decoder.weights)
    assert forest.viterbi_trees() == (SOURCE_TREE, TARGET_TREE)
    with pytest.raises(TypeError, match="reweight"):
        forest.reweight({"Glue": 1.0})  # type: ignore[arg-type]
