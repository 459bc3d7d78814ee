"""What cdec answers on the Tanaka corpus."""

from __future__ import annotations

import gzip
import json
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support import brute_force as bf

from hopefear.decoder import Decoder, Weights

SETS = {"ja-en": ("tanaka-ja-en.dev100.jsonl", "dev.ja"), "en-ja": ("tanaka-en-ja.dev50.jsonl", "dev.en")}


@dataclass
class Direction:
    decoder: Decoder
    weights: Weights
    model: bf.Ngrams
    sentences: list[tuple[str, dict[str, Any]]]


@pytest.fixture(scope="module", params=SETS)
def direction(shared: Path, request: pytest.FixtureRequest) -> Direction:
    golden, source = SETS[request.param]
    data = shared / "data" / "tanaka"
    folder = data / request.param
    answers = [json.loads(line) for line in (shared / "golden" / golden).read_text().splitlines()]
    sources = (data / source).read_text().splitlines()
    decoder = Decoder(folder / "cdec.ini", weights=folder / "weights.tuned")
    weights = Weights()
    weights.read(folder / "weights.tuned")
    with gzip.open(folder / "lm.arpa.gz", "rt") as lines:
        model = bf.Ngrams.from_arpa(lines)
    return Direction(decoder, weights, model, list(zip(sources, answers, strict=False)))


def test_translation_forests(direction: Direction) -> None:
    for source, answer in direction.sentences:
        golden = answer["translation_forest"]
        forest = direction.decoder.parse(source)
        assert (len(forest.nodes), len(forest.edges)) == (golden["nodes"], golden["edges"]), source
        assert forest.npaths == pytest.approx(golden["paths"], rel=1e-5), source
        assert forest.viterbi_score() == pytest.approx(golden["viterbi_score"], rel=1e-5, abs=1e-4), source


def test_kbest_lists(direction: Direction) -> None:
    """Scores are w·f, n-gram scores those of the ARPA file; equal derivations have equal scores."""
    best, same = [], 0
    for source, answer in direction.sentences:
        golden = {entry["hyp"]: entry for entry in answer["kbest_unique"]}
        forest = direction.decoder.translate(source)
        scores = []
        for derivation in forest.derivations(10, unique=True):
            text, features, score = (f(derivation) for f in (forest.text, forest.features, forest.score))
            scores.append(score)
            weighted = sum(direction.weights[name] * value for name, value in features.items())
            assert score == pytest.approx(weighted, abs=1e-4)
            expected = direction.model.sentence(text.split())
            assert features["LanguageModel"] == pytest.approx(expected, rel=1e-5, abs=1e-4)
            if text not in golden:
                continue
            theirs = {name: value for name, value in golden[text]["features"].items() if value}
            assert theirs["LanguageModel"] == pytest.approx(expected, rel=1e-5, abs=1e-4)
            if features == pytest.approx(theirs, rel=1e-5, abs=1e-4):
                assert score == pytest.approx(golden[text]["score"], rel=1e-5, abs=1e-4)
                same += 1
        assert scores == sorted(scores, reverse=True)
        best.append(scores[0] - answer["kbest_unique"][0]["score"])
    # Which derivations are found depends on the search: on the whole, not worse ones than cdec's.
    assert statistics.fmean(best) > -0.02
    assert same > len(direction.sentences)
